"""Blind accepting: until all have accepted, no call and no page tells opponents, team-mates, map or stakes."""

import difflib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.http.response import HttpResponseBase
from django.test import Client, override_settings

from leaderboards.accounts.data_export import export
from leaderboards.models import Delivery
from leaderboards.webhooks.events import EVENTS
from matchmaking import lifecycle
from matchmaking.lobbies import accepting, playing
from matchmaking.lobbies.balance import CLEARLY, EVEN, FAVOURED, balance_of
from matchmaking.models import Lobby, Ticket
from matchmaking.queues.queueing import Wish, queue_party, queue_player
from matchmaking.refusals import Refusal
from ranking.models import Change, Incident, Player
from ranking.models.access import SCOPES
from tests.support.api import make_key, make_token
from tests.support.caches import forget_waits
from tests.support.factories import NOW
from tests.support.matchmaking import accept_all, form, later, make_lobby, make_player, make_queue, make_server, states
from tests.support.matchmaking_calls import as_player, heartbeat
from tests.support.parties import party_of
from tests.support.routes import all_rows
from tests.support.webhooks import make_hook

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]
MAP = "Quillmarsh"
# What lists all players, whoever is in a lobby.
LISTS = ("/api/v1/players/",)
NEAR = ("play/", "lobbies", "tickets", "part", "notif", "players/me")
SHAPES = {"duel": (1, 2), "team": (3, 2), "eight": (1, 8)}  # players of a team, teams
STRANGER = 912_345_000


def fill(shape: str, **settings: Any) -> tuple[Lobby, Player, set[str]]:
    """A lobby of `me` (who has a party if teams are large enough) and strangers, and what tells the strangers."""
    size, teams = SHAPES[shape]
    mode = {"team_count": teams, "placement_matches": 1}
    queue = make_queue("duel", size=size, mode=mode, variants=[MAP], rematch_after=0, **settings)
    me = make_player("me", user=User.objects.create_user("me"))
    own = [me] if size == 1 else [me, make_player("mate", user=User.objects.create_user("mate"))]
    if size == 1:
        queue_player(me, queue, wish=Wish(width=100), now=later(0))
    else:
        party_of(*own)
        queue_party(me, queue, wish=Wish(width=100), now=later(0))
    for number in range(size * teams - len(own)):
        stranger = make_player(f"key-of-wryneck{number}", pk=STRANGER + number)
        Player.objects.filter(pk=stranger.pk).update(name=f"Wryneck{number}")
        queue_player(stranger, queue, wish=Wish(width=100), now=later(0))
    [lobby] = form(queue)
    return lobby, me, {"wryneck", str(STRANGER)[:6], MAP.lower()}


class Caller:
    """Somebody who asks: with a session, with a bearer's token or key, or with nothing."""

    def __init__(self, user: User | None = None, bearer: str = "") -> None:
        self.client, self.bearer = Client(), bearer
        if user is not None:
            self.client.force_login(user)

    def ask(self, method: str, address: str, **headers: str) -> HttpResponseBase:
        if self.bearer:
            headers["Authorization"] = f"Bearer {self.bearer}"
        more: Any = {"data": {}, "content_type": "application/json"} if method != "GET" and self.bearer else {}
        return getattr(self.client, method.lower())(address, headers=headers, **more)  # type: ignore[no-any-return]


def callers(me: Player) -> dict[str, Caller]:
    """Everybody but the strangers: each is to learn nothing of them. (Moderators look at lobbies in the admin.)"""
    keys = {f"key for {scope}": Caller(bearer=make_key(scope)) for scope in SCOPES}
    people = {player.key: player for player in Player.objects.exclude(user=None)}
    outsider = make_player("outsider", user=User.objects.create_user("outsider"))
    people["outsider"] = outsider
    sessions = {name: Caller(player.user) for name, player in people.items()}
    tokens = {f"{name}'s token": Caller(bearer=make_token(player)) for name, player in people.items()}
    boss = User.objects.create_superuser("boss")
    return {**sessions, **tokens, **keys, "nobody": Caller(), "staff without a second factor": Caller(boss)}


def addresses(lobby: Lobby, *, near: bool) -> Iterator[tuple[str, str]]:
    """The method and address of each route of the site; `near`: of playing and notices only.

    Left out is what ends or changes the lobby, or a session: the tests of these acts ask for it.
    """
    tickets = Ticket.objects.filter(queue=lobby.queue).order_by("pk")
    own = tickets.get(members__player__key="me")
    names = {"lobby": lobby.pk, "ticket": own.pk, "matchmaking/lobby": lobby.pk, "matchmaking/ticket": own.pk}
    for _, method, address, _ in all_rows():
        if near and not any(word in address for word in NEAR):
            continue
        kept = method == "GET" or ("/lobbies/" in address and address.endswith(("/seen/", "/leave/", "/start/")))
        if kept and address not in LISTS:
            yield method, re.sub(r"{(.*?)}", lambda name: str(names.get(name[1], 1)), address)
    yield from (("GET", f"/api/v1/tickets/{ticket.pk}/") for ticket in tickets)


