"""`/tickets/`: queue, look, cancel, as a player, as a party, on somebody's behalf; and how it is refused."""

import datetime as dt

import pytest

from matchmaking import lifecycle
from matchmaking.models import Formed, Ticket
from matchmaking.parties import parties
from ranking.models import Ban, Player
from ranking.rules.report import PlayerReport
from ranking.standings.publishing import publish
from tests.support.api import call, make_key, make_token
from tests.support.factories import NOW, ban_player, make_mode, record
from tests.support.matchmaking import accept_all, form, later, make_lobby, make_player, make_queue, start
from tests.support.matchmaking_calls import as_player, as_server, errors

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]


def queue(player, status=201, **said):
    answer = as_player("POST", "tickets/", player, {"mode": "duel", **said})
    assert answer.status == status, answer.body
    return answer.body


def make_party(*members):
    leader, *others = members
    for other in others:
        parties.accept_invitation(parties.invite(other, by=leader, now=NOW), by=other, now=NOW)
    return parties.find_party(leader)


def test_a_player_queues_looks_and_cancels(clock):
    make_queue(regions=["eu", "us"])
    player = make_player("fox")
    made = queue(player, width=5, strict=True, regions={"eu": 25, "us": 400})
    assert made == {
        "id": made["id"], "mode": "duel", "state": "waiting", "players": [{"id": "fox", "name": "fox"}], "party": None,
        "width": 5, "strict": True, "regions": {"eu": 25}, "queued_at": "2026-05-20T12:00:00Z", "waited": 0.0,
        "window": {"low": 45.0, "high": 55.0}, "widens_at": None, "within": 0, "others": 0, "estimate": None,
        "lobby": None, "ending": "", "warning": "",
    }  # fmt: skip
    clock(7)
    path = f"tickets/{made['id']}/"
    assert as_player("GET", path, player).body == {**made, "waited": 7.0}
    assert as_player("DELETE", path, player).status == 204
    after = as_player("GET", path, player).body
    assert (after["state"], after["ending"], after["window"]) == ("cancelled", "You left the queue.", None)
    again = as_player("DELETE", path, player)
    assert (again.status, again.body["detail"]) == (409, "This ticket is over. You left the queue.")


def test_a_loose_window_says_when_it_widens(clock):
    make_queue(default_width=20)
    player = make_player()
    made = queue(player)
    assert (made["window"], made["widens_at"]) == ({"low": 30, "high": 70}, "2026-05-20T12:00:20Z")
    clock(21)
    later_on = as_player("GET", f"tickets/{made['id']}/", player).body
    assert (later_on["window"], later_on["widens_at"]) == ({"low": 0, "high": 100}, None)


def test_who_waits_within_the_window_and_how_long_others_waited(clock):
    waits = make_queue()
    for _ in range(5):
        Formed.objects.create(queue=waits, formed_at=NOW, difference=0, spread=0, longest_wait=40,
                              waits=[[50, 1, 20], [55, 1, 40], [50, 4, 900]])  # fmt: skip
    for _ in range(3):
        queue(make_player())
    clock(10)
    told = queue(make_player())
    assert (told["within"], told["others"]) == (3, 3)
    assert told["estimate"] == {"typical": 30, "low": 20, "high": 40, "of": 10}


@pytest.mark.parametrize(("settings", "window"), [
    ({}, {"low": 40, "high": 60}), ({"shows_percentile": False}, None), ({"ranked": False}, None),
])  # fmt: skip
def test_where_in_the_percentiles_it_lies_is_for_modes_that_show_them(settings, window):
    make_queue(mode=settings)
    assert queue(make_player())["window"] == window


