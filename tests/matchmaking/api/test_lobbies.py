"""`/lobbies/{id}/`: what is at stake, seen, accept, decline, leave; for its players, and for nobody else."""

import pytest
import time_machine

from matchmaking import lifecycle
from matchmaking.models import Lobby, TicketMember
from matchmaking.queues.queueing import find_ticket
from ranking.models import Ban, Change, Incident, Player
from ranking.standings.publishing import publish
from tests.support.api import call, make_token
from tests.support.factories import NOW, record
from tests.support.matchmaking import (  # fmt: skip
    accept_all,
    form,
    later,
    make_lobby,
    make_player,
    make_queue,
    make_server,
    people_of,
    queue_up,
    start,
)
from tests.support.matchmaking_calls import as_player, as_server

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]


def lobby_of(**settings):
    """A lobby of a and b, who have met before, a having won; and the two."""
    mode = settings.pop("mode", {})
    settings = {"accepting": "open", "rematch_after": 0, **settings}
    queue = make_queue(variants=["Foundry"], mode={"placement_matches": 1, **mode}, **settings)
    record(["a"], ["b"])
    publish(queue.mode, now=NOW)
    a, b = (Player.objects.get(key=key) for key in ("a", "b"))
    for player in (a, b):
        queue_up(queue, player, width=100)
    [lobby] = form(queue)
    return lobby, a, b


def act(lobby, player, verb, status=200):
    answer = as_player("POST", f"lobbies/{lobby.pk}/{verb}/", player)
    assert answer.status == status, answer.body
    return answer.body


def look(lobby, player):
    return as_player("GET", f"lobbies/{lobby.pk}/", player).body


def test_what_a_player_sees():
    lobby, a, _ = lobby_of()
    one, other = (
        {"id": key, "name": key, "place": place, "rank": place, "rating": rating, "percentile": percentile,
         "tier": tier, "party": None, "accepted": False}
        for key, place, rating, percentile, tier in
        (("a", 1, "25.26", 100, "Master"), ("b", 2, "24.74", 1, "Bronze III"))
    )  # fmt: skip
    told = look(lobby, a)
    sides = sorted(told.pop("teams"), key=lambda team: team["players"][0]["place"])
    assert [team["players"] for team in sides] == [[one], [other]]
    assert round(sum(team["win_probability"] for team in sides), 9) == 1
    assert sides[0]["win_probability"] > 0.5
    first = {"rank": 1, "listed": 2, "percentile": 100, "tier": "Master"}
    second = {"rank": 2, "listed": 2, "percentile": 1, "tier": "Bronze III"}
    assert told == {
        "id": lobby.pk, "mode": "duel", "state": "accepting", "region": "", "variant": "Foundry", "blind": False,
        "size": 2, "accepted": 0, "balance": "even", "server": None,
        "party": [{"id": "a", "name": "a", "accepted": False}],
        "formed_at": "2026-05-20T12:00:01Z", "accept_until": "2026-05-20T12:00:21Z", "started_at": None,
        "closed_at": None, "ending": "", "match": None,
        "you": {"ranked": 1, "of": 2, "absence": "", "accepted": False, "ping": None,
                "stakes": {"win": "+0.24", "draw": "-0.02", "loss": "-0.28", "places": [], "margins": [],
                           "standings": {"now": first, "win": first, "draw": first, "loss": second}}},
    }  # fmt: skip


def test_the_match_does_what_was_at_stake():
    lobby, a, b = lobby_of()
    stakes = look(lobby, b)["you"]["stakes"]
    record(["b"], ["a"], ended_at=later(60), now=later(60))
    change = Change.objects.get(player=b, outcome="win")
    assert stakes["win"] == f"+{(change.display_after - change.display_before) / 100:.2f}"
    assert a.pk


@pytest.mark.parametrize("settings", [{"ranked": False}, {"shows_rating": False}])
def test_nothing_is_said_that_the_mode_does_not_show(settings):
    lobby, a, _ = lobby_of(mode=settings)
    told = look(lobby, a)
    ranked = settings.get("ranked", True)
    assert (told["you"]["stakes"], told["you"]["ranked"]) == (None, 1 if ranked else None)
    assert [team["win_probability"] for team in told["teams"]] == [None, None]
    player = next(player for team in told["teams"] for player in team["players"] if player["id"] == "a")
    shown = [player[name] for name in ("rating", "place", "rank", "percentile", "tier")]
    assert shown == [None, *([1, 1, 100, "Master"] if ranked else [None] * 4)]


