"""What integrators get wrong: each answer names what is wrong and says what to do, and writes nothing by mistake.

Each row: the mistake, the request, the status, and what the answer says (of a result that was recorded: in `notes`).
"""

import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.utils import timezone

from ranking.models import Key, Player
from tests.support.api import call, make_key, make_token, moment, result
from tests.support.factories import make_mode, record
from tests.support.matchmaking import accept_all, make_lobby, make_queue, start
from tests.support.savepoints import rolled_back

pytestmark = pytest.mark.django_db
ONE, OTHER = {"score": 3, "players": [{"id": "a"}]}, {"score": 1, "players": [{"id": "b"}]}
SERVER = {"name": "eu1", "region": "eu", "address": "203.0.113.7:7777", "modes": ["duel"], "capacity": 1}


@dataclass(frozen=True)
class Sent:
    """A request; with the site's usual key unless another one, or an own header, is given."""

    body: Any = None
    path: str = "matches/"
    method: str = "POST"
    key: str = "results"
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = "application/json"


def sent(**fields):
    """A result with these fields, and its usual teams."""
    return Sent(result(**{"teams": [ONE, OTHER], **fields}))


def player(**fields):
    return sent(teams=[ONE, {"score": 1, "players": [{"id": "b", **fields}]}])


def team(**fields):
    return sent(teams=[ONE, {**OTHER, **fields}])


def teams(*rows, **fields):
    return sent(teams=list(rows), **fields)


def lone(key, **more):
    return {"score": 1, "players": [{"id": key}], **more}