def everything(lobby: Lobby, people: Mapping[str, Caller], *, near: bool) -> Iterator[tuple[str, HttpResponseBase]]:
    """All that they get to see, by who asks and where: pages and their live parts, calls by token and by key."""
    for method, address in addresses(lobby, near=near):
        for who, caller in people.items():
            if caller.bearer and not address.startswith("/api/"):
                continue
            if who == "key for servers" and address.startswith("/api/v1/tickets/"):
                continue  # such a key queues players, and asks for the ticket of each
            yield f"{who}: {method} {address}", caller.ask(method, address)
            if method == "GET" and not caller.bearer:
                yield f"{who}: {method} {address} (part)", caller.ask(method, address, **{"HX-Request": "true"})


def text_of(response: Any) -> str:
    return b"".join(response).decode(errors="replace")  # some are pictures, some are streamed


def told(response: Any) -> str:
    """What a response tells: its status, headers and body, without what is drawn at random."""
    headers = "\n".join(f"{name}: {value}" for name, value in response.headers.items() if name != "X-Request-ID")
    body = re.sub(r"[A-Za-z0-9]{64}", "token", text_of(response))
    return f"{response.status_code}\n{headers}\n\n{body}"


def leaks(lobby: Lobby, secrets: set[str], people: Mapping[str, Caller], *, near: bool = True) -> dict[str, set[str]]:
    """Who is told which secret, and where; the exports of players among it."""
    found = {where: told(response).lower() for where, response in everything(lobby, people, near=near)}
    found |= {f"export of {each.key}": "".join(export(each, NOW)).lower() for each in Player.objects.exclude(user=None)}
    found["heartbeat"] = json.dumps(heartbeat().body).lower()
    return {where: words for where, text in found.items() if (words := {word for word in secrets if word in text})}


@pytest.fixture(autouse=True)
def second_factor() -> Iterator[None]:
    with override_settings(ADMIN_MFA=True):
        yield


@pytest.mark.long
def test_no_route_tells_anybody_who_plays_or_where_until_all_have_accepted():
    make_hook(events=list(EVENTS))
    lobby, me, secrets = fill("team")
    people = callers(me)
    assert leaks(lobby, secrets, people, near=False) == {}
    accepting.accept(lobby.pk, me, now=later(2))
    assert leaks(lobby, secrets, people) == {}
    accepting.decline(lobby.pk, Player.objects.get(key="mate"), now=later(3))
    assert states(lobby) == [lifecycle.CANCELLED]
    assert (leaks(lobby, secrets, people, near=False), Delivery.objects.count()) == ({}, 0)


@pytest.mark.parametrize("shape", SHAPES)
def test_nothing_tells_who_plays_or_where_until_all_have_accepted(shape):
    make_hook(events=list(EVENTS))
    lobby, me, secrets = fill(shape)
    people = {"me": Caller(me.user), "token": Caller(bearer=make_token(me))}
    assert leaks(lobby, secrets, people) == {}
    told = as_player("POST", f"lobbies/{lobby.pk}/accept/", me).body
    size = lobby.queue.players_a_team * lobby.queue.mode.team_count
    assert {name: told[name] for name in ("blind", "teams", "variant", "size", "accepted", "balance", "server")} == {
        "blind": True, "teams": [], "variant": "", "size": size, "accepted": 1, "balance": "even", "server": None,
    }  # fmt: skip
    assert told["you"] == {"ranked": None, "of": size, "absence": "", "accepted": True, "ping": None, "stakes": None}
    own = [{"id": "me", "name": "me", "accepted": True}, {"id": "mate", "name": "mate", "accepted": False}]
    assert told["party"] == own[: 2 if shape == "team" else 1]
    assert (leaks(lobby, secrets, people), Delivery.objects.count()) == ({}, 0)


