// SPDX-License-Identifier: Apache-2.0
// Rungs for game servers: results that outlive crashes, and the calls that servers and players make.
//
// One file for C# 7.3 and .NET Standard 2.0 (Unity, Mono, .NET), without dependencies: copy it into your project.
// docs/clients.md describes it. Bodies and answers are JSON, as strings; Unity's JsonUtility reads and writes them.
// Every call but SendResult waits for the site: don't make one on Unity's main thread.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.RegularExpressions;
using System.Threading;

namespace RungsClient
{
    /// <summary>What the site answered.</summary>
    public sealed class Answer
    {
        public int Status;
        public string Body;
        public bool IsJson;  // a page with status 200 comes from another site, or from what stands between
        public int? RetryAfter;

        /// <summary>Is it about this result alone, so that the next one may be taken? A key may be for other modes.</summary>
        internal bool IsRefusal
        {
            get { return Refused.Contains(Status) || (Status == 403 && Regex.IsMatch(Body, OtherMode)); }
        }

        private static readonly int[] Refused = { 400, 409, 413, 414, 415, 422 };
        private const string OtherMode = "\"code\"\\s*:\\s*\"other-mode\"";

        /// <summary>The problem details of an error, as JSON.</summary>
        public string Problem
        {
            get { return Body.StartsWith("{", StringComparison.Ordinal) ? Body : "{\"status\": " + Status + ", \"detail\": " + Json.Quote(Body) + "}"; }
        }
    }

    /// <summary>The site's answer was an error.</summary>
    public sealed class RefusedException : Exception
    {
        public readonly Answer Answer;

        public RefusedException(Answer answer) : base(answer.Status + ": " + answer.Problem)
        {
            Answer = answer;
        }
    }

    /// <summary>Another program holds the spool.</summary>
    public sealed class SpoolInUseException : Exception
    {
        public SpoolInUseException(string folder) : base("Another program uses the spool " + folder + ".") { }
    }

    public static class Json
    {
        /// <summary>A text as JSON writes it.</summary>
        public static string Quote(string text)
        {
            var quoted = new StringBuilder("\"");
            foreach (char letter in text)
            {
                if (letter == '"' || letter == '\\') quoted.Append('\\').Append(letter);
                else if (letter < ' ' || char.IsSurrogate(letter)) quoted.Append("\\u").Append(((int)letter).ToString("x4"));
                else quoted.Append(letter);
            }
            return quoted.Append('"').ToString();
        }
    }

    /// <summary>
    /// Calls of one key or one player's token. They throw RefusedException for an error, and WebException if nothing answers,
    /// or something that isn't Rungs.
    /// </summary>
    public abstract class Caller
    {
        protected const int Timeout = 30000;  // milliseconds that an answer may take
        private readonly string root;
        protected volatile string Secret;

        protected Caller(string url, string secret)
        {
            string scheme = new Uri(url).Scheme;
            if (scheme != "https" && scheme != "http")
                throw new ArgumentException("The address of the site begins with https:// or http://, not as " + url);
            root = url.TrimEnd('/') + "/api/v1/";
            Secret = secret.Trim();
        }

        /// <summary>The answer to a call of the API.</summary>
        public string Call(string method, string path, string body = null)
        {
            Answer answer = Ask(method, path, body == null ? null : Encoding.UTF8.GetBytes(body));
            if (answer.Status < 200 || answer.Status >= 300) throw new RefusedException(answer);
            if (answer.Body.Length > 0 && !answer.IsJson) throw new WebException("The answer isn't of Rungs: " + answer.Body);
            return answer.Body;
        }

        /// <summary>Get the live ticket as the only one of `items`, if its number is lost. A server names the player.</summary>
        public string LiveTicket(string player = null)
        {
            return Call("GET", "tickets/" + (player == null ? "" : "?player=" + Uri.EscapeDataString(player)));
        }