MISTAKES = [
    # the address
    ("no slash at the end", Sent(result(), "matches"), 404, "Did you mean /api/v1/matches/?"),
    ("the wrong word", Sent(result(), "results/"), 404, "The addresses of the API are described at /api/docs/."),
    ("PUT instead of POST", Sent(result(), method="PUT"), 405, "PUT isn't taken here; these are: GET, POST"),
    ("DELETE of a match", Sent(path="matches/1/", method="DELETE"), 405, "DELETE isn't taken here; these are: GET"),
    ("GET of what is sent", Sent(path="matches/bulk/", method="GET"), 405, "these are: POST"),
    ("an unknown parameter with POST", Sent(result(), "matches/?validate=1"), 400,
     "validate: There is no such parameter"),
    ("a parameter in other words", Sent(result(), "matches/?dryrun=1"), 400, "did you mean 'dry_run'?"),
    ("a dry run that is named oddly", Sent(result(), "matches/?dry_run=please"), 400, "Send 1 for a dry run"),
    ("a misspelt filter", Sent(path="matches/?mod=duel", method="GET"), 400,
     "mod: There is no such parameter here; did you"),
    ("a filter for a mode in capitals", Sent(path="matches/?mode=Duel", method="GET"), 400, "did you mean 'duel'?"),
    ("a page number", Sent(path="matches/?page=2", method="GET"), 400, "known are after, limit"),
    ("too large a page", Sent(path="matches/?limit=1000", method="GET"), 400, "100"),
    ("an offset, which a board doesn't take", Sent(path="boards/duel/?offset=5", method="GET"), 400,
     "known are after, before"),
    ("a parameter given twice", Sent(path="matches/?limit=1&limit=2", method="GET"), 400, "more than once"),
    # the key
    ("no key", Sent(result(), key=""), 401, "'Authorization: Bearer <key>'"),
    ("the key alone", Sent(result(), key="", headers={"Authorization": "rungs_1_x"}), 401,
     "The word before the key is missing"),
    ("Token instead of Bearer", Sent(result(), key="", headers={"Authorization": "Token rungs_1_x"}), 401,
     "must be Bearer"),
    ("an empty variable", Sent(result(), key="", headers={"Authorization": "Bearer "}), 401, "holds no key"),
    ("half a key", Sent(result(), key="", headers={"Authorization": "Bearer rungs_1_x"}), 401, "copied whole"),
    ("a revoked key", Sent(result(), key="revoked"), 401, "revoked"),
    ("a key without the scope", Sent(result(), key="read"), 403, "lacks the scope 'results'"),
    ("a player's token for results", Sent(result(), key="token"), 403, "keys with the scope 'results'"),
    ("a key of another mode", Sent(result(), key="other"), 403, "isn't for the mode 'duel'"),
    ("a key where a player is asked for", Sent(path="players/me/", method="GET"), 403, "call it with a player's token"),
    # the body
    ("no body", Sent(), 400, "The request has no body."),
    ("a form", Sent(b"id=m-1&mode=duel", content_type="application/x-www-form-urlencoded"), 415, "application/json"),
    ("a comma too many", Sent(b'{"id": "m-1",}'), 400, "This isn't JSON:"),
    ("a list of results", Sent([result()]), 400, "This must be an object."),
    ("results without the word matches", Sent([result()], "matches/bulk/"), 400, 'Send {"matches": [result'),
    ("compressed", Sent(result(), headers={"Content-Encoding": "gzip"}), 415, "Send the body as it is"),
    # names of fields, and modes
    ("a field in other words", sent(matchId="7"), 400, "matchId: There is no such field here"),
    ("a misspelt field", sent(start_at=moment()), 400, "did you mean 'started_at'?"),
    ("a winner", sent(winner="a"), 400, "winner: There is no such field here"),
    ("a mode by its name", sent(mode="Duel"), 400, "did you mean 'duel'?"),
    ("a mode by its kind", sent(mode="1v1"), 400, "There is no mode '1v1'. The modes are duel, other, six."),
    ("no mode", sent(mode=None), 400, "mode: This field is required."),
    ("an id of numbers", sent(id=48213), 400, "id: This must be a string."),
    ("the same id for another match", Sent({"again": {"duration": 601}}), 409,
     "duration differs. Nothing was changed. Give each"),
    ("an unknown lobby", sent(lobby="abc"), 400, "Leave it out if the match comes from no lobby of this site."),
    ("a second result of a lobby", Sent({"lobby": True}), 409, "has a result: match"),
    # times
    ("seconds since 1970", sent(ended_at=1_780_000_000), 400, 'a time such as "2026-01-31T18:00:00Z"'),
    ("no offset", sent(ended_at="2026-01-31T18:00:00"), 400, '"Z" for UTC, or such as "+02:00"'),
    ("local time with Z", sent(ended_at=moment(hours=2)), 400, "See the clock, and the offset of local times."),
    ("start and end exchanged", sent(started_at=moment(minutes=2), ended_at=moment(minutes=-2)), 400,
     "ends before it starts"),
    ("neither start nor end", sent(ended_at=None), 400, "Give started_at, ended_at, or both."),
    ("milliseconds, with both times", sent(started_at=moment(minutes=-14), ended_at=moment(), duration=840_000), 400,
     "is more than the time from start to end (840"),
    ("milliseconds", sent(duration=801_000), 201, "it is in seconds, not in milliseconds"),
    ("minutes", sent(started_at=moment(minutes=-14), ended_at=moment(), duration=14), 201, "not in minutes"),
    ("a clock text", sent(duration="13:21"), 400, "duration: This must be a number."),
    ("seconds beyond the match", player(seconds=900), 400, "900 s is more than the match lasted (600 s)"),
    ("a number of days since 1970", sent(ended_at="1970-01-21T14:26:40Z"), 201,
     "seconds or in milliseconds since 1970"),
    # teams and places
    ("one team", teams(ONE), 400, "duel has 2 teams; this result has 1. Send it to another mode"),
    ("three teams", teams(ONE, OTHER, lone("c")), 400, "have an operator change this mode's number of teams"),
    ("too large a team", teams(ONE, {"score": 1, "players": [{"id": "b"}, {"id": "c"}]}), 400,
     "A substitute counts if they"),
    ("too small a team", teams(ONE, OTHER, mode="six"), 400, "Name all who played"),
    ("an empty team", team(players=[]), 400, "teams[1].players: This list can't be empty."),
    ("players by name alone", team(players=["b"]), 400, "teams[1].players[0]: This must be an object."),
    ("a player in both teams", player(id="a"), 400, "stands in the team in which they spent more time"),
    ("nobody came first", teams(lone("a", place=2), lone("b", place=2)), 400,
     "Say in `no_contest` why a match has no winner."),
    ("a place for some", teams(lone("a", place=1), lone("b")), 400, "Either every team has a place or none has."),
    ("places from 0", teams(lone("a", place=0), lone("b", place=1)), 400, "This must be at least 1."),
    ("neither score nor place", team(score=None), 400, "A team without a place needs a score."),
    ("a score as text", team(score="3"), 400, "teams[1].score: This must be a number."),
    ("a time as score", teams(lone("a", score=95.31), lone("b", score=101.07), duration=101.5), 201,
     "have an operator set *The lowest"),
    ("a disqualification as score", team(score=-1), 201, "send a walkover"),
    # players
    ("a nobody", player(id="None"), 201, "give a stranger a key of this match only"),
    ("the player me", player(id="me"), 400, "the address of the player who calls"),
    ("left_early as a number", player(left_early=1), 400, "This must be true or false."),
    ("a statistic as text", player(stats={"hero": "Kestrel"}), 400, "stats.hero: This must be a number."),
    ("too many rounds", teams(ONE, lone("b", players=[{"id": "b", "rounds_played": 12}]), rounds=10), 201,
     "12 `rounds_played` of 10 `rounds`"),
    ("a bot that is a person", player(id="known", bot=True), 201, "is known as a person"),
    ("an absence of one number", player(absences=[120]), 400, "teams[1].players[0].absences[0]: This must be a list."),
    # other calls
    ("a result that isn't one's own withdrawn", Sent({"id": "m-9", "reason": "No."}, "matches/withdraw/"), 404,
     "Your source has sent no result 'm-9'."),
    ("withdrawn without a reason", Sent({"id": "m-9"}, "matches/withdraw/"), 400, "reason: This field is required."),
    ("withdrawn where nobody may", Sent({"withdraw": True}), 409, "ask a moderator to void or to correct it"),
    ("a void with a key for results", Sent({"reason": "No."}, "matches/1/void/"), 403, "lacks the scope 'moderate'"),
    ("a server of an unknown mode", Sent({**SERVER, "modes": ["duell"]}, "servers/me/", "PUT", "servers"), 400,
     "did you mean 'duel'?"),
    ("a ping in seconds", Sent({"mode": "duel", "regions": {"eu": "25 ms"}}, path="tickets/", key="servers"), 400,
     "number"),
    ("a ticket for a mode without a queue", Sent({"mode": "other", "player": "a"}, "tickets/", key="servers"), 400,
     "an operator opens one"),
    ("a token for a player who never played", Sent(path="players/nobody/token/", key="players"), 404, "nobody"),
]  # fmt: skip