def test_a_party_is_queued_by_its_leader():
    make_queue(size=2)
    fox, owl, stranger = make_player("fox"), make_player("owl"), make_player("stranger")
    party = make_party(fox, owl)
    alone = as_player("POST", "tickets/", fox, {"mode": "duel"})
    assert (alone.status, alone.body["detail"][:18]) == (409, "You are in a party")
    by_member = as_player("POST", "tickets/", owl, {"mode": "duel", "party": party.pk})
    assert (by_member.status, by_member.body["detail"]) == (403, "Only the leader of your party can start the search.")
    assert as_player("POST", "tickets/", stranger, {"mode": "duel", "party": party.pk}).status == 404
    made = queue(fox, party=party.pk)
    assert (made["party"], [player["id"] for player in made["players"]]) == (party.pk, ["fox", "owl"])
    assert as_player("DELETE", f"tickets/{made['id']}/", owl).status == 204


def test_a_game_server_queues_on_behalf_and_newcomers_are_made():
    make_queue(size=2)
    make_player("fox")
    known = as_server("POST", "tickets/", {"mode": "duel", "player": "fox", "name": "Other"})
    new = as_server("POST", "tickets/", {"mode": "duel", "player": "n1", "name": "Newt"})
    assert [answer.body["players"] for answer in (known, new)] == [
        [{"id": "fox", "name": "fox"}],
        [{"id": "n1", "name": "Newt"}],
    ]
    party = make_party(make_player("a"), make_player("b"))
    of_party = as_server("POST", "tickets/", {"mode": "duel", "party": party.pk})
    assert [player["id"] for player in of_party.body["players"]] == ["a", "b"]
    path = f"tickets/{new.body['id']}/"
    assert as_server("GET", path).body["state"] == "waiting"
    assert [as_server("DELETE", path).status for _ in range(2)] == [204, 409]


def test_who_is_refused_is_not_made_a_player():
    make_queue(open=False)
    assert as_server("POST", "tickets/", {"mode": "duel", "player": "n1"}).status == 409
    assert not Player.objects.filter(key="n1").exists()


def test_a_key_for_other_modes_is_refused():
    make_queue()
    other = make_mode("other")
    body = {"mode": "duel", "player": "fox"}
    assert call("POST", "tickets/", body, key=make_key("servers", modes=[other])).status == 403
    [ticket] = [as_server("POST", "tickets/", body).body]
    assert call("GET", f"tickets/{ticket['id']}/", key=make_key("servers", modes=[other])).status == 403


def test_nobody_else_learns_of_a_ticket():
    make_queue()
    made, stranger = queue(make_player("fox")), make_player("stranger")
    for method in ("GET", "DELETE"):
        answer = as_player(method, f"tickets/{made['id']}/", stranger)
        assert (answer.status, answer.body["detail"]) == (404, f"There is no ticket {made['id']}.")
    assert Ticket.objects.get().state == lifecycle.WAITING


PLAYER_ONLY = "Only a key says this: a player queues as themself."


WRONG = [
    ({"mode": "nope"}, [("mode", "There is no mode 'nope'. The modes are bare, duel.")]),
    ({"mode": "bare"}, [("mode", "bare has no queue: an operator opens one in the admin.")]),
    ({"mode": None}, [("mode", "This field may not be null.")]),
    ({"width": 0}, [("width", "This must be at least 1.")]),
    ({"width": 101}, [("width", "This must be at most 100.")]),
    ({"width": 9.5}, [("width", "This must be a whole number.")]),
    ({"strict": 1}, [("strict", "This must be true or false.")]),
    ({"regions": ["eu"]}, [("regions", 'This must be an object, such as {"eu": 25}.')]),
    ({"regions": {"eu": "fast"}}, [("regions.eu", "This must be a number.")]),
    ({"regions": {"eu": -1}}, [("regions.eu", "This must be at least 0.")]),
    ({"regions": {"mars": 9}}, [("regions", "There is no region 'mars'; there are eu, us.")]),
    ({"regions": {"eu": 999}}, [("regions", "Your ping is above its limit in every region that you gave.")]),
    ({"regions": {str(n): 1 for n in range(63)}}, [("regions", "At most 62 regions; these are 63.")]),
    ({"ping_limit": 0}, [("ping_limit", "This must be at least 1.")]),
    ({"player": "owl"}, [("player", PLAYER_ONLY)]),
    ({"party": "x"}, [("party", "This must be a whole number.")]),
    ({"party": 10**15 + 1}, [("party", "This must be at most 1,000,000,000,000,000.")]),
]  # fmt: skip


