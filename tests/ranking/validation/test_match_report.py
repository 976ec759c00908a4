"""Reading a result: what it means once it is sound, whatever was left out."""

import datetime as dt

import pytest

from ranking.rules.report import PlayerReport, Report, TeamReport
from ranking.validation.match_report import ReportSerializer, read_report

NOON = dt.datetime(2026, 5, 20, 12, tzinfo=dt.UTC)
TEAMS = (TeamReport(players=(PlayerReport(id="a", seconds=90.0),)), TeamReport(players=(PlayerReport(id="b"),)))


def read(**fields) -> Report:
    teams = [{"players": [{"id": "a", "seconds": 90}]}, {"players": [{"id": "b"}]}]
    return read_report({"id": "1", "mode": "duel", "teams": teams, **fields})


@pytest.mark.parametrize(
    ("sent", "ended_at", "duration"),
    [
        ({"ended_at": "2026-05-20T12:00:00Z"}, NOON, None),
        ({"ended_at": "2026-05-20T14:00:00+02:00"}, NOON, None),
        ({"ended_at": "2026-05-20T12:00:00Z", "duration": 100}, NOON, 100.0),
        ({"started_at": "2026-05-20T11:58:00Z", "ended_at": "2026-05-20T12:00:00Z"}, NOON, 120.0),
        ({"started_at": "2026-05-20T11:58:00Z", "ended_at": "2026-05-20T12:00:00Z", "duration": 90}, NOON, 90.0),
        ({"started_at": "2026-05-20T11:58:20Z", "duration": 100}, NOON, 100.0),
        ({"started_at": "2026-05-20T11:58:30Z"}, NOON, None),
        ({"started_at": None, "ended_at": "2026-05-20T12:00:00Z", "duration": None, "rounds": None}, NOON, None),
    ],
)
def test_end_and_duration(sent, ended_at, duration):
    report = read(**sent)
    assert (report.ended_at, report.duration, report.teams) == (ended_at, duration, TEAMS)


def test_reading_leaves_no_trace():
    sent = {"ended_at": "2026-05-20T12:00:00Z", "variant": "x"}
    assert (read(**sent).variant, read(ended_at=sent["ended_at"]).variant) == ("x", "")


def test_a_report_says_what_was_sent():
    player = {
        "id": "a", "name": "Kestrel", "seconds": 801, "left_early": True, "rounds_played": 9,
        "absences": [[120, 180]], "party": "x", "stats": {"kills": 11},
    }  # fmt: skip
    report = read(
        ended_at="2026-05-20T12:00:00Z", duration=801, rounds=9, variant="v", server="s", region="r", lobby="l",
        teams=[{"name": "Blue", "score": 3, "place": 1, "players": [player]}],
    )  # fmt: skip
    said = PlayerReport("a", "Kestrel", 801.0, True, 9, ((120.0, 180.0),), "x", {"kills": 11.0})
    teams = (TeamReport((said,), "Blue", 3.0, 1),)
    assert report == Report("1", "duel", NOON, teams, None, 801.0, 9, "v", "s", "r", "l")


def test_every_field_of_a_report_can_be_sent():
    fields = set(ReportSerializer().fields) | {"timed"}  # whether the duration was sent
    fields = {"unrated" if name == "rated" else name for name in fields}
    assert fields - {"started_at"} == set(Report.__dataclass_fields__) - {"started_at"}