        /// <summary>Queue, as `POST tickets/` takes it, and get the ticket.</summary>
        public string JoinQueue(string request) { return Call("POST", "tickets/", request); }

        public string Ticket(long number) { return Call("GET", "tickets/" + number + "/"); }

        public void LeaveQueue(long number) { Call("DELETE", "tickets/" + number + "/"); }

        public string Lobby(string lobby) { return Call("GET", "lobbies/" + lobby + "/"); }

        protected Answer Ask(string method, string path, byte[] body)
        {
            var request = (HttpWebRequest)WebRequest.Create(root + path);
            request.Method = method;
            request.Timeout = request.ReadWriteTimeout = Timeout;
            request.AllowAutoRedirect = false;  // a redirected POST would become a GET, and its 200 look like success
            request.ServicePoint.Expect100Continue = false;
            request.ContentType = "application/json";
            request.Headers[HttpRequestHeader.Authorization] = "Bearer " + Secret;
            try
            {
                if (body != null)
                {
                    request.ContentLength = body.Length;
                    using (Stream stream = request.GetRequestStream()) stream.Write(body, 0, body.Length);
                }
                else if (method != "GET") request.ContentLength = 0;
                using (var response = (HttpWebResponse)request.GetResponse()) return Read(response);
            }
            catch (WebException error) when (error.Response is HttpWebResponse)
            {
                using (var response = (HttpWebResponse)error.Response) return Read(response);
            }
            catch (IOException error)
            {
                throw new WebException("The connection broke off: " + error.Message, error);
            }
        }

        private static Answer Read(HttpWebResponse response)
        {
            var body = new MemoryStream();
            using (Stream stream = response.GetResponseStream()) stream.CopyTo(body);
            if (body.Length < response.ContentLength)  // -1: the site didn't say; Mono takes a part for the whole
                throw new WebException("The answer was cut off.", WebExceptionStatus.ConnectionClosed);
            body.Position = 0;
            using (var reader = new StreamReader(body, Encoding.UTF8))
            {
                int seconds;
                return new Answer
                {
                    Status = (int)response.StatusCode,
                    Body = reader.ReadToEnd(),
                    IsJson = (response.ContentType ?? "").Split(';')[0].Trim() == "application/json",
                    RetryAfter = int.TryParse(response.Headers["Retry-After"], out seconds) ? seconds : (int?)null,
                };
            }
        }
    }

    /// <summary>What a player's own client calls, with the token that the game's back end obtained for the player.</summary>
    public sealed class Player : Caller
    {
        public Player(string url, string token) : base(url, token) { }

        /// <summary>The prompt to accept is on the screen.</summary>
        public void Seen(string lobby) { Call("POST", "lobbies/" + lobby + "/seen/"); }

        public void Accept(string lobby) { Call("POST", "lobbies/" + lobby + "/accept/"); }

        public void Decline(string lobby) { Call("POST", "lobbies/" + lobby + "/decline/"); }

        public void LeaveLobby(string lobby) { Call("POST", "lobbies/" + lobby + "/leave/"); }
    }

    /// <summary>What a game server calls, with a key, and the spool of its results: a folder that no other program uses.</summary>
    public sealed class Rungs : Caller, IDisposable
    {
        private const double FirstWait = 1, LongestWait = 60;  // seconds; each wait is twice the one before
        private const int ShortestRetryAfter = 1, LongestRetryAfter = 3600;  // seconds
        private const int LookEvery = 5000;  // milliseconds; a file that was put into the spool by hand is sent after so many

        // What is done with a result by the status of its answer; Answer.Refused has those that refuse it. Any other status:
        // the key or the address is wrong.
        private static readonly int[] Taken = { 200, 201, 202 };
        private static readonly int[] Later = { 408, 425, 429 };  // and everything from 500 on

        private readonly string spool, refused;
        private readonly Action<string> log;
        private readonly Action<string, string> onRefused;
        private readonly FileStream held;
        private readonly object changed = new object();
        private readonly Thread sender;
        private readonly Queue<string> queue = new Queue<string>();  // names of files to send; read anew when it is empty
        private readonly Random random = new Random();
        private long last;
        private bool closed;
        private Answer stopped;