@pytest.fixture
def secrets() -> dict[str, str]:
    """The secrets that rows name: a scope, or what is odd about a key."""
    make_queue(mode={"team_size_max": 1})
    make_mode("six", team_size_min=6)
    other = make_mode("other")
    record(["known"], ["x"], mode="other")
    revoked = make_key()
    Key.objects.update(revoked_at=timezone.now())
    return {
        **{scope: make_key(scope) for scope in ("results", "read", "servers", "players")},
        "other": make_key(modes=[other]), "revoked": revoked, "token": make_token(Player.objects.get(key="x")),
        "": "",
    }  # fmt: skip


def ask(request: Sent, secrets: dict[str, str]):
    body, path = request.body, request.path
    match body:
        case {"again": changes}:
            first = result(teams=[ONE, OTHER])
            call("POST", path, first, key=secrets["results"])
            body = first | changes
        case {"withdraw": True}:
            call("POST", path, result(teams=[ONE, OTHER]), key=secrets["results"])
            body, path = {"id": "m-1", "reason": "No."}, "matches/withdraw/"
        case {"lobby": True}:
            lobby, people = make_lobby(make_queue("third"))
            start(accept_all(lobby))
            own = [{"score": score, "players": [{"id": one.key}]} for score, one in enumerate(people)]
            about = {"lobby": lobby.key, "mode": "third", "teams": own}
            assert call("POST", path, result(**about), key=secrets["results"]).status == 201
            body = result(id="m-2", **about)
    key = secrets[request.key]
    return call(request.method, path, body, key=key, content_type=request.content_type, **request.headers)


def test_each_answer_says_what_to_do(secrets: dict[str, str], subtests: pytest.Subtests) -> None:
    for mistake, request, status, says in MISTAKES:
        with subtests.test(mistake=mistake), rolled_back():
            answer = ask(request, secrets)
            text = json.dumps(answer.body["notes"] if status == 201 else answer.body["detail"], ensure_ascii=False)
            assert (answer.status, json.dumps(says, ensure_ascii=False)[1:-1] in text) == (status, True), text


def test_over_the_limit_the_answer_says_how_long_to_wait(secrets: dict[str, str]) -> None:
    make = call("GET", "modes/", key=secrets["results"])
    assert make.status == 200
    Key.objects.filter(revoked_at=None).update(limit=1)
    answers = [call("GET", "modes/", key=secrets["read"]) for _ in range(2)]
    assert answers[-1].status == 429
    wait = answers[-1].headers["Retry-After"]
    assert answers[-1].body["detail"].startswith(f"Too many requests: wait {wait} s")


def test_there_are_sixty_at_least():
    assert len({mistake for mistake, *_ in MISTAKES}) == len(MISTAKES) >= 60
