#!/usr/bin/env python3
"""An example game client: queues, accepts, says where to play, and shows what the match did to the player's rating.

Only Python's standard library, and one file, to be read and taken apart. A client has a player's token, which the
game's own back end obtained with its key (`token_of` does that here, for trying things out; a key never belongs into
a client). Try it beside `examples/server.py`:

    python3 examples/client.py --url http://127.0.0.1:8000 --key KEY --player p1 --mode duel
"""

import argparse
import json
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any


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


def say(*words: object) -> None:
    """Print at once, whoever reads."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


class Client:
    """What a client calls, as one player."""

    def __init__(self, site: str, token: str) -> None:
        self.site, self.token = site, token

    def get(self, path: str) -> dict[str, Any]:
        answer: dict[str, Any] = call("GET", f"{self.site}/{path}", self.token)
        return answer

    def post(self, path: str, body: Any = None) -> dict[str, Any]:
        answer: dict[str, Any] = call("POST", f"{self.site}/{path}", self.token, body)
        return answer


def token_of(site: str, key: str, player: str) -> str:
    """What the game's back end does when a player logs in to the game."""
    token: str = call("POST", f"{site}/players/{urllib.parse.quote(player, safe='')}/token/", key)["token"]
    return token


def wait_for_lobby(client: Client, ticket: dict[str, Any], every: float) -> str:
    """The lobby that the ticket is in, by its id; says now and then how it looks."""
    told = ""
    while ticket["lobby"] is None:
        if ticket["state"] not in ("waiting", "matched"):
            raise SystemExit(f"The ticket is {ticket['state']}. {ticket['ending']}")
        window, about = ticket["window"], ticket["estimate"]
        words = f"{ticket['within']} others within reach"
        words += f", percentiles {window['low']:g} to {window['high']:g}" if window else ""
        words += f", mostly {about['low']} to {about['high']} s" if about else ""
        if words != told:
            say(f"waiting {ticket['waited']:.0f} s:", words)
            told = words
        time.sleep(every)
        ticket = client.get(f"tickets/{ticket['id']}/")
    lobby: str = ticket["lobby"]
    return lobby


def accept(client: Client, lobby_id: str) -> None:
    """Say that the player has seen the prompt, and accept."""
    client.post(f"lobbies/{lobby_id}/seen/")
    client.post(f"lobbies/{lobby_id}/accept/")


def show_stakes(lobby: dict[str, Any]) -> None:
    """Show what is at stake; the lobby tells it once all have accepted."""
    own = lobby["you"]
    say(f"you are ranked {own['ranked']} of {own['of']}; beat that")
    if stakes := own["stakes"]:
        if stakes["places"]:
            say(", ".join(f"place {each['place']}: {each['change']}" for each in stakes["places"]))
        else:
            say(f"a win {stakes['win']}, a draw {stakes['draw']}, a loss {stakes['loss']}")
        ranks = stakes["standings"]
        if ranks["now"] and ranks["win"] and ranks["loss"]:
            say(f"you are #{ranks['now']['rank']}: #{ranks['win']['rank']} if you win, #{ranks['loss']['rank']} if not")
        for each in stakes["margins"]:
            score = "–".join(f"{score:g}" for score in each["scores"]) if each["scores"] else "at most"
            say(f"a {each['outcome']}, {score}: {each['change']}")


def follow(client: Client, lobby_id: str, every: float) -> dict[str, Any]:
    """Watch the lobby until it is over; returns how it ended."""
    told, shown = "", False
    while True:
        lobby = client.get(f"lobbies/{lobby_id}/")
        if lobby["you"]["ranked"] is not None and not shown:
            shown = True
            show_stakes(lobby)
        if lobby["state"] != told:
            told, server = lobby["state"], lobby["server"]
            say(f"lobby {lobby_id} is {told}" + (f" on {server['address']}" if server else ""))
        if told not in ("accepting", "ready", "live"):
            return lobby
        time.sleep(every)


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="An example game client.")
    parser.add_argument("--url", default="http://127.0.0.1:8000", help="of the site")
    who = parser.add_mutually_exclusive_group(required=True)
    who.add_argument("--token", help="the player's")
    who.add_argument("--key", help="with the scope players, in place of the game's back end; wants --player")
    parser.add_argument("--player", help="the game's key for the player")
    parser.add_argument("--mode", default="duel", help="slug of the mode to queue for")
    parser.add_argument("--width", type=int, default=10, help="percentiles that others may be away")
    parser.add_argument("--strict", action="store_true", help="never widen that")
    parser.add_argument("--region", action="append", default=[], metavar="NAME=PING", help="may be given again")
    parser.add_argument("--party", type=int, help="number of a party that the player leads")
    parser.add_argument("--every", type=float, default=1, help="seconds between looks")
    given = parser.parse_args()
    if given.key and not given.player:
        parser.error("--key wants --player.")
    return given


def main() -> None:
    given = read_arguments()
    site = given.url.rstrip("/") + "/api/v1"
    client = Client(site, given.token or token_of(site, given.key, given.player))
    wanted: dict[str, Any] = {"mode": given.mode, "width": given.width, "strict": given.strict}
    if given.region:
        wanted["regions"] = {name: float(ping) for name, _, ping in (said.partition("=") for said in given.region)}
    if given.party:
        wanted["party"] = given.party
    ticket = client.post("tickets/", wanted)
    while True:
        lobby_id = wait_for_lobby(client, ticket, given.every)
        try:
            accept(client, lobby_id)
        except Refused as refused:  # it fell through meanwhile, or it is too late
            say(refused)
        lobby = follow(client, lobby_id, given.every)
        ticket = client.get(f"tickets/{ticket['id']}/")
        if ticket["state"] != "waiting":
            break
        say("back in the queue, in the old place")
    if lobby["match"] is None:
        say(ticket["ending"])
    else:
        seen = client.get(f"matches/{lobby['match']}/post-game/")
        say(f"match {lobby['match']}: {seen['headline']}")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
    except (Refused, OSError) as error:
        sys.exit(str(error))