        /// <summary>
        /// `log` gets a sentence whenever a result can't be sent, is refused, or the sending stops. `onRefused` gets the path
        /// of each result that was put aside, and the problem details as JSON. Both are called by the sender's thread.
        /// </summary>
        public Rungs(string url, string key, string spool, Action<string> log = null, Action<string, string> onRefused = null)
            : base(url, key)
        {
            this.log = log ?? (_ => { });
            this.onRefused = onRefused ?? ((path, problem) => { });
            this.spool = spool = Path.GetFullPath(spool);
            refused = Path.Combine(spool, "refused");
            foreach (string folder in new[] { spool, refused })
            {
                if (Directory.Exists(folder)) continue;
                Directory.CreateDirectory(folder);
                Disk.Sync(Path.GetDirectoryName(folder));
            }
            held = Disk.Lock(spool);
            foreach (string unfinished in Directory.GetFiles(spool, "*.tmp")) File.Delete(unfinished);  // nothing was promised
            last = Names(spool).Concat(Names(refused)).Select(name => long.Parse(name.Substring(0, 12))).DefaultIfEmpty().Max();
            sender = new Thread(SendUntilClosed) { IsBackground = true, Name = "rungs" };
            sender.Start();
        }

        /// <summary>Null, or the answer that stopped the sending: the key or the address is wrong.</summary>
        public Answer Stopped { get { lock (changed) return stopped; } }

        /// <summary>Say that this server is alive, as `PUT servers/me/` takes it. The answer's `lobby` is the one to host.</summary>
        public string Heartbeat(string about) { return Call("PUT", "servers/me/", about); }

        /// <summary>Say that this server has ended, so that nobody waits for it.</summary>
        public void SignOff(string name = "") { Call("DELETE", "servers/me/?name=" + Uri.EscapeDataString(name)); }

        /// <summary>Say who has come. If the answer's `state` isn't `live`, somebody dropped out, and there is no match.
        /// `name`: of this server, if several have this key.</summary>
        public string Start(string lobby, IEnumerable<string> players, string name = null)
        {
            string names = string.Join(", ", players.Select(Json.Quote));
            string server = name == null ? "" : ", \"name\": " + Json.Quote(name);
            return Call("POST", "lobbies/" + lobby + "/start/", "{\"players\": [" + names + "]" + server + "}");
        }

        /// <summary>Call a lobby's match off: it counts for nothing. Players read the reason. `name`: as in `Start`.</summary>
        public string Abort(string lobby, string reason, string name = null)
        {
            string server = name == null ? "" : ", \"name\": " + Json.Quote(name);
            return Call("POST", "lobbies/" + lobby + "/abort/", "{\"reason\": " + Json.Quote(reason) + server + "}");
        }

        /// <summary>Get a `token` for the player's own client; it is valid for an hour.</summary>
        public string Token(string player) { return Call("POST", "players/" + Uri.EscapeDataString(player) + "/token/"); }

        /// <summary>Get what the site would answer to a result; nothing is recorded.</summary>
        public string TryResult(string result) { return Call("POST", "matches/?dry_run=1", result); }

        /// <summary>Take back a result that was recorded, by its id, if its mode still lets senders do so. Players read the reason.</summary>
        public string Withdraw(string result, string reason)
        {
            return Call("POST", "matches/withdraw/", "{\"id\": " + Json.Quote(result) + ", \"reason\": " + Json.Quote(reason) + "}");
        }

        /// <summary>Keep a result on the disk; it is sent from there in the background. Throws if the disk fails.</summary>
        public void SendResult(string result)
        {
            lock (changed)
            {
                if (closed) throw new ObjectDisposedException(nameof(Rungs));
                Disk.Write(Path.Combine(spool, NextName()), result);
                Monitor.PulseAll(changed);
            }
        }

