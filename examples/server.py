#!/usr/bin/env python3
"""An example game server: registers, is given lobbies, plays them at random, reports the results, and signs off.

Only Python's standard library, and one file, to be read and taken apart. The calls are in `Server`; the game,
which you have and this doesn't, is in `play`. Try it beside `examples/client.py`:

    python3 examples/server.py --url http://127.0.0.1:8000 --key KEY --name eu1 --region eu --mode duel
"""

import argparse
import json
import random
import signal
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

FIRST_TO = 15  # points that win


class Refused(Exception):
    """The site's answer was an error: its status, and its sentence."""

    def __init__(self, status: int, problem: dict[str, Any]) -> None:
        super().__init__(f"{status}: {problem.get('detail')}")
        self.status = status


def call(method: str, url: str, secret: str, body: Any = None) -> Any:
    """The answer to one call, as data. Raises Refused for an error, OSError where nothing answers."""
    sent = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
    request = urllib.request.Request(url, sent, headers, method=method)  # noqa: S310 - the address is the user's own
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
            text = answer.read()
    except urllib.error.HTTPError as error:
        raise Refused(error.code, json.loads(error.read())) from error
    return json.loads(text) if text else None


class Server:
    """The calls that a game server makes."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.given = given
        self.site = given.url.rstrip("/") + "/api/v1"
        self.told_to_end = threading.Event()
        self.exit_code = 0

    def end(self, number: int, _frame: object) -> None:
        """End at the next `wait`: the call at hand is finished first, so that none arrives after the sign-off."""
        self.exit_code = 128 + number
        self.told_to_end.set()

    def wait(self, seconds: float) -> None:
        """Do nothing for so long. Raises SystemExit, at once, when this program is told to end."""
        if self.told_to_end.wait(seconds):
            sys.exit(self.exit_code)

    def hang(self, state: str) -> None:
        """Make no call any more, if this server is to hang with a lobby in this state: to try what becomes of it."""
        if self.given.hangs == state:
            say("this server hangs")
            self.wait(threading.TIMEOUT_MAX)

    def heartbeat(self, state: str, scores: dict[str, list[int]] | None = None) -> dict[str, Any]:
        """Say that this server is alive, at least every ten seconds. The answer has the `lobby` to host, or None.

        `scores`: how the matches stand that run here, by lobby, in the order of the lobby's teams. Name all of them: a
        lobby that is live here and isn't named counts as lost after some minutes.
        """
        given = self.given
        about = {"name": given.name, "region": given.region, "address": given.address, "modes": given.mode}
        matches = [{"lobby": lobby, "scores": points} for lobby, points in (scores or {}).items()]
        now = {"capacity": 1, "state": state, "matches": matches}  # this server plays one match after the other
        registered: dict[str, Any] = call("PUT", f"{self.site}/servers/me/", given.key, {**about, **now})
        return registered

    def register(self) -> None:
        """The first heartbeat. What is live here by the site's books was lost when this server ended: call it off."""
        for lobby in self.heartbeat("idle")["lobbies"]:
            if lobby["state"] == "live":
                self.abort(lobby, "The game server was started again.")

    def abort(self, lobby: dict[str, Any], reason: str) -> None:
        """Call a match off: its players are free, and nobody is to blame. They read the reason."""
        said = {"name": self.given.name, "reason": reason}
        try:
            call("POST", f"{self.site}/lobbies/{lobby['id']}/abort/", self.given.key, said)
        except Refused as refused:  # it has ended meanwhile
            say(f"lobby {lobby['id']} isn't aborted:", refused)
        else:
            say(f"lobby {lobby['id']} is aborted:", reason)

    def sign_off(self) -> None:
        """Say that this server has ended, so that nobody waits for it."""
        name = urllib.parse.quote(self.given.name)
        call("DELETE", f"{self.site}/servers/me/?name={name}", self.given.key)

    def start(self, lobby: dict[str, Any], present: list[str]) -> bool:
        """The match begins, if everybody has come; who hasn't has dropped out, and there is none."""
        said = {"name": self.given.name, "players": present}
        begun = call("POST", f"{self.site}/lobbies/{lobby['id']}/start/", self.given.key, said)
        return bool(begun["state"] == "live")

    def report(self, result: dict[str, Any]) -> dict[str, Any]:
        """Send the result. Sent again it changes nothing, so whoever gets no answer sends it again."""
        for wait in (1, 2, 4, 8, 16):
            try:
                recorded: dict[str, Any] = call("POST", f"{self.site}/matches/", self.given.key, result)
            except Refused as refused:
                if refused.status not in (429, 500, 502, 503, 504):
                    raise
            except OSError:
                pass
            else:
                return recorded
            time.sleep(wait)
        raise SystemExit("The site doesn't answer; keep the result, and send it later.")


def say(*words: object) -> None:
    """Print at once, whoever reads."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def arrived(lobby: dict[str, Any], absent: list[str]) -> list[str]:
    """Who has connected. A real server waits for connections; here everybody comes who isn't named as absent."""
    return [player["id"] for team in lobby["teams"] for player in team["players"] if player["id"] not in absent]


