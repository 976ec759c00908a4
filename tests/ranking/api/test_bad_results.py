"""POST /api/v1/matches/ with what is wrong: 400, every field by its path, and nothing written."""

import pytest

from tests.support.api import counts, moment, post_match, raw, result, with_player, with_team
from tests.support.factories import make_mode
from tests.support.savepoints import rolled_back

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _duel():
    make_mode()


def test_bad_results_name_the_field_and_write_nothing(subtests):
    for sent, field in [
        # times
        (result(ended_at=moment(minutes=5, seconds=10)), "ended_at"),
        (result(ended_at=None, started_at=moment(seconds=0)), "ended_at"),
        (result(ended_at=None), "ended_at"),
        (result(started_at=moment(minutes=1)), "ended_at"),
        (result(started_at=moment(days=-31)), "started_at"),
        (result(started_at="2026-01-31T18:00:00"), "started_at"),
        (result(ended_at="2026-01-31"), "ended_at"),
        (result(ended_at="2016-12-31T23:59:60Z"), "ended_at"),
        (result(ended_at="2026-02-29T00:00:00Z"), "ended_at"),
        (result(ended_at="0000-01-01T00:00:00Z"), "ended_at"),
        (result(ended_at="0001-01-01T00:00:00+14:00"), "ended_at"),
        (result(ended_at="9999-12-31T23:59:59-14:00"), "ended_at"),
        (result(ended_at="2026-01-31T18:00:00+24:00"), "ended_at"),
        (result(ended_at="２０２６-01-31T18:00:00Z"), "ended_at"),
        (result(ended_at="yesterday"), "ended_at"),
        (result(ended_at=1_800_000_000), "ended_at"),
        (result(ended_at=["2026-01-31T18:00:00Z"]), "ended_at"),
        (result(duration=-1), "duration"),
        (result(duration=31 * 86_400), "duration"),
        (with_player(seconds=-0.5), "teams[1].players[0].seconds"),
        (with_player(seconds=605.01), "teams[1].players[0].seconds"),
        (result(duration=None) | {"teams": with_player(seconds=1e11)["teams"]}, "teams[1].players[0].seconds"),
        (with_player(absences=[[-1, 5]]), "teams[1].players[0].absences[0][0]"),
        (with_player(absences=[[5, 5]]), "teams[1].players[0].absences"),
        (with_player(absences=[[1, 2], [9, 606]]), "teams[1].players[0].absences"),
        (with_player(absences=[[1, 2, 3]]), "teams[1].players[0].absences[0]"),
        (with_player(absences=[[1, 2]] * 101), "teams[1].players[0].absences"),
        # who and where
        (with_player(id="a"), "teams[1].players[0].id"),
        (result(mode="nowhere"), "mode"),
        (result(teams=result()["teams"][:1]), "teams"),
        (result(teams=[*result()["teams"], {"score": 0, "players": [{"id": "c"}]}]), "teams"),
        (result(teams=[]), "teams"),
        (with_team(players=[]), "teams[1].players"),
        (with_team(players=[{"id": f"p{number}"} for number in range(7)]), "teams[1].players"),
        (with_team(players=[{"id": f"p{number}"} for number in range(201)]), "teams"),
        (with_team(place=1), "teams[0].place"),
        (with_team(score=None), "teams[1].score"),
        (with_team(place=0), "teams[1].place"),
        # numbers
        (raw(duration="1e999"), "duration"),
        (raw(duration="9" * 30), "duration"),
        (raw(duration="9" * 5000), "duration"),
        (raw(rounds="9" * 5000), "rounds"),
        (raw(rounds="-1"), "rounds"),
        (raw(rounds="3.0"), "rounds"),
        (with_team(score=1e13), "teams[1].score"),
        (with_team(score=-(10**400)), "teams[1].score"),
        # types
        (result(duration="600"), "duration"),
        (result(duration=True), "duration"),
        (result(rounds=True), "rounds"),
        (result(id=7), "id"),
        (result(variant=["x"]), "variant"),
        (result(teams={"0": {}}), "teams"),
        (result(teams="ab"), "teams"),
        (result(teams=[None, 3]), "teams[0]"),
        (with_team(players=[["b"]]), "teams[1].players[0]"),
        (with_team(score="1"), "teams[1].score"),
        (with_player(left_early=1), "teams[1].players[0].left_early"),
        (with_player(left_early="yes"), "teams[1].players[0].left_early"),
        (with_player(stats=[1]), "teams[1].players[0].stats"),
        (with_player(stats={"kills": "3"}), "teams[1].players[0].stats.kills"),
        (with_player(stats={"kills": None}), "teams[1].players[0].stats.kills"),
        (with_player(stats={f"s{n}": n for n in range(65)}), "teams[1].players[0].stats"),
        (with_player(stats={"k" * 65: 1}), "teams[1].players[0].stats"),
        # texts
        (result(id=""), "id"),
        (result(id=" m-1"), "id"),
        (result(id="x" * 129), "id"),
        (result(id="x\u0000"), "id"),
        (result(id="x\ud800"), "id"),
        (result(id="x\u200b"), "id"),
        (result(variant="x" * 65), "variant"),
        (result(region="x" * 33), "region"),
        (result(server="\u202egnp"), "server"),
        (with_team(name="x" * 65), "teams[1].name"),
        (with_player(id="x" * 129), "teams[1].players[0].id"),
        (with_player(party="x" * 65), "teams[1].players[0].party"),
        (with_player(stats={"\u0000": 1}), "teams[1].players[0].stats"),
        (with_player(name="x" * 65), "teams[1].players[0].name"),
        (with_player(name="Kes\ntrel"), "teams[1].players[0].name"),
        (with_player(name="Kes\u202etrel"), "teams[1].players[0].name"),
        (with_player(name="Kes\ud83dtrel"), "teams[1].players[0].name"),
        (with_player(name="K\u0435strel"), "teams[1].players[0].name"),
        (with_player(name="\u3164"), "teams[1].players[0].name"),
        # fields
        (result(winner="a"), "winner"),
        (with_team(rank=1), "teams[1].rank"),
        (with_player(kills=1), "teams[1].players[0].kills"),
        (result(**{"\ud800": 1}), "\\ud800"),
        (result(**{"x" * 1000: 1}), "x" * 200),
        (raw(id="[" * 600 + "]" * 600), "id"),
        ([], ""),
        ("text", ""),
        (3, ""),
    ]:  # fmt: skip
        with subtests.test(sent=sent), rolled_back():
            answer = post_match(sent)
            assert (answer.status, answer.fields[:1]) == (400, [field])
            assert set(counts().values()) == {0, 1}  # the mode's first parameters are an event
            assert counts()["Event"] == 1


