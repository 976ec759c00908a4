"""`/lobbies/{id}/abort/` and `…/close/`: the server, or a moderator in their own name, calls a match off."""

import pytest

from matchmaking import lifecycle
from matchmaking.models import Lobby
from ranking.models import AuditEntry
from tests.support.acts_by_api import make_author
from tests.support.api import call, make_key
from tests.support.matchmaking import accept_all, make_lobby, make_queue, start, states
from tests.support.matchmaking_calls import as_player, as_server, errors, heartbeat

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]

WHY = {"reason": "The map crashed."}


def abort(lobby, body=WHY, **more):
    return as_server("POST", f"lobbies/{lobby.pk}/abort/", body, **more)


def close(lobby, **body):
    given = {"author": "the moderator", "reason": "It hangs.", "note": "Server 7 again.", **body}
    return call("POST", f"lobbies/{lobby.pk}/close/", given, key=make_key("moderate"))


def live():
    queue = make_queue()
    heartbeat()
    lobby, people = make_lobby(queue)
    return start(accept_all(lobby)), people


def test_a_server_calls_its_match_off_and_asks_again():
    lobby, people = live()
    told = abort(lobby, {**WHY, "name": "eu1"})
    assert (told.status, told.body["state"]) == (200, "aborted")
    assert told.body["ending"] == "The match was called off: The map crashed."
    assert heartbeat().body["lobby"] is None
    assert abort(lobby).body == told.body
    mine = as_player("GET", f"lobbies/{lobby.pk}/", people[0]).body
    assert (mine["state"], mine["ending"]) == ("aborted", told.body["ending"])


FAULTS = (
    ({}, ("reason", "This field is required.")),
    ({"reason": " "}, ("reason", "This can't be empty.")),
    ({"reason": "x" * 201}, ("reason", "This has 201 characters; at most 200 fit.")),
    ({"reason": "x\u202ey"}, ("reason", "This can't hold the character U+202E.")),
    ({**WHY, "why": "x"}, ("why", "There is no such field here; known are reason, name.")),
)


def test_bodies_that_are_refused():
    lobby, _ = live()
    answers = [(body, abort(lobby, body)) for body, _ in FAULTS]
    told = [(body, answer.status, errors(answer)) for body, answer in answers]
    assert told == [(body, 400, [fault]) for body, fault in FAULTS]
    assert states(lobby) == [lifecycle.LIVE]


def test_others_learn_nothing():
    lobby, people = live()
    assert abort(lobby, {**WHY, "name": "eu2"}).status == 404
    assert abort(lobby, scopes=("results",)).status == 403
    assert as_player("POST", f"lobbies/{lobby.pk}/abort/", people[0], WHY).status == 403
    assert as_server("POST", "lobbies/nothing/abort/", WHY).status == 404
    assert states(lobby) == [lifecycle.LIVE]


def test_not_before_all_have_accepted_and_not_after_its_end():
    queue = make_queue()
    heartbeat()
    lobby, _ = make_lobby(queue)
    assert (abort(lobby).status, abort(lobby).body["code"]) == (409, "not-ready")
    Lobby.objects.filter(pk=lobby.pk).update(state=lifecycle.CANCELLED, closed_at=lobby.formed_at)
    assert (abort(lobby).status, abort(lobby).body["code"]) == (409, "over")


def test_a_moderator_closes_a_lobby_once():
    make_author("moderator")
    lobby, _ = live()
    told = close(lobby)
    assert (told.status, told.body["state"]) == (200, "aborted")
    assert told.body["ending"] == "A moderator called the match off: It hangs."
    assert close(lobby, reason="Again.").body == told.body
    entry = AuditEntry.objects.get()
    assert (entry.act, entry.who, entry.reason, entry.note) == (
        "close lobby",
        "the moderator",
        "It hangs.",
        "Server 7 again.",
    )


def test_closing_what_has_ended_otherwise_is_refused():
    make_author("moderator")
    lobby, _ = live()
    Lobby.objects.filter(pk=lobby.pk).update(state=lifecycle.FINISHED, closed_at=lobby.formed_at)
    answer = close(lobby)
    assert (answer.status, answer.body["code"], AuditEntry.objects.count()) == (409, "over", 0)
