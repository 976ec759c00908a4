"""Once, whole, in order: what recording a result promises."""

import datetime as dt
import json

import pytest

from ranking.matches.recording import CONFLICT, KNOWN, RATED, REFUSED, record_results
from ranking.models import Change, Event, Match, OutboxEntry, Participation, Player, Rating
from ranking.rules.report import BadReport, PlayerReport
from tests.support.factories import NOW, make_mode, make_report, make_source, record

pytestmark = pytest.mark.django_db

TABLES = (Change, Event, Match, OutboxEntry, Participation, Player, Rating)


def counts() -> dict[str, int]:
    return {model.__name__: model.objects.count() for model in TABLES}


def test_a_result_is_rated_and_kept(settings):
    settings.OUTBOX_CONSUMERS = {}
    make_mode(system="team-ratio")
    recorded = record(["a"], ["b"])
    assert recorded.state == RATED
    assert counts() == {
        "Change": 2, "Event": 2, "Match": 1, "OutboxEntry": 0, "Participation": 2, "Player": 2, "Rating": 2,
    }  # fmt: skip
    rating = Rating.objects.get(player__key="a")
    assert (rating.display_hundredths, rating.wins, rating.losses, rating.to_publish) == (105, 1, 0, True)


def test_the_same_result_again_changes_nothing():
    make_mode()
    report = make_report(["a"], ["b"])
    first, second = record_results([report], source=make_source(), now=NOW), None
    before = counts()
    second = record_results([report], source=make_source(), now=NOW + dt.timedelta(hours=1))
    assert (first[0].state, second[0].state) == (RATED, KNOWN)
    assert counts() == before
    assert [change.display_after for change in second[0].record.changes] == [
        change.display_after for change in first[0].record.changes
    ]


def test_another_result_under_the_same_id_is_a_conflict():
    make_mode()
    record(["a"], ["b"], id="x")
    before = counts()
    report = make_report(["b"], ["a"], id="x")
    assert record_results([report], source=make_source(), now=NOW)[0].state == CONFLICT
    assert counts() == before


def test_another_source_may_use_the_same_id():
    make_mode()
    report = make_report(["a"], ["b"], id="x")
    states = [record_results([report], source=make_source(slug), now=NOW)[0].state for slug in ("one", "two")]
    assert states == [RATED, RATED]


def test_each_of_a_batch_answers_for_itself():
    make_mode()
    good, again = make_report(["a"], ["b"], id="1"), make_report(["a"], ["b"], id="1")
    other, bad = make_report(["b"], ["a"], id="1"), make_report(["a"], ["b"], mode="nowhere")
    last = make_report(["c"], ["a"])
    states = [r.state for r in record_results([good, again, other, bad, last], source=make_source(), now=NOW)]
    assert states == [RATED, KNOWN, CONFLICT, REFUSED, RATED]
    assert Match.objects.count() == 2
    assert set(Player.objects.values_list("key", flat=True)) == {"a", "b", "c"}


def test_a_result_that_the_system_refuses_leaves_the_rest_of_its_batch():
    make_mode()
    record(["a"], ["b"])
    Rating.objects.filter(player__key="a").update(mu=float("1e308"))
    before = counts()
    reports = [make_report(["c"], ["d"]), make_report(["a"], ["e"], ["f"]), make_report(["e"], ["c"])]
    states = [r.state for r in record_results(reports, source=make_source(), now=NOW)]
    assert states == [RATED, REFUSED, RATED]
    assert counts()["Match"] == before["Match"] + 2


@pytest.mark.parametrize(
    ("teams", "more", "path"),
    [
        ((["a"], ["b"]), {"mode": "nowhere"}, "mode"),
        ((["a"], ["b"]), {"ended_at": NOW + dt.timedelta(minutes=6)}, "ended_at"),
        ((["a"], ["b"], ["c"]), {}, "teams"),
        ((["a"], list("bcdefgh")), {}, "teams[1].players"),
        ((["a"], ["b"]), {"places": (1, None)}, "teams[1].place"),
        ((["a"], ["b"]), {"places": (None, None)}, "teams[0].score"),
    ],
)
def test_bad_results_name_the_field_and_write_nothing(teams, more, path):
    make_mode()
    before = counts()
    with pytest.raises(BadReport) as caught:
        record(*teams, **more)
    assert caught.value.path == path
    assert counts() == before


def test_an_end_within_five_minutes_ahead_is_a_clock():
    make_mode()
    assert record(["a"], ["b"], ended_at=NOW + dt.timedelta(minutes=5)).state == RATED


@pytest.mark.parametrize(
    ("absences", "left"),
    [
        ((), False),
        (((0, 180),), False),
        (((0, 181),), True),
        (((0, 100), (50, 180)), False),
        (((0, 100), (300, 381)), True),
    ],
)
def test_absences_longer_than_the_grace_are_leaving(absences, left):
    make_mode()
    record([PlayerReport(id="a", absences=absences)], ["b"], duration=600.0)
    assert Participation.objects.get(player__key="a").left_early is left
    assert Rating.objects.get(player__key="a").leaves == int(left)


def test_a_result_that_ended_before_one_already_rated_is_late():
    make_mode()
    record(["a"], ["b"], ended_at=NOW)
    late = record(["a"], ["c"], ended_at=NOW - dt.timedelta(hours=1)).record.match
    fresh = record(["d"], ["e"], ended_at=NOW - dt.timedelta(hours=1)).record.match
    assert (late.late, fresh.late) == (True, False)
    assert late.event_id < fresh.event_id


def test_a_new_name_is_taken_over_and_searchable():
    make_mode()
    record([PlayerReport(id="a", name="Kestrel")], ["b"])
    record([PlayerReport(id="a", name="Ürsa")], ["b"])
    player = Player.objects.get(key="a")
    assert (player.name, player.search_name) == ("Ürsa", "ürsa")


def test_digest_ignores_the_order_of_keys_and_spelled_out_defaults():
    from ranking.validation.match_report import read_report

    teams = [{"score": 1, "players": [{"id": "a", "seconds": 801}]}, {"score": 0, "players": [{"id": "b"}]}]
    said = {"id": "1", "mode": "duel", "ended_at": "2026-05-20T12:00:00Z", "duration": 801, "teams": teams}
    same = json.loads(json.dumps(said)) | {"ended_at": "2026-05-20T14:00:00+02:00", "duration": 801.0, "variant": ""}
    same["teams"][1]["players"][0]["left_early"] = False
    other = json.loads(json.dumps(said)) | {"duration": 802}
    assert read_report(said).digest() == read_report(dict(reversed(same.items()))).digest()
    assert read_report(said).digest() != read_report(other).digest()
