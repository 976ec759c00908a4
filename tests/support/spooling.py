"""A game server made of the Python client: keeps and sends the results that it reads, one a line.

`python -m tests.support.spooling URL KEY SPOOL [SECONDS]` prints `kept` for each line; at the end of the lines it waits
until all are sent, at most so many seconds, and prints `sent` or `waiting`, and why the sending has stopped, if it has.
What it does with a refused result fails, which mustn't keep the client from sending. `tests/support/Spooling.cs` is the
same of the C# client.
"""

import json
import sys

sys.path.insert(0, "clients/python")
from rungs import Rungs, SpoolInUse


def say(words: str) -> None:
    sys.stdout.write(words + "\n")
    sys.stdout.flush()


def fail(*_: object) -> None:
    raise RuntimeError


def main(url: str, key: str, spool: str, seconds: str = "3600") -> None:
    with Rungs(url, key, spool, on_refused=fail) as rungs:
        say("open")
        for line in sys.stdin:
            rungs.send_result(json.loads(line))
            say("kept")
        say("sent" if rungs.flush(float(seconds)) else "waiting")
        if rungs.stopped:
            say(f"stopped by {rungs.stopped.status}")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except SpoolInUse as error:
        sys.exit(str(error))