def test_what_is_wrong_is_named():
    make_queue(regions=["eu", "us"])
    make_mode("bare")
    token = make_token(make_player())
    answers = [as_player("POST", "tickets/", token, {"mode": "duel", **said}) for said, _ in WRONG]
    assert [(answer.status, errors(answer)) for answer in answers] == [(400, faults) for _, faults in WRONG]
    assert not Ticket.objects.exists()


@pytest.mark.parametrize("said", [{}, {"player": "fox", "party": 1}])
def test_a_key_says_for_whom(said):
    make_queue()
    answer = as_server("POST", "tickets/", {"mode": "duel", **said})
    assert errors(answer) == [("player", "A key says for whom: give a player, or a party.")]


def test_a_party_that_there_is_not():
    make_queue()
    assert as_server("POST", "tickets/", {"mode": "duel", "party": 4711}).status == 404


def test_a_ban_and_a_lockout_are_refused_with_what_for_and_until_when():
    make_queue()
    banned, leaver = make_player("banned"), make_player("leaver")
    ban_player(banned, scope=Ban.QUEUE, by=None, reason="Cheating", now=NOW, ends_at=NOW + dt.timedelta(days=1))
    record(["a"], [PlayerReport(id="leaver", left_early=True)])
    answers = [as_player("POST", "tickets/", player, {"mode": "duel"}) for player in (banned, leaver)]
    assert [answer.status for answer in answers] == [403, 403]
    assert (
        answers[0]
        .body["detail"]
        .startswith(
            "You can’t queue for Duel now. You are banned from queues until 21 May 2026 at 12:00 UTC: Cheating."
        )
    )
    assert "You left a match on 20 May 2026 at 12:00 UTC" in answers[1].body["detail"]


def test_lock_in_until_the_result():
    lobby, people = make_lobby(make_queue())
    matched = as_player("POST", "tickets/", people[0], {"mode": "duel"})
    assert (matched.status, matched.body["detail"]) == (409, "You are about to play Duel: a match was found.")
    start(accept_all(lobby))
    playing = as_player("POST", "tickets/", people[0], {"mode": "duel"})
    assert (playing.status, playing.body["detail"]) == (
        409, "Your match in Duel is still running, even if you left it. You can queue again when its result is in.",
    )  # fmt: skip
    record([people[0].key], [people[1].key], lobby=lobby.pk, now=later(60), ended_at=later(60))
    assert as_player("POST", "tickets/", people[0], {"mode": "duel"}).status == 201


def test_a_strict_filter_that_fits_nobody_is_told_so(clock):
    waits = make_queue()
    for number in range(20):
        record([f"p{number:02}"], [f"q{number:02}"])
    record(["p00"], ["q01"])
    publish(waits.mode, now=NOW)
    clock(0)
    told = queue(Player.objects.get(key="p00"), width=1, strict=True)["warning"]
    assert told.startswith("Your rank filter holds no other listed player of Duel")


def test_a_matched_ticket_names_its_lobby_and_is_not_cancelled():
    waits = make_queue()
    fox = make_player("fox")
    made = queue(fox)
    queue(make_player())
    [lobby] = form(waits)
    told = as_player("GET", f"tickets/{made['id']}/", fox).body
    assert (told["state"], told["lobby"], told["within"]) == ("matched", lobby.pk, None)
    answer = as_player("DELETE", f"tickets/{made['id']}/", fox)
    assert (answer.status, answer.body["detail"]) == (409, "A match was found: decline it, or leave its lobby.")


