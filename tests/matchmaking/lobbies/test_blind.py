"""Blind accepting: until all have accepted, no call and no page tells opponents, team-mates, map or stakes."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from leaderboards.accounts.data_export import export
from leaderboards.models import Delivery
from leaderboards.webhooks.events import EVENTS
from matchmaking import lifecycle
from matchmaking.lobbies import accepting, playing
from matchmaking.lobbies.balance import EVEN, FAVOURED, balance_of
from matchmaking.models import Lobby, Ticket
from matchmaking.refusals import Refusal
from ranking.models import Change, Incident, Player
from tests.config.test_routes import ROUTES
from tests.support.api import make_key, make_token
from tests.support.factories import NOW
from tests.support.matchmaking import accept_all, form, later, make_lobby, make_player, make_queue, make_server, states
from tests.support.matchmaking_calls import as_player, as_server
from tests.support.parties import party_of
from tests.support.webhooks import make_hook

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]
MAP = "Quillmarsh"
# What lists players whoever is in a lobby, and what only operators see.
ELSEWHERE = ("/api/v1/players/", "/queues/", "/admin/", "/metrics")
SHAPES = {"duel": (1, 2), "team": (3, 2), "eight": (1, 8)}  # players of a team, teams


def fill(shape: str, **settings: Any) -> tuple[Lobby, Player, set[str]]:
    """A lobby of `me` (who has a party if teams are large enough) and strangers, and what tells the strangers."""
    from matchmaking.queues.queueing import Wish, queue_party, queue_player

    size, teams = SHAPES[shape]
    mode = {"team_count": teams, "placement_matches": 1}
    queue = make_queue("duel", size=size, mode=mode, variants=[MAP], rematch_after=0, **settings)
    me = make_player("me", user=User.objects.create_user("me"))
    own = [me] if size == 1 else [me, make_player("mate")]
    if size == 1:
        queue_player(me, queue, wish=Wish(width=100), now=later(0))
    else:
        party_of(*own)
        queue_party(me, queue, wish=Wish(width=100), now=later(0))
    strangers = [
        make_player(f"key-of-wryneck{number}", pk=912_345_000 + number) for number in range(size * teams - len(own))
    ]
    for number, stranger in enumerate(strangers):
        Player.objects.filter(pk=stranger.pk).update(name=f"Wryneck{number}")
        queue_player(stranger, queue, wish=Wish(width=100), now=later(0))
    [lobby] = form(queue)
    return lobby, me, {"wryneck", "912345", MAP.lower()}


def pages(lobby: Lobby, *, near: bool) -> Iterator[str]:
    """Every address that is looked at; `near`: only of play, lobbies, tickets, parties, notices and the player."""
    ticket = Ticket.objects.filter(members__player__key="me").latest("pk")
    for _, method, address, _ in ROUTES:
        if near and not any(word in address for word in ("play/", "lobbies", "tickets", "part", "notif", "players/me")):
            continue
        if method == "GET" and (not address.startswith(ELSEWHERE) or address == "/api/v1/players/me/"):
            yield address.replace("{lobby}", lobby.pk).replace("{ticket}", str(ticket.pk)).replace("{match}", "1")


def text_of(response: Any) -> str:
    return b"".join(response).decode(errors="replace")  # some are pictures, some are streamed


def everything(lobby: Lobby, me: Player, *, near: bool) -> Iterator[tuple[str, str]]:
    """All that `me` gets to see, by address: pages and their live parts, calls by token and by key, the export."""
    token, key = make_token(me), make_key("servers", "players", "results", "read")
    browser = Client()
    browser.force_login(me.user)
    for address in pages(lobby, near=near):
        yield address, text_of(browser.get(address))
        yield f"{address} (part)", text_of(browser.get(address, headers={"HX-Request": "true"}))
        for who, bearer in (("player", token), ("key", key)):
            if address.startswith("/api/"):
                headers = {"Authorization": f"Bearer {bearer}"}
                yield f"{address} ({who})", text_of(Client().get(address, headers=headers))
    yield "export", "".join(export(me, NOW))
    yield "start", json.dumps(as_server("POST", f"lobbies/{lobby.pk}/start/", {"players": ["me"]}).body)


def leaks(lobby: Lobby, me: Player, secrets: set[str], *, near: bool = True) -> dict[str, set[str]]:
    seen = everything(lobby, me, near=near)
    found = {where: {secret for secret in secrets if secret in text.lower()} for where, text in seen}
    return {where: words for where, words in found.items() if words}


@pytest.mark.parametrize("shape", SHAPES)
def test_nothing_tells_who_plays_or_where_until_all_have_accepted(shape):
    make_hook(events=list(EVENTS))
    lobby, me, secrets = fill(shape)
    assert leaks(lobby, me, secrets, near=shape != "team") == {}
    told = as_player("POST", f"lobbies/{lobby.pk}/accept/", me).body
    size = lobby.queue.players_a_team * lobby.queue.mode.team_count
    assert {name: told[name] for name in ("blind", "teams", "variant", "size", "accepted", "balance", "server")} == {
        "blind": True, "teams": [], "variant": "", "size": size, "accepted": 1, "balance": "even", "server": None,
    }  # fmt: skip
    assert told["you"] == {"ranked": None, "of": size, "accepted": True, "ping": None, "stakes": None}
    own = [{"id": "me", "name": "me", "accepted": True}, {"id": "mate", "name": "mate", "accepted": False}]
    assert told["party"] == own[: 2 if shape == "team" else 1]
    assert (leaks(lobby, me, secrets), Delivery.objects.count()) == ({}, 0)


@pytest.mark.parametrize("shape", SHAPES)
def test_everything_is_told_once_all_have_accepted(shape):
    lobby, me, secrets = fill(shape)
    accept_all(lobby)
    told = as_player("GET", f"lobbies/{lobby.pk}/", me).body
    size, teams = SHAPES[shape]
    assert [len(team["players"]) for team in told["teams"]] == [size] * teams
    assert (told["blind"], told["you"]["ranked"], told["you"]["stakes"] is None) == (False, 1, False)
    found = leaks(lobby, me, secrets)
    assert (found[f"/lobbies/{lobby.pk}/"], found[f"/api/v1/lobbies/{lobby.pk}/ (player)"]) == (
        {"wryneck", MAP.lower()}, {"wryneck", MAP.lower()},
    )  # fmt: skip


@pytest.mark.parametrize("ends", ["declined", "let pass"])
def test_a_lobby_that_falls_through_stays_blind_for_good(ends):
    lobby, me, secrets = fill("team")
    accepting.note_seen(lobby.pk, me, now=later(2))
    if ends == "declined":
        accepting.decline(lobby.pk, me, now=later(2))
    else:
        accepting.expire_lobby(lobby.pk, now=later(60))
    assert (states(lobby), lobby.blind) == ([lifecycle.CANCELLED], True)
    assert leaks(lobby, me, secrets) == {}


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
    with pytest.raises(Refusal, match="to go now is to drop out"):
        accepting.decline(lobby.pk, one, now=later(4))
    playing.leave_lobby(lobby.pk, one, now=later(4))
    assert states(lobby) == [lifecycle.FORFEITED]
    assert Incident.objects.get().kind == "dropout"
    assert Change.objects.get().kind == Change.FORFEIT


@pytest.mark.parametrize(
    ("chances", "word"),
    [
        ((0.5, 0.5), EVEN), ((0.549, 0.451), EVEN), ((0.551, 0.449), FAVOURED), ((1.0, 0.0), FAVOURED),
        ((None, None), ""),
        ((0.125,) * 8, EVEN), ((0.14, *(0.86 / 7,) * 7), EVEN), ((0.2, *(0.8 / 7,) * 7), FAVOURED), ((), ""),
    ],
)  # fmt: skip
def test_how_even_a_match_is_in_a_word(chances, word):
    assert balance_of(chances) == word
