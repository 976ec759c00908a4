"""Alike matches: one match that was recorded twice, under another id or by another source.

Alike are matches of one mode with the same players by team, the same end and the same start. Of two without a start,
scores (or places, if there are no scores) are the same, too. A merged player counts as the one who was kept. A void
match is alike to none.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef
from django.db.models.functions import Coalesce

from ranking.matches.records import MatchRecord, with_voids
from ranking.models import Match, Mode, Participation, Player, Source
from ranking.rules.places import score_sent
from ranking.rules.report import Report

_MOST_READ = 1_000  # matches of the same modes and ends that are compared with a batch, the latest


@dataclass(frozen=True, slots=True)
class Likeness:
    """What alike matches have in common. A team: its players' ids, and without a start its result.

    A player whom no match has named yet is their key.
    """

    mode: int
    ended_at: dt.datetime
    started_at: dt.datetime | None
    teams: frozenset[tuple[frozenset[int | str], Any]]


@dataclass(frozen=True, slots=True)
class Twin:
    """What a report is alike to: a match, or, without a number, an earlier report of the same file."""

    id: str
    source: str
    number: int | None


def find_alike(records: Sequence[MatchRecord]) -> dict[int, list[Match]]:
    """The matches that are alike to each of these, by its number, the earliest recorded first: void ones, too, with
    `is_void`. One query, and one more if it finds any that aren't among these.
    """
    own = {record.match.pk: (record.match, _likeness_of(record)) for record in records}
    alike: dict[Likeness, list[Match]] = {}
    for match, likeness in own.values():
        alike.setdefault(likeness, []).append(match)
    players = {record.parts[0].player_id for record in records if record.parts}
    for likeness, others in _find(alike.keys(), players, besides=own.keys()).items():
        alike[likeness] += others
    return {
        number: sorted((match for match in alike[likeness] if match.pk != number), key=lambda match: match.pk)
        for number, (_, likeness) in own.items()
    }


def find_twins(reports: Sequence[Report], source: Source) -> dict[int, Twin]:
    """The reports that are alike to a recorded match that isn't void, or to one before them, by their index.

    A report that is recorded itself has no twin: it is known.
    """
    modes = dict(Mode.objects.filter(slug__in={report.mode for report in reports}).values_list("slug", "pk"))
    keys = {player.id for report in reports for _, _, player in report.players()}
    owners = dict(Player.objects.filter(key__in=keys).values_list("key", Coalesce("merged_into", "pk")))
    likenesses = {
        index: _likeness_of_report(report, modes[report.mode], owners)
        for index, report in enumerate(reports)
        if report.mode in modes
    }
    firsts = {next(report.players())[2].id for report in reports}
    alike = _find(likenesses.values(), {owners[key] for key in firsts & owners.keys()})
    twins: dict[int, Twin] = {}
    seen: dict[Likeness, Report] = {}
    for index, likeness in likenesses.items():
        report, recorded = reports[index], alike.get(likeness, [])
        earlier = seen.setdefault(likeness, report)
        if any((match.source_id, match.external_id) == (source.pk, report.id) for match in recorded):
            continue
        if match := next((match for match in recorded if not match.is_void), None):
            twins[index] = Twin(match.external_id, match.source.slug, match.pk)
        elif earlier.id != report.id:
            twins[index] = Twin(earlier.id, source.slug, None)
    return twins


def _find(
    likenesses: Collection[Likeness], players: Collection[int], besides: Collection[int] = ()
) -> dict[Likeness, list[Match]]:
    """Recorded matches by likeness, without those `besides`. `players`: of each match one who played it, if known."""
    if not likenesses or not players:
        return {}
    played = Participation.objects.filter(match=OuterRef("pk"), player__in=players)
    matches = Match.objects.filter(
        Exists(played),
        mode__in={likeness.mode for likeness in likenesses},
        ended_at__in={likeness.ended_at for likeness in likenesses},
    ).exclude(pk__in=besides)
    rows = with_voids(matches).select_related("mode", "source").order_by("-ended_at", "-id")[:_MOST_READ]
    wanted = set(likenesses)
    found: dict[Likeness, list[Match]] = {}
    for record in _with_parts(rows):
        if (likeness := _likeness_of(record)) in wanted:
            found.setdefault(likeness, []).append(record.match)
    return found


def _with_parts(matches: Iterable[Match]) -> Iterable[MatchRecord]:
    records = {match.pk: MatchRecord(match, []) for match in matches}
    if records:
        for part in Participation.objects.filter(match__in=records).only("match", "player", "team").order_by():
            records[part.match_id].parts.append(part)
    return records.values()


def _likeness_of(record: MatchRecord) -> Likeness:
    match = record.match
    rosters: list[set[int | str]] = [set() for _ in match.teams]
    for part in record.parts:
        rosters[part.team].add(part.player_id)
    results = [(score_sent(team), team["place"]) for team in match.teams]
    return _likeness(match.mode_id, match.ended_at, match.started_at, rosters, results)


def _likeness_of_report(report: Report, mode: int, owners: Mapping[str, int]) -> Likeness:
    rosters = [{owners.get(player.id, player.id) for player in team.players} for team in report.teams]
    results = [(team.score, team.place) for team in report.teams]
    return _likeness(mode, report.ended_at, report.started_at, rosters, results)


def _likeness(
    mode: int,
    ended_at: dt.datetime,
    started_at: dt.datetime | None,
    rosters: Iterable[Iterable[int | str]],
    results: Iterable[tuple[float | None, int | None]],
) -> Likeness:
    compared = [None if started_at else (score, place if score is None else None) for score, place in results]
    teams = zip(map(frozenset, rosters), compared, strict=True)
    return Likeness(mode, ended_at, started_at, frozenset(teams))