def test_query_counts(clock, django_assert_num_queries):
    waits = make_queue(size=3)
    counted = []
    for size in (1, 3):
        members = [make_player() for _ in range(size)]
        party = make_party(*members) if size > 1 else None
        made = queue(members[0], **({"party": party.pk} if party else {}))
        clock(100 * size)
        token = make_token(members[0])
        with django_assert_num_queries(8):
            counted.append(as_player("GET", f"tickets/{made['id']}/", token).body["players"])
    assert [len(players) for players in counted] == [1, 3]
    assert waits.pk


def test_a_client_that_lost_the_number_finds_the_ticket():
    make_queue()
    fox, owl = make_player("fox"), make_player("owl")
    assert as_player("GET", "tickets/", fox).body == {"items": [], "next": None}
    made = queue(fox)
    assert as_player("GET", "tickets/", fox).body == {"items": [made], "next": None}
    assert as_server("GET", "tickets/?player=fox").body == {"items": [made], "next": None}
    assert as_player("GET", "tickets/", owl).body["items"] == []
    assert as_server("GET", "tickets/?player=owl").body["items"] == []
    as_player("DELETE", f"tickets/{made['id']}/", fox)
    assert as_player("GET", "tickets/", fox).body["items"] == []


def test_the_ticket_of_a_match_is_live_until_its_end():
    lobby, [player, _] = make_lobby(make_queue())
    start(accept_all(lobby))
    [ticket] = as_player("GET", "tickets/", player).body["items"]
    assert (ticket["state"], ticket["lobby"]) == ("playing", lobby.pk)


def test_who_asks_for_whose_ticket():
    queue_of_duels, fox = make_queue(), make_player("fox")
    queue(fox)
    own = as_player("GET", "tickets/?player=fox", fox)
    assert (own.status, errors(own)) == (
        400, [("player", "Only a key says this: a player asks for their own ticket.")],
    )  # fmt: skip
    assert errors(as_server("GET", "tickets/")) == [("player", "A key says whose: give a player.")]
    assert as_server("GET", "tickets/?player=nobody").status == 404
    assert as_server("GET", "tickets/?player=fox", scopes=("results",)).status == 403
    other = as_server("GET", "tickets/?player=fox", modes=[make_mode("other")])
    assert (other.status, other.body["code"]) == (403, "other-mode")
    assert as_server("GET", "tickets/?player=fox", modes=[queue_of_duels.mode]).status == 200
    assert call("GET", "tickets/").status == 401


def test_busy_names_the_callers_own_ticket_and_nobody_elses():
    make_queue(size=2)
    fox, owl = make_player("fox"), make_player("owl")
    made = queue(fox)
    again = queue(fox, 409)
    assert (again["code"], again["ticket"]) == ("busy", made["id"])
    named = as_server("POST", "tickets/", {"mode": "duel", "player": "fox"})
    assert (named.status, named.body["ticket"]) == (409, made["id"])
    as_player("DELETE", f"tickets/{made['id']}/", fox)
    party = make_party(owl, fox)
    made = queue(owl, party=party.pk)
    assert queue(owl, 409, party=party.pk)["ticket"] == made["id"]


def test_busy_does_not_name_a_companions_ticket():
    duel = make_queue(size=2)
    fox, owl = make_player("fox"), make_player("owl")
    party = make_party(owl, fox)
    queue_up_beside(duel, fox)
    refused = queue(owl, 409, party=party.pk)
    assert (refused["code"], "ticket" in refused) == ("busy", False)


def queue_up_beside(queue_of_duels, player):
    """A live ticket of somebody who is in a party, as one has who joins it in the same moment."""
    ticket = Ticket.objects.create(queue=queue_of_duels, size=1, queued_at=NOW, waiting_since=NOW)
    ticket.members.create(player=player, strength=0, display_hundredths=0, percentile=50, width=100, strict=False)