def test_other_players_another_map_and_other_teams_change_no_byte_of_any_answer():
    """Nor a length, a digest or a header; so nothing of them is told in whatever form."""
    lobby, me, _ = fill("team")
    people = {name: caller for name, caller in callers(me).items() if name.startswith(("me", "mate"))}

    def all_told() -> dict[str, str]:
        for known in (forget_waits, cache.clear):
            known()
        return {where: told(response) for where, response in everything(lobby, people, near=True)}

    before = all_told()
    for number, stranger in enumerate(Player.objects.filter(user=None).exclude(key__in=["outsider"])):
        name = f"A much longer name {number}"
        Player.objects.filter(pk=stranger.pk).update(key=f"another-{number}", name=name, search_name=name.lower())
    own, strangers = [[player for player in lobby.players if (player >= STRANGER) is far] for far in (False, True)]
    teams = [[*strangers[:3]], [strangers[3], *own]]
    Lobby.objects.filter(pk=lobby.pk).update(variant="Another map", teams=teams, places=[[6, 5, 4], [3, 2, 1]])
    after = all_told()
    assert len(before) > 100
    changed = [where for where, text in before.items() if after[where] != text]
    assert [
        list(difflib.unified_diff(before[where].split("\n"), after[where].split("\n"), n=0)) for where in changed
    ] == []


@pytest.mark.parametrize("shape", SHAPES)
def test_everything_is_told_once_all_have_accepted(shape):
    lobby, me, secrets = fill(shape)
    accept_all(lobby)
    told = as_player("GET", f"lobbies/{lobby.pk}/", me).body
    size, teams = SHAPES[shape]
    assert [len(team["players"]) for team in told["teams"]] == [size] * teams
    assert (told["blind"], told["you"]["ranked"], told["you"]["stakes"] is None) == (False, 1, False)
    mine = {"/lobbies/": Caller(me.user), "/api/v1/lobbies/": Caller(bearer=make_token(me))}
    pages = {where: text_of(caller.ask("GET", f"{where}{lobby.pk}/")).lower() for where, caller in mine.items()}
    known = {"wryneck", MAP.lower()}
    assert {
        where: known & {word for word in secrets if word in text} for where, text in pages.items()
    } == dict.fromkeys(mine, known)


@pytest.mark.parametrize("ends", ["declined", "let pass"])
def test_a_lobby_that_falls_through_stays_blind_for_good(ends):
    lobby, me, secrets = fill("team")
    accepting.note_seen(lobby.pk, me, now=later(2))
    if ends == "declined":
        accepting.decline(lobby.pk, me, now=later(2))
    else:
        accepting.expire_lobby(lobby.pk, now=later(60))
    assert (states(lobby), lobby.blind) == ([lifecycle.CANCELLED], True)
    assert leaks(lobby, secrets, {"me": Caller(me.user), "token": Caller(bearer=make_token(me))}) == {}


@pytest.mark.parametrize(
    ("settings", "blind"),
    [({}, True), ({"accepting": "open"}, False), ({"accept_seconds": 0}, False)],
)
def test_an_open_queue_tells_all_at_once(settings, blind):
    lobby, me, _ = fill("duel", **settings)
    told = as_player("GET", f"lobbies/{lobby.pk}/", me).body
    assert (lobby.blind, told["blind"], told["teams"] == [], told["variant"]) == (
        blind, blind, blind, "" if blind else MAP,
    )  # fmt: skip


def test_who_has_accepted_drops_out_even_if_no_server_is_free_yet():
    queue = make_queue(servers="auto")
    make_server(queue.mode, capacity=2)
    lobby, [one, other] = make_lobby(queue)
    queue.mode.servers.update(busy=2)
    accepting.accept(lobby.pk, one, now=later(2))
    with pytest.raises(Refusal, match="decline instead"):
        playing.leave_lobby(lobby.pk, one, now=later(3))
    accepting.accept(lobby.pk, other, now=later(3))
    assert (states(lobby), lobby.blind) == ([lifecycle.ACCEPTING], False)
    with pytest.raises(Refusal, match="Leaving now counts as dropping out"):
        accepting.decline(lobby.pk, one, now=later(4))
    playing.leave_lobby(lobby.pk, one, now=later(4))
    assert states(lobby) == [lifecycle.FORFEITED]
    assert Incident.objects.get().kind == "dropout"
    assert Change.objects.get().kind == Change.FORFEIT


def test_how_even_a_match_is_in_a_word():
    words = {
        (0.5, 0.5): EVEN, (0.6, 0.4): EVEN, (0.61, 0.39): FAVOURED, (0.25, 0.75): FAVOURED, (0.76, 0.24): CLEARLY,
        (1.0, 0.0): CLEARLY, (None, None): "", (0.125,) * 8: EVEN, (0.17, *(0.83 / 7,) * 7): EVEN,
        (0.2, *(0.8 / 7,) * 7): FAVOURED, (0.4, *(0.6 / 7,) * 7): CLEARLY, (): "",
    }  # fmt: skip
    assert {chances: balance_of(chances) for chances in words} == words
