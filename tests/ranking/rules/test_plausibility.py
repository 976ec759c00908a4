"""Doubts about results whose form is right: what is mistaken, and what only looks odd."""

import datetime as dt

from ranking.rules.plausibility import doubts_about
from ranking.rules.report import PlayerReport, Report, TeamReport

NOW = dt.datetime(2026, 5, 20, 12, tzinfo=dt.UTC)


def report(*teams, start=None, ended_at=NOW, **more):
    started_at = None if start is None else NOW - dt.timedelta(seconds=start)
    return Report("m", "duel", ended_at, teams or scores(3, 1), started_at=started_at, **more)


def scores(*values, place=None, **player):
    return tuple(
        TeamReport((PlayerReport(f"p{index}", **player),), score=score, place=place and place + index)
        for index, score in enumerate(values)
    )


def stays(*seconds, values=None, **more):
    values = values or [len(seconds) - index for index in range(len(seconds))]
    return tuple(
        TeamReport((PlayerReport(f"p{index}", seconds=stay, **more),), score=score)
        for index, (stay, score) in enumerate(zip(seconds, values, strict=True))
    )


def test_which_results_are_doubted(subtests):
    for what, sent, least_is_best, says in [
        ("a usual match", report(duration=801, start=820), False, None),
        ("nothing but an end", report(), False, None),
        ("milliseconds", report(duration=801_000), False, "`duration` is 801000 s, or 222 hours"),
        ("a long night", report(duration=11 * 3_600), False, None),
        ("minutes, rounded", report(duration=13, start=801), False, "not in minutes"),
        ("minutes", report(duration=13.35, start=801), False, "not in minutes"),
        ("loading that took as long as the match", report(duration=400, start=801), False, None),
        ("a length that start and end tell", report(duration=90_000, timed=False, start=90_000), False, None),
        ("milliseconds of players", report(*stays(801_000, 640_000)), False, "The longest `seconds` are 801000 s"),
        ("minutes of players", report(*stays(13.0, 12.5), duration=801), False, "Nobody was there for more than 13"),
        ("one who was there for a moment", report(*stays(801, 5), duration=801), False, None),
        ("all left at once", report(*stays(10, 10, left_early=True), duration=801), False, None),
        ("nobody ever came", report(*stays(0, 0), duration=801), False, None),
        ("too many rounds", report(*scores(3, 1, rounds_played=12), rounds=10), False, "12 `rounds_played`"),
        ("a disqualification", report(*scores(0, -1)), False, "walkover"),
        ("places that decide", report(*scores(0, -1, place=1)), False, None),
        ("points below nothing, called off", report(*scores(0, -1), no_contest="Fog."), False, None),
        ("times as scores", report(*stays(95.0, 101.0, values=[95.0, 101.0])), False, "look like times"),
        ("broken times as scores", report(*scores(95.31, 101.07), duration=101.07), False, "look like times"),
        ("points with halves", report(*scores(2.5, 1.5), duration=3_600), False, None),
        ("times where the lowest wins", report(*scores(95.31, 101.07), duration=101.07), True, None),
        ("times turned round where the lowest wins", report(*scores(-95.31, -101.07)), True, "send times"),
        ("an id of strangers", report(TeamReport((PlayerReport("None"),), score=1), *scores(0)), False, "nobody's key"),
        ("a bot", report(TeamReport((PlayerReport("AI", bot=True),), score=1), *scores(0)), False, None),
        ("a number misread", report(ended_at=dt.datetime(1970, 1, 21, tzinfo=dt.UTC)), False,
         "since 1970"),
        ("years ago", report(ended_at=NOW - dt.timedelta(days=3_000)), False, None),
    ]:  # fmt: skip
        with subtests.test(what=what):
            doubts = list(doubts_about(sent, least_is_best=least_is_best))
            assert len(doubts) == (says is not None)
            assert all(says in doubt for doubt in doubts)
