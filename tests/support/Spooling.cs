// A game server made of the C# client; tests/support/spooling.py is the same of the Python client, and describes it.

using System;
using RungsClient;

public static class Spooling
{
    public static int Main(string[] given)
    {
        try
        {
            using (var rungs = new Rungs(given[0], given[1], given[2], _ => Fail(), (path, problem) => Fail()))
            {
                Console.WriteLine("open");
                for (string line; (line = Console.In.ReadLine()) != null;)
                {
                    rungs.SendResult(line);
                    Console.WriteLine("kept");
                }
                double seconds = given.Length > 3 ? double.Parse(given[3], System.Globalization.CultureInfo.InvariantCulture) : 3600;
                Console.WriteLine(rungs.Flush(TimeSpan.FromSeconds(seconds)) ? "sent" : "waiting");
                if (rungs.Stopped != null) Console.WriteLine("stopped by " + rungs.Stopped.Status);
            }
            return 0;
        }
        catch (SpoolInUseException error)
        {
            Console.Error.WriteLine(error.Message);
            return 1;
        }
    }

    private static void Fail() { throw new InvalidOperationException(); }
}
