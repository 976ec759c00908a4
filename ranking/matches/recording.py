"""Recording match results: once, whole or not at all. Every way in (API, bulk, files, demo) ends here.

A batch is one transaction: what it writes is written for all of its results that are sound, and each answers
for itself.
"""

import datetime as dt
import functools
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from django.conf import settings
from django.db import IntegrityError, OperationalError, transaction
from django.db.models import BigIntegerField, CharField

from ranking import hooks
from ranking.database.bulk_writes import new_row
from ranking.database.prepared_queries import InPlaceholder, Placeholder, Prepared, pipeline, prepare
from ranking.database.retries import TRIES, is_transient
from ranking.matches import forfeits, ledger
from ranking.matches.devices import note_devices
from ranking.matches.records import MatchRecord, is_void, load_parts, load_records, result_of, with_voids
from ranking.models import Match, Mode, Participation, Player, Source
from ranking.modes.parameters import Rules, ask_rules, rules_in_force
from ranking.operations import metrics
from ranking.players.players import ask_players, ensure_players
from ranking.rules.report import BadReport, PlayerReport, Report, check_places
from ranking.systems.base import Refused
from ranking.systems.shared.rules import check_result

BATCH = 100  # results a transaction
FUTURE = dt.timedelta(minutes=5)  # by how much a sender's clock may be ahead

RATED, RECORDED, KNOWN, CONFLICT, REFUSED = "rated", "recorded", "known", "conflict", "refused"


@dataclass(frozen=True, slots=True)
class Recorded:
    """What became of one report: rated now, recorded to be rated later (while its mode is being rated anew), known
    already, in conflict with what is known, or refused.
    """

    state: str
    play: MatchRecord | None = None
    error: BadReport | None = None


class _Unratable(Exception):
    """A rating system refused the report at this index of a batch, after locks were taken."""

    def __init__(self, index: int, error: BadReport) -> None:
        self.index, self.error = index, error


def record_result(report: Report, *, source: Source, now: dt.datetime) -> Recorded:
    """Record and rate one result; raises BadReport where it can't be recorded."""
    recorded = record_results([report], source=source, now=now)[0]
    if recorded.error is not None:
        raise recorded.error
    return recorded


def record_results(reports: Sequence[Report], *, source: Source, now: dt.datetime) -> list[Recorded]:
    """Record and rate results in the order given; one answer each, in that order."""
    answers: list[Recorded] = []
    for start in range(0, len(reports), BATCH):
        with metrics.RATING.time():
            answers += _record_batch(reports[start : start + BATCH], source, now)
    metrics.count_results([report.id for report in reports], [answer.state for answer in answers])
    return answers


def _record_batch(reports: Sequence[Report], source: Source, now: dt.datetime) -> list[Recorded]:
    """One transaction, tried again after deadlocks, serialization failures and lost races."""
    refused: dict[int, Recorded] = {}
    unrated: set[tuple[int, int]] = set()
    failures = 0
    while True:
        try:
            return _record_once(reports, source, now, refused, unrated)
        except _Unratable as unratable:
            refused[unratable.index] = Recorded(REFUSED, error=unratable.error)
        except ledger.Unrated as missing:
            unrated |= missing.pairs
        except (IntegrityError, OperationalError) as error:
            failures += 1
            if failures == TRIES or not _may_pass(error):
                raise


def rate_recorded(mode: Mode, *, now: dt.datetime) -> int:
    """Rate a batch of what was recorded while the mode was being rated anew; how many matches and forfeits."""
    unrated: set[tuple[int, int]] = set()
    while True:
        try:
            return _rate_recorded(mode, now, unrated)
        except ledger.Unrated as missing:
            unrated |= missing.pairs


@transaction.atomic
def _rate_recorded(mode: Mode, now: dt.datetime, unrated: set[tuple[int, int]]) -> int:
    rules = rules_in_force([mode.slug])[mode.slug]
    waiting = Match.objects.filter(~is_void(), mode=mode, event=None).order_by("id")
    plays = list(load_parts(waiting.select_related("mode")[:BATCH]).values())
    rate(plays, {mode.pk: rules}, now=now, unrated=unrated)
    dropped = list(forfeits.find_waiting(mode)[:BATCH])
    forfeits.rate_forfeits(dropped, rules, now=now, unrated=unrated)
    return len(plays) + len(dropped)


def _may_pass(error: Exception) -> bool:
    """Is it a lost race, after which what the other wrote is there to be seen, or PostgreSQL's wish to try again?"""
    return isinstance(error, IntegrityError) or is_transient(error)


