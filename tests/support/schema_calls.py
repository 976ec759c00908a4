"""Calls made from the OpenAPI schema: the schema with links, what its answers are checked for, and a site to call."""

import copy
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import schemathesis
from django.core.cache import cache
from django.core.handlers.wsgi import WSGIHandler
from django.db import connection
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from leaderboards.people.following import follow_player
from matchmaking.models import Lobby, Party, Queue, Ticket
from matchmaking.parties import parties
from matchmaking.queues.queueing import Wish, queue_player
from matchmaking.tick.tick import tick
from ranking.models import Match, Mode, Player
from ranking.standings.publishing import publish
from tests.support.examples import is_long
from tests.support.factories import NOW, make_mode, record
from tests.support.schema_answers import raw_schema

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
# operation → the operations that go on from its answer, with the parameter and where the answer has it
LINKS = {
    "record_match": [("get_match", "number", "/number"), ("get_post_game", "number", "/number")],
    "create_ticket": [("get_ticket", "number", "/id"), ("cancel_ticket", "number", "/id")],
    "list_players": [("get_player", "id", "/items/0/id"), ("issue_token", "id", "/items/0/id")],
    "list_matches": [("get_match", "number", "/items/0/number")],
    "list_modes": [
        ("get_board", "mode", "/items/0/slug"),
        ("get_distribution", "mode", "/items/0/slug"),
        ("list_seasons", "mode", "/items/0/slug"),
    ],
    "get_player": [("get_conduct", "id", "/id"), ("follow_player", "id", "/id")],
    "follow_player": [("get_following", "id", "/id"), ("unfollow_player", "id", "/id")],
}


@lru_cache
def handler() -> WSGIHandler:
    """Made within a test, so that it has the settings of tests."""
    return WSGIHandler()


def call_site(environ: dict[str, Any], start_response: Any) -> Any:
    """Answer a call as the site does, but never compressed: Schemathesis reads answers as they come."""
    environ.pop("HTTP_ACCEPT_ENCODING", None)
    return handler()(environ, start_response)


def load_schema(*, linked: bool = False) -> Any:
    raw = copy.deepcopy(raw_schema())
    operations = [operation for path in raw["paths"].values() for operation in path.values()]
    for operation in operations if linked else ():
        for answer in (answer for status, answer in operation["responses"].items() if status in ("200", "201")):
            answer["links"] = {
                name: {"operationId": name, "parameters": {parameter: f"$response.body#{pointer}"}}
                for name, parameter, pointer in LINKS.get(operation["operationId"], ())
            }
    schema = schemathesis.openapi.from_dict(raw)
    schema.app = call_site
    return schema


SCHEMA = load_schema()
SCHEMA.config.phases.coverage.enabled = is_long()  # a value at each bound that the schema names


@dataclass(frozen=True)
class Seeded:
    """What exists and may be named: by the parameter or field, or by the parameter in an address."""

    fields: dict[str, list[Any]]
    numbers: dict[str, list[int]]

    def name_what_exists(
        self, case: Any, chance: random.Random, places: Sequence[str] = ("path_parameters", "query", "body")
    ) -> None:
        """Put names of what exists in three of four places of a call that may hold one."""
        numbers = next((found for part, found in self.numbers.items() if f"/{part}/" in case.path), [0])
        for place in (getattr(case, name) for name in places):
            for name in list(place) if isinstance(place, dict) else ():
                known = numbers if name == "number" else self.fields.get(name, [])
                if known and chance.random() < 3 / 4:
                    place[name] = chance.choice(known)


def seed_site() -> Seeded:
    """A mode with matches, a lobby of `a` and `b`, a ticket of `c`, a party of `d` with an invitation, followers."""
    make_mode(activity_days=None)
    match = record(["a", "b"], ["c", "d"], id="known").record.match
    publish(match.mode, now=NOW)
    queue = Queue.objects.create(mode=Mode.objects.get(slug="duel"), team_size=1)
    players = {player.key: player for player in Player.objects.all()}
    Queue.objects.create(mode=make_mode("pair"), team_size=2)  # so that there are parties
    for key in "ab":
        queue_player(players[key], queue, wish=Wish(width=100), now=NOW)
    tick(queue, now=NOW)
    queue_player(players["c"], queue, wish=Wish(width=100), now=NOW)
    parties.invite(players["a"], by=players["d"], now=NOW)
    follow_player(players["a"], players["b"], now=NOW)
    keys, party = [*"abcd", "new"], Party.objects.get().pk
    named: dict[str, list[Any]] = dict.fromkeys(("id", "player", "around", "q"), keys)
    named |= {"mode": ["duel", "pair"], "key": [Lobby.objects.get().pk], "party": [party], "modes": [["duel"]]}
    named |= {"players": [["a", "b"], ["a"], []], "friends": ["me"], "limit": [1], "season": [1], "rank": [1]}
    tickets = list(Ticket.objects.values_list("pk", flat=True))
    return Seeded(named, {"matches": [Match.objects.get().pk], "tickets": tickets, "parties": [party]})


def link_calls(seeded: Seeded, callers: list[dict[str, str]]) -> Any:
    """A state machine that goes from answers to the calls that LINKS names, always with the first of the callers."""

    class Linked(load_schema(linked=True).as_state_machine()):  # type: ignore[misc]
        def setup(self) -> None:
            """Begin each run with what was seeded, so that the same steps get the same answers again."""
            self.seeded = connection.savepoint()

        def teardown(self) -> None:
            connection.savepoint_rollback(self.seeded)
            cache.clear()

        def before_call(self, case: Any) -> None:
            """Links give the address; half of the tickets are for a new player, so that some are made."""
            chance = random.Random(repr(case.body))
            seeded.name_what_exists(case, chance, places=("query", "body"))
            if case.path == "/api/v1/tickets/" and chance.random() < 1 / 2:
                case.body = {"mode": "pair", "player": f"p{chance.randrange(10**6)}"}

        def get_call_kwargs(self, case: Any) -> dict[str, Any]:
            return {"headers": callers[0]}

        def validate_response(self, response: Any, case: Any, *args: Any, **kwargs: Any) -> None:
            case.validate_response(response, checks=CHECKS)

    return Linked