        /// <summary>Wait until the spool is empty. False if the time is over, or sending has stopped, before it is.</summary>
        public bool Flush(TimeSpan timeout)
        {
            DateTime end = DateTime.UtcNow + timeout;
            lock (changed)
            {
                while (Names(spool).Any())
                {
                    TimeSpan left = end - DateTime.UtcNow;
                    if (closed || stopped != null || left <= TimeSpan.Zero) return false;
                    Monitor.Wait(changed, left);
                }
                return true;
            }
        }

        /// <summary>Go on after `Stopped`, perhaps with another key.</summary>
        public void Resume(string key = null)
        {
            lock (changed)
            {
                if (key != null) Secret = key.Trim();
                stopped = null;
                Monitor.PulseAll(changed);
            }
        }

        /// <summary>End the sending, and wait for a request under way. What is left is sent after the next start.</summary>
        public void Close()
        {
            lock (changed)
            {
                closed = true;
                Monitor.PulseAll(changed);
            }
            sender.Join(Timeout);
        }

        void IDisposable.Dispose() { Close(); }

        /// <summary>A name that no result has had, not even one that was put into the spool by hand.</summary>
        private string NextName()
        {
            while (true)
            {
                string name = (++last).ToString("D12") + ".json";
                if (!File.Exists(Path.Combine(spool, name)) && !File.Exists(Path.Combine(refused, name))) return name;
            }
        }

        private static IEnumerable<string> Names(string folder)
        {
            return Directory.EnumerateFiles(folder, "*.json").Select(Path.GetFileName)
                .Where(name => name.Length == 17 && name.Take(12).All(letter => letter >= '0' && letter <= '9'));
        }

        private void SendUntilClosed()
        {
            int failures = 0;
            using (held)
            {
                while (true)
                {
                    int? retryAfter = null;
                    try
                    {
                        string name = AwaitNext();
                        if (name == null) return;
                        Answer later = Send(Path.Combine(spool, name));
                        if (later == null)
                        {
                            failures = 0;
                            continue;
                        }
                        retryAfter = later.RetryAfter;
                        Say("A result can't be sent at the moment: " + later.Problem);
                    }
                    catch (Exception error)  // no answer, or trouble with the disk: whatever it is, the sender goes on
                    {
                        Say("A result can't be sent at the moment: " + error.Message);
                    }
                    if (retryAfter == null)
                    {
                        double backoff = Math.Min(LongestWait, FirstWait * Math.Pow(2, failures++));
                        Pause(backoff * (0.5 + random.NextDouble() / 2));
                    }
                    else Pause(Math.Max(ShortestRetryAfter, Math.Min(LongestRetryAfter, retryAfter.Value)));
                }
            }
        }

        private void Pause(double seconds)
        {
            DateTime end = DateTime.UtcNow.AddSeconds(seconds);
            lock (changed)
            {
                for (TimeSpan left; !closed && (left = end - DateTime.UtcNow) > TimeSpan.Zero;) Monitor.Wait(changed, left);
            }
        }

        /// <summary>Wait until there is something to send, and return the oldest file's name. Null: the spool was closed.</summary>
        private string AwaitNext()
        {
            lock (changed)
            {
                while (!closed)
                {
                    if (stopped == null)
                    {
                        if (queue.Count == 0)
                            foreach (string name in Names(spool).OrderBy(name => name, StringComparer.Ordinal)) queue.Enqueue(name);
                        if (queue.Count > 0) return queue.Peek();
                    }
                    Monitor.Wait(changed, LookEvery);
                }
                return null;
            }
        }