@transaction.atomic(durable=True)
def _record_once(
    reports: Sequence[Report],
    source: Source,
    now: dt.datetime,
    refused: dict[int, Recorded],
    unrated: set[tuple[int, int]],
) -> list[Recorded]:
    with pipeline():
        same_ids = _earlier().ask(source=source.pk, ids={report.id for report in reports})
        in_force = ask_rules({report.mode for report in reports})
        known_players = ask_players(reports)
    earlier = [pk for (pk,) in same_ids()]
    matches = with_voids(Match.objects.filter(pk__in=earlier)).select_related("mode") if earlier else []
    known = {play.match.external_id: play for play in load_records(matches).values()}
    rules = in_force()
    answers = dict(refused)
    fresh: dict[int, MatchRecord] = {}
    for index, report in enumerate(reports):
        if index in refused:
            continue
        if report.id in known:
            same = known[report.id].match.digest == report.digest()
            answers[index] = Recorded(KNOWN if same else CONFLICT, known[report.id])
            continue
        try:
            check_report(report, rules, now)
        except BadReport as error:
            answers[index] = Recorded(REFUSED, error=error)
            continue
        mode = rules[report.mode].mode
        fresh[index] = known[report.id] = MatchRecord(_match_of(report, mode, source, now), [])
        answers[index] = Recorded(RATED if mode.lease_id is None else RECORDED, fresh[index])
    if fresh:
        players, newcomers = ensure_players([reports[index] for index in fresh], now, known_players())
        for index, play in fresh.items():
            _check_owners(index, reports[index], players)
            play.parts = [
                _participation_of(play.match, team, slot, said, players[said.id])
                for team, slot, said in reports[index].players()
            ]
        by_mode = {each.mode.pk: each for each in rules.values()}
        rated = [index for index in fresh if answers[index].state == RATED]
        new = unrated | {(mode_id, player) for mode_id in by_mode for player in newcomers}
        try:
            rate([fresh[index] for index in rated], by_mode, now=now, unrated=new)
        except ledger.Unratable as error:
            raise _Unratable(rated[error.index], BadReport("teams", str(error.reason))) from error
        _record_only({index: fresh[index] for index in fresh if answers[index].state == RECORDED}, by_mode)
        note_devices((reports[index], play) for index, play in fresh.items())
        _tell_followers([play.match for play in fresh.values()], now)
    return [answers[index] for index in range(len(reports))]


@functools.cache
def _earlier() -> Prepared:
    same = InPlaceholder("external_id", "ids", CharField())
    return prepare(Match.objects.filter(same, source=Placeholder("source", BigIntegerField())).values_list("pk"))


def rate(
    plays: list[MatchRecord], rules: Mapping[int, Rules], *, now: dt.datetime, unrated: Set[tuple[int, int]]
) -> None:
    """Rate matches, with follow-up work for every consumer; see ledger.rate_matches."""
    if plays:
        ledger.rate_matches(plays, rules, now=now, unrated=unrated, consumers=list(settings.OUTBOX_CONSUMERS))


def _record_only(plays: Mapping[int, MatchRecord], rules: Mapping[int, Rules]) -> None:
    """Record matches that will be rated later, once it is sure that they can be."""
    for index, play in plays.items():
        system = rules[play.match.mode_id].system
        newcomers = [system.to_state(system.newcomer())] * len(play.parts)
        try:
            check_result(system, result_of(play, newcomers, system, [None] * len(play.parts)))
        except Refused as reason:
            raise _Unratable(index, BadReport("teams", str(reason))) from reason
    ledger.record_matches(list(plays.values()))


def _tell_followers(matches: Sequence[Match], now: dt.datetime) -> None:
    """What follows at once from a result that names its lobby; others cost nothing."""
    if played := [match for match in matches if match.lobby]:
        for follow in hooks.RESULT_FOLLOWERS.functions():
            follow(played, now)


def check_report(report: Report, rules: Mapping[str, Rules], now: dt.datetime) -> None:
    """Refuse a report that doesn't fit its mode; raises BadReport."""
    if report.mode not in rules:
        raise BadReport("mode", f"There is no mode {report.mode!r}.")
    mode = rules[report.mode].mode
    if report.ended_at > now + FUTURE:
        raise BadReport("ended_at", "The match ends more than 5 minutes in the future.")
    if len(report.teams) != mode.team_count:
        raise BadReport("teams", f"{mode.slug} has {mode.team_count} teams; this result has {len(report.teams)}.")
    for index, team in enumerate(report.teams):
        if not mode.team_size_min <= len(team.players) <= mode.team_size_max:
            raise BadReport(
                f"teams[{index}].players",
                f"Teams of {mode.slug} have {mode.team_size_min} to {mode.team_size_max} players;"
                f" this one has {len(team.players)}.",
            )
    check_places(report)


def _match_of(report: Report, mode: Mode, source: Source, now: dt.datetime) -> Match:
    return Match(
        source=source,
        external_id=report.id,
        digest=report.digest(),
        mode=mode,
        started_at=report.started_at,
        ended_at=report.ended_at,
        duration=report.duration,
        rounds=report.rounds,
        variant=report.variant,
        server=report.server,
        region=report.region,
        lobby=report.lobby,
        teams=[{"name": team.name, "score": team.score, "place": team.place} for team in report.teams],
        received_at=now,
    )


def _check_owners(index: int, report: Report, players: Mapping[str, Player]) -> None:
    """Two keys of one player, merged by a moderator, can't have played against each other."""
    seen: dict[int, str] = {}
    for team, slot, said in report.players():
        other = seen.setdefault(players[said.id].owner.pk, said.id)
        if other != said.id:
            sentence = f"{said.id!r} and {other!r} are one player: a moderator merged them."
            raise _Unratable(index, BadReport(f"teams[{team}].players[{slot}].id", sentence))


def _participation_of(match: Match, team: int, slot: int, said: PlayerReport, player: Player) -> Participation:
    """A player's part. Absences within the grace are no leave; longer ones are."""
    part = new_row(
        Participation,
        team=team,
        slot=slot,
        seconds=said.seconds,
        left_early=said.left_early or said.absent_seconds() > match.mode.reconnect_grace,
        rounds_played=said.rounds_played,
        absences=[list(absence) for absence in said.absences],
        party=said.party,
        stats=dict(said.stats),
    )
    part.player = player.owner
    if player.merged_into_id is not None:
        part.played_as = player
    return part