def standings(teams: int) -> list[list[int]]:
    """The score after each point, from nothing to FIRST_TO for one of the teams."""
    course = [[0] * teams]
    while max(course[-1]) < FIRST_TO:
        scorer = random.randrange(teams)  # noqa: S311
        course.append([points + (team == scorer) for team, points in enumerate(course[-1])])
    return course


def told_of(player: str, duration: float, leaves: list[str]) -> dict[str, Any]:
    """A player's part in the result. Who left halfway and didn't return is a leaver, with their seconds in the game.

    Likewise whoever is replaced has `seconds`, and who replaces them `joined_at`: they are no leavers.
    """
    if player not in leaves:
        return {"id": player}
    return {"id": player, "seconds": round(duration / 2, 3), "left_early": True}


def play(server: Server, lobby: dict[str, Any], seconds: float) -> dict[str, Any]:
    """The game: some seconds, with heartbeats that tell how it stands, then the score of each team."""
    server.hang("live")
    started_at = datetime.now(UTC)
    course = standings(len(lobby["teams"]))
    begun = time.monotonic()
    until = begun + seconds
    while (left := until - time.monotonic()) > 0:
        server.heartbeat("live", {lobby["id"]: course[int(len(course) * (1 - left / seconds))]})
        server.wait(min(left, server.given.every))
    duration = time.monotonic() - begun
    return {
        "id": f"lobby-{lobby['id']}",
        "lobby": str(lobby["id"]),
        "mode": lobby["mode"],
        "variant": lobby["variant"],
        "server": server.given.name,
        "region": server.given.region,
        "started_at": started_at.isoformat(),
        "ended_at": datetime.now(UTC).isoformat(),
        "duration": round(duration, 3),
        "teams": [
            {
                "score": score,
                "players": [told_of(player["id"], duration, server.given.leaves) for player in team["players"]],
            }
            for score, team in zip(course[-1], lobby["teams"], strict=True)
        ],
    }


def host(server: Server, lobby: dict[str, Any]) -> None:
    """A lobby from "everybody has accepted" to its result."""
    server.hang("ready")
    if server.given.never_starts:
        say(f"lobby {lobby['id']} is never started")
        server.wait(server.given.every)
        return
    present = arrived(lobby, server.given.absent)
    try:
        begun = server.start(lobby, present)
    except Refused as refused:  # somebody left it meanwhile, say
        say(f"lobby {lobby['id']} doesn't start:", refused)
        return
    if not begun:
        say(f"lobby {lobby['id']} falls through: somebody isn't there, or nobody is")
        return
    say(f"lobby {lobby['id']} starts with", ", ".join(present))
    if server.given.aborts:
        play(server, lobby, server.given.seconds / 2)
        server.abort(lobby, "The example server calls its matches off.")
        say(f"lobby {lobby['id']} is called off")
        return
    recorded = server.report(play(server, lobby, server.given.seconds))
    say(f"match {recorded['number']} is recorded")


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="An example game server.")
    parser.add_argument("--url", default="http://127.0.0.1:8000", help="of the site")
    parser.add_argument("--key", required=True, help="with the scopes servers and results")
    parser.add_argument("--name", default="example", help="tells the servers of one key apart")
    parser.add_argument("--region", default="eu")
    parser.add_argument("--address", default="127.0.0.1:7777", help="where players connect")
    parser.add_argument("--mode", action="append", required=True, help="slug of a mode it plays; may be given again")
    parser.add_argument("--seconds", type=float, default=10, help="how long a match lasts")
    parser.add_argument("--every", type=float, default=2, help="seconds between heartbeats")
    parser.add_argument("--absent", action="append", default=[], help="a player who never connects; may be given again")
    parser.add_argument("--leaves", action="append", default=[], help="a player who leaves halfway; may be given again")
    parser.add_argument("--aborts", action="store_true", help="call each match off halfway")
    parser.add_argument("--never-starts", action="store_true", help="a broken server: it never begins its matches")
    parser.add_argument(
        "--hangs", nargs="?", const="live", choices=("ready", "live"), help="make no call once a lobby is so; a test"
    )
    parser.add_argument("--matches", type=int, default=0, help="end after so many; 0 = go on")
    return parser.parse_args()


def main() -> None:
    server = Server(given := read_arguments())
    for told in (signal.SIGINT, signal.SIGTERM):  # by Ctrl-C, and by service managers
        signal.signal(told, server.end)
    hosted = 0
    try:
        server.register()
        while not given.matches or hosted < given.matches:
            lobby = server.heartbeat("idle")["lobby"]
            if lobby is not None and lobby["state"] == "ready":
                host(server, lobby)
                hosted += 1
            else:
                server.wait(given.every)
    finally:
        with suppress(Refused, OSError):  # it never registered, or the site is gone
            server.sign_off()


if __name__ == "__main__":
    try:
        main()
    except (Refused, OSError) as error:
        sys.exit(str(error))