        /// <summary>Send one result, and do what its answer says. Returns the answer if it has to be sent again later.</summary>
        private Answer Send(string file)
        {
            byte[] body;
            try
            {
                body = File.ReadAllBytes(file);
            }
            catch (FileNotFoundException)  // somebody took it out of the spool
            {
                return Settle();
            }
            Answer answer = Ask("POST", "matches/", body);
            if (Taken.Contains(answer.Status) && answer.IsJson)
            {
                File.Delete(file);
                return Settle();
            }
            if (answer.IsRefusal)
            {
                string kept = PutAside(file, answer);
                Settle();
                try
                {
                    onRefused(kept, answer.Problem);
                }
                catch (Exception error)
                {
                    Say("onRefused failed: " + error.Message);
                }
                return null;
            }
            if (Later.Contains(answer.Status) || answer.Status >= 500) return answer;
            lock (changed)
            {
                stopped = answer;
                Monitor.PulseAll(changed);
            }
            Say("Sending has stopped; results wait in the spool. " + answer.Status + ": " + answer.Problem);
            return null;
        }

        /// <summary>Move a refused result to refused/, and get where it lies. If its reason can't be kept, it moves without.</summary>
        private string PutAside(string file, Answer answer)
        {
            string kept = Path.Combine(refused, Path.GetFileName(file));
            try
            {
                Disk.Write(Path.ChangeExtension(kept, ".problem.json"), answer.Problem);
            }
            catch (Exception error) when (error is IOException || error is UnauthorizedAccessException)
            {
                Say("The reason can't be kept: " + error.Message);
            }
            Disk.Move(file, kept);
            Say("A result was refused and lies in " + kept + ": " + answer.Problem);
            return kept;
        }

        /// <summary>Whatever the program does with a sentence, the sender goes on.</summary>
        private void Say(string sentence)
        {
            try
            {
                log(sentence);
            }
            catch (Exception)
            {
            }
        }

        private Answer Settle()
        {
            lock (changed)
            {
                queue.Dequeue();
                Monitor.PulseAll(changed);
            }
            return null;
        }
    }

    /// <summary>Files that are there after a crash as a whole or not at all, and a lock that ends with the program.</summary>
    internal static class Disk
    {
        private static readonly bool IsUnix = Path.DirectorySeparatorChar == '/';

        public static void Write(string path, string text)
        {
            string unfinished = Path.ChangeExtension(path, ".tmp");
            byte[] data = new UTF8Encoding(false).GetBytes(text);
            try
            {
                using (var file = new FileStream(unfinished, FileMode.Create, FileAccess.Write))
                {
                    file.Write(data, 0, data.Length);
                    file.Flush(true);
                }
                Move(unfinished, path);
            }
            catch (Exception)
            {
                File.Delete(unfinished);  // it takes room on a disk that may be full
                throw;
            }
        }

        public static void Move(string from, string to)
        {
            if (File.Exists(to)) File.Delete(to);
            File.Move(from, to);
            Sync(Path.GetDirectoryName(to));
        }

        /// <summary>Write a folder's names to the disk, for which .NET has no call. Windows does so by itself.</summary>
        public static void Sync(string folder)
        {
            if (!IsUnix) return;
            int number = open(folder, 0);
            if (number < 0) throw new IOException("The folder " + folder + " can't be opened.");
            int failed = fsync(number);
            close(number);
            if (failed != 0) throw new IOException("The folder " + folder + " can't be written to the disk.");
        }

        /// <summary>A file whose lock this program has until the file is closed, or the program has ended in any way.</summary>
        public static FileStream Lock(string folder)
        {
            try
            {
                var file = new FileStream(Path.Combine(folder, "lock"), FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None);
                // Mono's FileShare knows only its own process.
                if (!IsUnix || flock((int)file.SafeFileHandle.DangerousGetHandle(), 2 | 4) == 0) return file;  // LOCK_EX | LOCK_NB
                file.Dispose();
            }
            catch (IOException)
            {
            }
            throw new SpoolInUseException(folder);
        }

        [DllImport("libc")]
        private static extern int open(string path, int flags);

        [DllImport("libc")]
        private static extern int fsync(int number);

        [DllImport("libc")]
        private static extern int close(int number);

        [DllImport("libc")]
        private static extern int flock(int number, int operation);
    }
}
