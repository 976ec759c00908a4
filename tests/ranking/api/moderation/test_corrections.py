"""`POST matches/{number}/correct/`: what it takes, what it answers, and which field it refuses."""

from typing import Any

import pytest

from ranking.models import Match
from ranking.moderation.voids import void
from tests.support.acts_by_api import TEXTS
from tests.support.api import Answer, call, make_key
from tests.support.factories import NOW, make_mode, make_report, make_source, record_result

pytestmark = pytest.mark.django_db
TEAMS = [{"score": 2, "players": [{"id": "a"}]}, {"score": 1, "players": [{"id": "b"}]}]


@pytest.fixture
def match() -> Match:
    make_mode()
    sent = make_report(["a"], ["b"], id="m1", places=(2, 1), variant="dust", server="s1", duration=60.0, lobby="L")
    record = record_result(sent, source=make_source(), now=NOW, elsewhere=True).record
    assert record is not None
    return record.match


def correct(match: Match, result: Any, *, modes: Any = ()) -> Answer:
    body = {"author": "mod", **TEXTS, "result": result}
    return call("POST", f"matches/{match.pk}/correct/", body, key=make_key("moderate", modes=modes))


def test_the_answer_is_about_the_new_match(match: Match) -> None:
    answer = correct(match, {"teams": TEAMS})
    new = Match.objects.get(replaces=match)
    wanted = {"number": new.pk, "id": "m1 corrected", "mode": "duel", "state": "rated", "rerating": True}
    assert (answer.status, answer.body) == (200, {**wanted, "replaces": match.pk})
    names = ("ended_at", "duration", "variant", "server", "lobby")
    assert [getattr(new, name) for name in names] == [getattr(match, name) for name in names]


@pytest.mark.parametrize(
    "more",
    [{"id": "m1", "mode": "duel", "lobby": "L"}, {"variant": "", "duration": 90, "ended_at": "2026-05-20T11:00:00Z"}],
)
def test_what_is_given_counts(match: Match, more: dict[str, Any]) -> None:
    assert correct(match, {"teams": TEAMS, **more}).status == 200
    new = Match.objects.get(replaces=match)
    assert (new.variant, new.duration, new.ended_at.hour) == (("dust", 60.0, 12) if "id" in more else ("", 90.0, 11))


@pytest.mark.parametrize(
    ("result", "field"),
    [
        (None, "result"),
        ([], "result"),
        ({}, "result.teams"),
        ({"teams": TEAMS, "mode": "other"}, "result.mode"),
        ({"teams": TEAMS, "id": "m2"}, "result.id"),
        ({"teams": TEAMS, "lobby": "M"}, "result.lobby"),
        ({"teams": TEAMS, "author": "x"}, "result.author"),
        ({"teams": [TEAMS[0], {"players": [{"id": "b", "seconds": -1}]}]}, "result.teams[1].players[0].seconds"),
        ({"teams": [TEAMS[0], {"players": [{"id": "b"}]}]}, "result.teams[1].score"),
        ({"teams": TEAMS[:1]}, "result.teams"),
    ],
)
def test_a_bad_result_names_its_field(match: Match, result: Any, field: str) -> None:
    answer = correct(match, result)
    assert (answer.status, answer.fields, Match.objects.count()) == (400, [field], 1)


def test_what_can_not_be_corrected(match: Match) -> None:
    same = correct(match, {"teams": [{"place": 2, "players": [{"id": "a"}]}, {"place": 1, "players": [{"id": "b"}]}]})
    assert (same.status, same.body["code"]) == (409, "conflict")
    void([match], by=None, reason="x", now=NOW)
    answer = correct(match, {"teams": TEAMS})
    assert (answer.status, answer.body["detail"]) == (409, "This match is void: restore it first.")


def test_the_wrong_one_is_not_restored_beside_the_right_one(match: Match) -> None:
    assert correct(match, {"teams": TEAMS}).status == 200
    answer = call("POST", f"matches/{match.pk}/restore/", {"author": "mod", **TEXTS}, key=make_key("moderate"))
    assert (answer.status, answer.body["code"]) == (409, "conflict")
