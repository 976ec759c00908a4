"""Searches a mode's history for abuse, and keeps the findings that moderators review; nothing punishes by itself."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Collection, Iterable, Mapping
from time import perf_counter

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q

from ranking.abuse._loading import load_history
from ranking.abuse.detection.cases import Case
from ranking.abuse.detection.registry import DETECTORS, find_cases
from ranking.abuse.detection.thresholds import Thresholds
from ranking.database.retries import retried
from ranking.models import AbuseRun, Finding, Mode, Player
from ranking.operations.audit import record_act
from ranking.players.row_records import Record, give_back, recorded

Key = tuple[int, int | None]
AGAIN = dt.timedelta(hours=20)  # least time between two nightly searches of a mode


def thresholds() -> Thresholds:
    """The thresholds of this installation, from settings.ABUSE."""
    names = {field.name for field in dataclasses.fields(Thresholds)}
    return Thresholds(**{name: value for name, value in settings.ABUSE.items() if name in names})


def search(mode: Mode, *, now: dt.datetime, kinds: Collection[str] = tuple(DETECTORS)) -> list[Finding]:
    """Search a mode for these kinds of abuse, store the findings, and return them, strongest first."""
    begun = perf_counter()
    history = load_history(mode, thresholds(), days=settings.ABUSE["days"], most=settings.ABUSE["most"])
    cases = {kind: find_cases(history, kind) for kind in kinds}
    seconds = perf_counter() - begun
    noted = _store_all(mode, cases, now)
    if set(kinds) == set(DETECTORS):
        ran = {"ran_at": now, "parts": len(history.columns), "seconds": seconds}
        AbuseRun.objects.update_or_create(mode=mode, defaults=ran)
    return list(
        Finding.objects.filter(pk__in=noted).select_related("player", "other", "mode").order_by("-score", "-id")
    )


@retried
@transaction.atomic
def _store_all(mode: Mode, cases: Mapping[str, Collection[Case]], now: dt.datetime) -> list[int]:
    """Store the cases of each kind; returns the ids of the findings."""
    Mode.objects.select_for_update(no_key=True).get(pk=mode.pk)  # two searches write one after the other
    return [pk for kind, of_kind in cases.items() for pk in _store(mode, kind, of_kind, now)]


def is_due(mode: Mode, now: dt.datetime) -> bool:
    return not AbuseRun.objects.filter(mode=mode, ran_at__gt=now - AGAIN).exists()


def _store(mode: Mode, kind: str, cases: Iterable[Case], now: dt.datetime) -> list[int]:
    """Add new findings and refresh known ones; return their ids. Delete unreviewed findings that have no case any more.

    Cases of players who were merged or erased after the history was read are left out.
    """
    by_key = {_key(case): case for case in cases}
    players = {player for key in by_key for player in key if player is not None}
    present = set(
        Player.objects.filter(pk__in=players, anonymised_at=None, merged_into=None).values_list("pk", flat=True)
    )
    by_key = {key: case for key, case in by_key.items() if {player for player in key if player is not None} <= present}
    known = {(row.player_id, row.other_id): row for row in Finding.objects.filter(mode=mode, kind=kind)}
    Finding.objects.filter(
        pk__in=[row.pk for key, row in known.items() if key not in by_key], verdict=Finding.OPEN
    ).delete()
    new = Finding.objects.bulk_create(
        Finding(
            kind=kind, mode=mode, player_id=key[0], other_id=key[1],
            score=case.score, evidence=case.evidence, found_at=now, seen_at=now,
        )
        for key, case in by_key.items()
        if key not in known
    )  # fmt: skip
    again = [row for key, row in known.items() if key in by_key]
    for row in again:
        case = by_key[row.player_id, row.other_id]
        row.score, row.evidence, row.seen_at = case.score, case.evidence, max(now, row.found_at)
    Finding.objects.bulk_update(again, ["score", "evidence", "seen_at"], batch_size=100)
    _reopen(again, now)
    return [row.pk for row in (*new, *again)]


def _key(case: Case) -> Key:
    return case.players[0], case.players[1] if len(case.players) > 1 else None


def _reopen(findings: Iterable[Finding], now: dt.datetime) -> None:
    """Reopen dismissed findings whose score has grown markedly."""
    for row in findings:
        if row.reviewed_score is None or row.score < settings.ABUSE["reopen"] * row.reviewed_score:
            continue
        dismissed = Finding.objects.filter(pk=row.pk, verdict=Finding.DISMISSED, reviewed_score=row.reviewed_score)
        if dismissed.update(verdict=Finding.OPEN, **_UNREVIEWED):
            why = f"Its score rose from {row.reviewed_score:.1f} to {row.score:.1f}."
            record_act("reopen", f"finding {row.pk}", player=row.player, by=None, reason=why, now=now)


_UNREVIEWED: dict[str, object] = {"reviewed_at": None, "reviewed_by": None, "reviewed_score": None, "reason": ""}


@retried
@transaction.atomic
def review_findings(
    findings: Iterable[Finding], verdict: str, *, by: User | None, reason: str, now: dt.datetime
) -> list[Finding]:
    """Give these findings a verdict, and return those whose verdict changed; nothing else follows.

    Raises ValueError without a reason.
    """
    if not reason.strip():
        raise ValueError("Say why.")
    ids = [finding.pk for finding in findings]
    rows = Finding.objects.select_for_update(of=("self",)).filter(pk__in=ids).exclude(verdict=verdict)
    reviewed = list(rows.select_related("player", "other", "mode").order_by("pk"))
    for row in reviewed:
        row.verdict, row.reason, row.reviewed_by = verdict, reason.strip(), by
        row.reviewed_at, row.reviewed_score = now, row.score
        row.save(update_fields=["verdict", "reason", "reviewed_by", "reviewed_at", "reviewed_score"])
        act = "confirm" if verdict == Finding.CONFIRMED else "dismiss"
        record_act(act, f"finding {row.pk}: {row.get_kind_display()}", player=row.player, by=by, reason=reason, now=now)
    return reviewed


def merge_findings(kept: Player, merged: Player) -> Record:
    """Delete open findings about either player and all about the merged one; the next search sees the two as one.

    Return a record of the others, which were reviewed.
    """
    about_merged = Finding.objects.filter(Q(player=merged) | Q(other=merged))
    _delete_open_findings(kept, merged)
    with recorded(about_merged.exclude(verdict=Finding.OPEN)) as record:
        about_merged.delete()
    return record


def split_findings(kept: Player, record: Record) -> None:
    """Undo `merge_findings`. Open findings about both players are deleted; the next search sees two players again."""
    _delete_open_findings(kept)
    give_back(record)


def _delete_open_findings(*players: Player) -> None:
    Finding.objects.filter(Q(player__in=players) | Q(other__in=players), verdict=Finding.OPEN).delete()
