"""`/parties/`: invite, accept, decline, leave, remove, hand over, take back; and who may."""

import pytest

from leaderboards.people.following import block_player
from matchmaking.models import Party, PartyMember, Ticket
from tests.support.api import make_token
from tests.support.factories import NOW
from tests.support.matchmaking import make_player, make_queue
from tests.support.matchmaking_calls import as_player, errors

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]


@pytest.fixture
def three():
    make_queue(size=3)
    return make_player("fox"), make_player("owl"), make_player("elk")


def say(player, verb, named=None, status=200):
    body = None if named is None else {"player": named.key}
    answer = as_player("POST", f"parties/me/{verb}/", player, body)
    assert answer.status == status, answer.body
    return answer.body


def look(player):
    return as_player("GET", "parties/me/", player).body


def join(leader, player):
    say(leader, "invite", player)
    [invitation] = look(player)["invitations"]
    answer = as_player("POST", f"parties/{invitation['party']}/accept/", player)
    assert answer.status == 200, answer.body
    return answer.body


def who(body):
    return [(player["id"], player["leads"]) for player in body["party"]["players"]]


def test_invite_accept_look_leave(three):
    fox, owl, _ = three
    assert look(fox) == {"party": None, "invitations": []}
    made = say(fox, "invite", owl)
    number = Party.objects.get().pk
    moment = "2026-05-20T12:00:00Z"
    assert made == {
        "party": {"id": number, "players": [{"id": "fox", "name": "fox", "leads": True, "joined_at": moment}],
                  "invited": [{"id": "owl", "name": "owl", "invited_at": moment}]},
        "invitations": [],
    }  # fmt: skip
    assert look(owl)["invitations"] == [
        {"party": number, "by": {"id": "fox", "name": "fox"}, "invited_at": moment},
    ]
    joined = as_player("POST", f"parties/{number}/accept/", owl).body
    assert (who(joined), joined["party"]["invited"], joined["invitations"]) == ([("fox", True), ("owl", False)], [], [])
    assert say(fox, "leave") == {"party": None, "invitations": []}
    assert look(owl)["party"] is None
    assert not Party.objects.exists()
    assert say(owl, "leave")["party"] is None


def test_declined_and_taken_back(three):
    fox, owl, elk = three
    number = say(fox, "invite", owl)["party"]["id"]
    say(fox, "invite", elk)
    assert as_player("POST", f"parties/{number}/decline/", owl).body == {"party": None, "invitations": []}
    assert say(fox, "withdraw", elk)["party"] is None
    for player in (owl, elk):
        late = as_player("POST", f"parties/{number}/accept/", player)
        assert (late.status, late.body["detail"]) == (409, "This invitation was taken back.")


def test_only_the_leader_sends_away_and_hands_over(three):
    fox, owl, elk = three
    join(fox, owl)
    assert say(owl, "remove", fox, 403)["detail"] == "Only the leader of a party can remove somebody."
    assert say(owl, "lead", owl, 403)["detail"] == "You lead no party."
    assert say(fox, "lead", elk, 409)["detail"] == "elk isn’t in your party."
    assert who(say(fox, "lead", owl)) == [("fox", False), ("owl", True)]
    assert say(owl, "remove", fox)["party"] is None


def test_a_ticket_ends_with_who_leaves(three):
    fox, owl, _ = three
    number = join(fox, owl)["party"]["id"]
    assert as_player("POST", "tickets/", fox, {"mode": "duel", "party": number}).status == 201
    say(owl, "leave")
    assert (Ticket.objects.get().state, Ticket.objects.get().ending) == ("cancelled", "owl left your party.")


def test_refusals_are_sentences(three):
    fox, owl, elk = three
    assert errors_of(fox, "invite", {"player": "fox"}) == [("player", "You are in your party already.")]
    assert errors_of(fox, "invite", {}) == [("player", "This field is required.")]
    assert errors_of(fox, "invite", {"player": 7}) == [("player", "This must be a string.")]
    assert as_player("POST", "parties/me/invite/", fox, {"player": "nobody"}).status == 404
    block_player(elk, fox, now=NOW)
    assert say(fox, "invite", elk, 403)["detail"] == "You can’t invite elk."
    join(fox, owl)
    assert say(fox, "invite", owl, 409)["detail"] == "owl is in your party already."


def errors_of(player, verb, body):
    answer = as_player("POST", f"parties/me/{verb}/", player, body)
    assert answer.status == 400
    return errors(answer)


def test_pings_for_when_the_leader_queues(three):
    fox, owl, _ = three
    path, body = "parties/me/pings/", {"regions": {"eu": 30}, "ping_limit": 90}
    assert as_player("PUT", path, owl, body).status == 404
    join(fox, owl)
    assert as_player("PUT", path, owl, body).status == 200
    member = PartyMember.objects.get(player=owl)
    assert (member.pings, member.ping_limit) == ({"eu": 30}, 90)
    bad = as_player("PUT", path, owl, {"regions": {"eu": True}})
    assert errors(bad) == [("regions.eu", "This must be a number.")]


def test_query_counts(three, django_assert_num_queries):
    fox, *others = three
    join(fox, others[0])
    for _ in range(2):
        token = make_token(fox)
        with django_assert_num_queries(5):
            look(token)
        if len(look(fox)["party"]["players"]) == 2:
            join(fox, others[1])