def test_what_is_no_json_is_refused(subtests):
    for sent, sentence in [
        (b"{", "This isn't JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)."),
        (raw(duration="NaN"), "This isn't JSON: NaN is no JSON number."),
        (raw(duration="-Infinity"), "This isn't JSON: -Infinity is no JSON number."),
        (b'{"id": "a", "mode": "b", "id": "c"}', "This isn't JSON: an object names the field 'id' twice."),
        (b'{"\\ud800": 1, "\\ud800": 2}', "This isn't JSON: an object names the field '\\ud800' twice."),
        (b'{"id": "\xff"}', "This isn't JSON: byte 8 isn't UTF-8."),
        ('{"id": "é"}'.encode("utf-16"), "This isn't JSON: byte 0 isn't UTF-8."),
        (b"[" * 400_000, "This isn't JSON: it is nested too deeply."),
        (b'{"a":' * 150_000, "This isn't JSON: it is nested too deeply."),
        (b" ", "This isn't JSON: Expecting value: line 1 column 2 (char 1)."),
    ]:
        with subtests.test(sentence=sentence), rolled_back():
            answer = post_match(sent)
            assert (answer.status, answer.body["detail"]) == (400, sentence)


@pytest.mark.parametrize("content_type", ["application/json", "", "text/plain"])
def test_an_empty_body_lacks_every_field(content_type):
    answer = post_match(None, content_type=content_type)
    assert (answer.status, answer.fields) == (400, ["id", "mode", "teams"])


def test_every_fault_is_named():
    sent = result(id=7, extra=1)
    sent["teams"][0]["players"][0] |= {"seconds": -1, "left_early": "no"}
    sent["teams"][1] |= {"score": "1", "colour": "blue"}
    assert post_match(sent).fields == [
        "id", "teams[0].players[0].seconds", "teams[0].players[0].left_early", "teams[1].score", "teams[1].colour",
        "extra",
    ]  # fmt: skip


def test_of_very_many_faults_fifty_are_named():
    answer = post_match(result(**{f"x{number}": 1 for number in range(1_000)}))
    assert len(answer.fields) == 50
