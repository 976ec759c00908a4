"""Doubts about a result whose form is right: units, signs and clocks that were probably mistaken. It is recorded."""

from __future__ import annotations

from collections.abc import Iterator

from ranking.rules.report import Report

_LONG = 12 * 3_600  # seconds, longer than matches last; a match of 43 s or more in milliseconds exceeds it
_MINUTE = (50, 75)  # the ratio of two lengths of which one is in minutes, rounded
_HARDLY = 30  # nobody was there for more than such a part of the match
# Keys by which games and exports call who is nobody, in small letters.
NOBODY = frozenset(
    "0 -1 none null undefined nan ? ?? unknown anonymous guest n/a bye bot ai cpu computer 4294967295 deleted".split()
)
_FIRST_YEAR = 2000  # games that are rated by API are younger


def doubts_about(report: Report, *, least_is_best: bool) -> Iterator[str]:
    """Yield a sentence for each doubt. `least_is_best`: of the mode, in which the lowest score is the best."""
    yield from _doubts_about_length(report)
    yield from _doubts_about_players(report)
    yield from _doubts_about_scores(report, least_is_best)
    if report.ended_at.year < _FIRST_YEAR:
        yield (
            f"The match ended on {report.ended_at:%Y-%m-%d}: see how the sender makes times of numbers, which are in"
            " seconds or in milliseconds since 1970."
        )


def _doubts_about_length(report: Report) -> Iterator[str]:
    duration = report.duration if report.timed else None
    if not duration:
        return
    if duration > _LONG:
        yield f"`duration` is {_hours(duration)}: it is in seconds, not in milliseconds."
    elif report.started_at is not None:
        between = (report.ended_at - report.started_at).total_seconds()
        if _MINUTE[0] <= between / duration <= _MINUTE[1]:
            yield (
                f"`duration` is {duration:g} s, and the times are {between:g} s apart: `duration` is in seconds, not in"
                " minutes."
            )


def _doubts_about_players(report: Report) -> Iterator[str]:
    players = [player for _, _, player in report.players()]
    stays = [player.seconds for player in players if player.seconds is not None]
    longest = max(stays, default=0.0)
    if report.duration is None and longest > _LONG:
        yield f"The longest `seconds` are {_hours(longest)}: they are in seconds, not in milliseconds."
    everybody = len(stays) == len(players) and not any(player.left_early for player in players)
    if everybody and report.duration and 0 < longest * _HARDLY < report.duration:
        yield (
            f"Nobody was there for more than {longest:g} of {report.duration:g} s: `seconds` are in seconds, not in"
            " minutes."
        )
    for player in players:
        if player.id.casefold() in NOBODY and not player.bot:
            yield (
                f"{player.id!r} is rated as one player, and may be nobody's key: give a stranger a key of this match"
                " only, and a program `bot`."
            )
    busiest = max(players, key=lambda player: player.rounds_played or 0)
    if report.rounds is not None and (busiest.rounds_played or 0) > report.rounds:
        yield f"{busiest.id!r} has {busiest.rounds_played} `rounds_played` of {report.rounds} `rounds`."


def _doubts_about_scores(report: Report, least_is_best: bool) -> Iterator[str]:
    scores = [team.score for team in report.teams if team.score is not None and team.place is None]
    if len(scores) < len(report.teams) or report.no_contest:
        return  # places decide, or nothing does
    if least_is_best:
        if min(scores) < 0:
            yield "A score is negative, and the lowest one is best here: send times and strokes as they are."
    elif min(scores) < 0:
        yield (
            "A score is negative, and the highest one is best here. If it stands for a disqualification, send a"
            " walkover: `left_early` and 0 `seconds` of who didn't play."
        )
    elif _are_times(report, scores):
        yield (
            "The scores look like times, and the highest one is best here: send places, or have an operator set *The"
            " lowest score is best* of the mode."
        )


def _are_times(report: Report, scores: list[float]) -> bool:
    """True if scores are the players' times in the game, or broken numbers of seconds within the match."""
    stays = [max([player.seconds or 0.0 for player in team.players]) for team in report.teams]
    if all(stay and abs(score - stay) <= 1 for score, stay in zip(scores, stays, strict=True)):
        return True
    lasted = report.duration or 0.0
    return all(score % 1 for score in scores) and lasted / 2 <= max(scores) <= lasted + 1


def _hours(seconds: float) -> str:
    return f"{seconds:g} s, or {seconds / 3_600:,.0f} hours"