def test_both_accept_and_a_server_hosts_them(clock):
    lobby, a, b = lobby_of()
    make_server(lobby.queue.mode, address="203.0.113.5:7777")
    assert act(lobby, a, "seen")["you"]["accepted"] is False
    assert act(lobby, a, "accept")["you"]["accepted"] is True
    assert act(lobby, a, "accept")["state"] == "accepting"
    done = act(lobby, b, "accept")
    assert (done["state"], done["server"]) == (
        "ready", {"name": "", "region": "eu", "address": "203.0.113.5:7777"},
    )  # fmt: skip
    start(lobby)
    record(["a"], ["b"], lobby=lobby.pk, now=later(60), ended_at=later(60))
    over = look(lobby, a)
    assert (over["state"], over["match"], over["you"]["stakes"]) == (
        "finished", Lobby.objects.get().match_id, None,
    )  # fmt: skip


def test_one_declines_and_the_other_waits_again():
    lobby, a, b = lobby_of()
    act(lobby, a, "seen")
    over = act(lobby, a, "decline")
    assert (over["state"], over["ending"]) == ("cancelled", "Somebody declined.")
    assert Incident.objects.get().kind == Incident.MISSED
    assert TicketMember.objects.get(player=b, live=True).ticket.state == lifecycle.WAITING
    assert look(lobby, b)["state"] == "cancelled"
    for verb in ("seen", "accept", "decline", "leave"):
        assert act(lobby, b, verb, 409)["detail"] == "This lobby fell through."


def test_dropping_out_costs_rating():
    lobby, a, b = lobby_of()
    assert act(lobby, a, "leave", 409)["detail"] == "Not everybody has accepted yet: decline instead."
    accept_all(lobby)
    assert act(lobby, a, "decline", 409)["detail"].startswith("Everybody has accepted, so you can’t decline")
    assert act(lobby, a, "leave")["state"] == "forfeited"
    forfeit = Change.objects.get(kind=Change.FORFEIT)
    assert forfeit.player == a
    assert forfeit.display_after < forfeit.display_before
    assert TicketMember.objects.get(player=b, live=True).ticket.state == lifecycle.WAITING


def test_a_running_match_is_not_left_here():
    lobby, people = make_lobby(make_queue())
    start(accept_all(lobby))
    assert act(lobby, people[0], "leave", 409)["detail"].startswith("The match is running")


def test_too_late(clock):
    lobby, a, _ = lobby_of()
    clock(30)
    assert act(lobby, a, "accept", 409)["detail"] == "It is too late to accept this match."


def test_nobody_else_learns_of_a_lobby():
    lobby, _ = make_lobby(make_queue())
    stranger, told, statuses = make_player(), {}, {}
    verbs = ("", "seen/", "accept/", "decline/", "leave/")
    for verb in verbs:
        method = "POST" if verb else "GET"
        for key in (lobby.pk, "nothing"):
            answer = as_player(method, f"lobbies/{key}/{verb}", stranger)
            told[verb, key] = answer.status, answer.body["detail"]
        statuses[verb] = as_server(method, f"lobbies/{lobby.pk}/{verb}").status
    assert told == {(verb, key): (404, f"There is no lobby {key!r}.") for verb, key in told}
    assert (len(told), statuses) == (10, dict.fromkeys(verbs, 403))


def test_query_counts(django_assert_num_queries):
    for slug, size in (("one", 1), ("three", 3)):
        lobby, people = make_lobby(make_queue(slug, size=size))
        token = make_token(people[0])
        with django_assert_num_queries(6):
            assert look(lobby, token)["teams"] == []
        accept_all(lobby)
        with django_assert_num_queries(8):  # of which one asks who is banned, once the stakes are computed anew
            told = look(lobby, token)
        with django_assert_num_queries(7):
            assert look(lobby, token) == told
        assert [len(team["players"]) for team in told["teams"]] == [size, size]
        assert people_of(lobby) == people


def test_region_and_ping():
    queue = make_queue(regions=["eu", "us"])
    players = [queue_up(queue, width=100, pings={"eu": ping, "us": 90}).members.get().player for ping in (20, 40)]
    [lobby] = form(queue)
    assert [(look(lobby, player)["region"], look(lobby, player)["you"]["ping"]) for player in players] == [
        ("eu", 20.0),
        ("eu", 40.0),
    ]


@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "a"}])
def test_a_banned_player_who_accepts_ends_the_lobby(headers):
    with time_machine.travel(later(0), tick=False) as clock:
        lobby, [banned, other] = make_lobby(make_queue())
        Ban.objects.create(player=banned, scope="queue", reason="Cheating", starts_at=later(1))
        clock.move_to(later(2))
        answer = call("POST", f"lobbies/{lobby.pk}/accept/", key=make_token(banned), **headers)
    lobby.refresh_from_db()
    assert (answer.status, lobby.state, find_ticket(other).state) == (403, "cancelled", "waiting")
