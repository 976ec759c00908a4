// Each thin call of the C# client, once, against a site: prints what came back. tests/clients/test_csharp.py reads it.

using System;
using System.Net;
using RungsClient;

public static class Calling
{
    public static void Main(string[] given)
    {
        string url = given[0], key = given[1];
        using (var rungs = new Rungs(url, key, given[2]))
        {
            if (given.Length == 3)  // not a site of Rungs
            {
                try { rungs.Heartbeat("{}"); }
                catch (WebException error) { Console.WriteLine(error.Message); }
                return;
            }
            string player = given[3];
            if (given.Length > 4)  // the lobby of two players: each accepts with a token, the server starts and calls it off
            {
                foreach (string name in new[] { player, given[5] })
                {
                    var other = new Player(url, Field(rungs.Token(name), "token"));
                    other.Seen(given[4]);
                    other.Accept(given[4]);
                }
                Console.WriteLine("state " + Field(rungs.Start(given[4], new[] { player, given[5] }), "state"));
                Console.WriteLine("state " + Field(rungs.Abort(given[4], "The \"map\" crashed."), "state"));
                return;
            }
            Console.WriteLine("lobby " + Field(rungs.Heartbeat(
                @"{""name"": ""eu 1"", ""region"": ""eu"", ""address"": ""127.0.0.1:7"", ""modes"": [""duel""]}"), "lobby"));
            var client = new Player(url, Field(rungs.Token(player), "token"));
            long ticket = long.Parse(Field(client.JoinQueue(@"{""mode"": ""duel"", ""width"": 100}"), "id"));
            Console.WriteLine("ticket " + Field(client.Ticket(ticket), "state") + " " + Field(rungs.Ticket(ticket), "state"));
            bool found = Field(client.LiveTicket(), "id") == ticket.ToString() && Field(rungs.LiveTicket(player), "id") == ticket.ToString();
            Console.WriteLine(found ? "found" : "not found");
            client.LeaveQueue(ticket);
            Console.WriteLine("ticket " + Field(client.Ticket(ticket), "state"));
            foreach (Action call in new Action[] { () => client.Lobby("1"), () => client.Seen("1"), () => client.Accept("1"),
                () => client.Decline("1"), () => client.LeaveLobby("1"), () => rungs.Start("1", new[] { player }),
                () => rungs.Abort("1", "x"), () => rungs.Withdraw("1", "x") })
            {
                try { call(); Console.WriteLine("not refused"); }
                catch (RefusedException error) { Console.WriteLine("refused " + error.Answer.Status); }
            }
            Console.WriteLine("tried " + Field(rungs.TryResult(@"{""id"": ""1"", ""mode"": ""duel"", ""ended_at"": ""2026-01-20T18:00:00Z"",
                ""teams"": [{""score"": 1, ""players"": [{""id"": ""a/b""}]}, {""score"": 0, ""players"": [{""id"": ""c""}]}]}"), "state"));
            rungs.SignOff("eu 1");
            Console.WriteLine("signed off");
        }
    }

    // The value of the first such field.
    private static string Field(string json, string name)
    {
        return System.Text.RegularExpressions.Regex.Match(json, "\"" + name + "\"\\s*:\\s*\"?([^\",}]*)").Groups[1].Value;
    }
}
