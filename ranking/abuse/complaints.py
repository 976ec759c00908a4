"""Complaints: a player reports another player of the same match, and moderators review all complaints about a player.

A complaint has no effect by itself. The reported player never learns of it, and the reporter learns that it was
reviewed, not how.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, DateTimeField, Exists, F, Max, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Greatest
from django.utils.translation import gettext_lazy as _

from ranking.database.retries import retried
from ranking.models import Complaint, ComplaintCase, Match, Participation, Player
from ranking.operations.audit import check_reason, record_acts
from ranking.players.players import share_every_mode
from ranking.players.row_records import Record, give_back, recorded
from ranking.wording.refusals import WordedRefusal
from ranking.wording.translation import number_text

REPORTABLE = dt.timedelta(days=7)  # after the match ended
_LOOKED_AT = 200  # matches of a player
MOST = 10  # complaints of a player in DAY
DAY = dt.timedelta(days=1)
_CHUNK = 1_000

_SENTENCES: dict[str, object] = {
    "match": _("You can report players of your own matches only."),
    "player": _("That player wasn’t in this match."),
    "yourself": _("You can’t report yourself."),
    "gone": _("That player has left for good."),
    "late": _("A match can be reported for %(days)s days after its end."),
    "twice": _("You have reported that player for this match already."),
    "throttled": _("You can report %(most)s players a day. Come back tomorrow."),
    "reason": _("Choose a reason."),
    "text": _("Say it in at most %(most)s characters; these are %(length)s."),
}


class MayNotReport(WordedRefusal):
    """The player may not report the other. `str` words its code for the player, in their language.

    `wait`: until they may, if waiting helps.
    """

    sentences = _SENTENCES

    def __init__(self, code: str, wait: dt.timedelta | None = None, **values: str) -> None:
        super().__init__(code, **values)
        self.wait = wait


def may_report_in(match: Match, now: dt.datetime) -> bool:
    """True if players of this match may still be reported."""
    return now - match.ended_at <= REPORTABLE


@retried
@transaction.atomic
def report_player(
    match: Match, reporter: Player, reported: Player, *, reason: str, text: str = "", now: dt.datetime
) -> Complaint:
    """Report a player of this match to the moderators, as another player of it. Raises MayNotReport."""
    text = text.strip()
    if reason not in dict(Complaint.REASONS):
        raise MayNotReport("reason")
    if len(text) > Complaint.LONGEST:
        raise MayNotReport("text", most=number_text(Complaint.LONGEST), length=number_text(len(text)))
    if not may_report_in(match, now):
        raise MayNotReport("late", days=number_text(REPORTABLE.days))
    share_every_mode()  # keeps merges and erasures away
    both = Player.objects.filter(pk__in=[reporter.pk, reported.pk]).order_by("pk")
    rows = {row.pk: row for row in both.select_for_update(no_key=True)}  # one report of a player at a time
    reporter, reported = rows[reporter.pk], rows[reported.pk]
    _check_pair(match, reporter, reported)
    made = Complaint.objects.filter(reporter=reporter)
    if made.filter(match=match, reported=reported).exists():
        raise MayNotReport("twice")
    latest = list(made.filter(made_at__gt=now - DAY).order_by("-made_at").values_list("made_at", flat=True)[:MOST])
    if len(latest) == MOST:
        raise MayNotReport("throttled", latest[-1] + DAY - now, most=number_text(MOST))
    case = _open_case(reported, now)
    return Complaint.objects.create(
        case=case, match=match, reporter=reporter, reported=reported, reason=reason, text=text, made_at=now
    )


def _open_case(reported: Player, now: dt.datetime) -> ComplaintCase:
    """Return the player's open case, with one complaint more; its row is locked. The caller has locked the player.

    If a review closes the case after it was read, the complaint opens another one.
    """
    more = {
        "complaints_count": F("complaints_count") + 1,
        "newest_at": Greatest(F("newest_at"), Value(now, DateTimeField())),
    }
    while True:
        case, _new = ComplaintCase.objects.get_or_create(
            player=reported, verdict=ComplaintCase.OPEN, defaults={"newest_at": now}
        )
        if ComplaintCase.objects.filter(pk=case.pk, verdict=ComplaintCase.OPEN).update(**more):
            return case


def _check_pair(match: Match, reporter: Player, reported: Player) -> None:
    if reporter.pk == reported.pk:
        raise MayNotReport("yourself")
    parts = Participation.objects.filter(match=match, player__in=(reporter, reported))
    players = set(parts.values_list("player", flat=True))
    if reporter.pk not in players:
        raise MayNotReport("match")
    if reported.pk not in players:
        raise MayNotReport("player")
    if reported.anonymised_at is not None:
        raise MayNotReport("gone")


def find_reportable(match: Match, reporter: Player) -> list[Player]:
    """Return the players of a match whom this player of it may still report, in the order of the teams. Two queries."""
    reported = set(Complaint.objects.filter(match=match, reporter=reporter).values_list("reported", flat=True))
    parts = Participation.objects.filter(match=match).select_related("player").order_by("team", "slot")
    players = [part.player for part in parts]
    if reporter not in players:
        return []
    barred = {reporter.pk, *reported}
    return [player for player in players if player.pk not in barred and player.anonymised_at is None]


def find_match_to_report(reporter: Player, reported: Player, now: dt.datetime) -> int | None:
    """Return the id of the last match for which this player may still report the other; None if there is none.

    Only the other player's newest 200 matches are searched.
    """
    theirs = Participation.objects.filter(player=reported, player__anonymised_at=None).order_by("-match")
    made = Complaint.objects.filter(match=OuterRef("match"), reporter=reporter, reported=reported)
    own = Participation.objects.filter(~Exists(made), player=reporter, match__in=theirs.values("match")[:_LOOKED_AT])
    met = own.filter(match__ended_at__gte=now - REPORTABLE).order_by("-match")
    return met.values_list("match", flat=True).first()


@retried
@transaction.atomic
def review_cases(
    cases: Mapping[int, int], *, uphold: bool, by: User | None, reason: str, now: dt.datetime
) -> list[ComplaintCase]:
    """Close the open ones of these cases, and return them. Only moderators read the reason; nothing else follows.

    `cases`: by id, how many complaints the moderator has seen; a case that holds others by now stays open. Raises
    ValueError without a reason.
    """
    check_reason(reason)
    locked = _lock(ComplaintCase.objects.filter(pk__in=cases, verdict=ComplaintCase.OPEN))
    still_open = [case for case in locked if case.complaints_count == cases[case.pk]]
    verdict = ComplaintCase.UPHELD if uphold else ComplaintCase.DISMISSED
    ComplaintCase.objects.filter(pk__in=[case.pk for case in still_open]).update(
        verdict=verdict, reviewed_at=Greatest(Value(now, DateTimeField()), F("newest_at")), reviewed_by=by,
        reason=reason,
    )  # fmt: skip
    _record("uphold reports" if uphold else "dismiss reports", still_open, by=by, reason=reason, now=now)
    return still_open


@retried
@transaction.atomic
def reopen_cases(cases: Iterable[int], *, by: User | None, reason: str, now: dt.datetime) -> list[ComplaintCase]:
    """Open closed cases of these again, and return them. What was reported since then joins them.

    Of several cases of a player, the last is opened. Raises ValueError without a reason.
    """
    check_reason(reason)
    chosen = ComplaintCase.objects.filter(pk__in=list(cases)).exclude(verdict=ComplaintCase.OPEN)
    list(Player.objects.filter(complaint_cases__in=chosen).order_by("pk").select_for_update(of=("self",), no_key=True))
    closed = {case.player_id: case for case in _lock(chosen)}
    newer = _lock(ComplaintCase.objects.filter(player__in=closed, verdict=ComplaintCase.OPEN))
    for case in newer:
        _join(case, closed[case.player_id])
    ids = [case.pk for case in closed.values()]
    opened = {"verdict": ComplaintCase.OPEN, "reviewed_at": None, "reviewed_by": None, "reason": ""}
    ComplaintCase.objects.filter(pk__in=ids).update(**opened)
    _count(ids)
    _record("reopen reports", list(closed.values()), by=by, reason=reason, now=now)
    return list(closed.values())


def drop_old_complaints(now: dt.datetime) -> int:
    """Delete cases that were reviewed more than RUNGS_COMPLAINTS_KEPT days ago, in chunks; returns how many."""
    old = ComplaintCase.objects.filter(reviewed_at__lt=now - dt.timedelta(days=settings.COMPLAINTS_KEPT))
    dropped = 0
    while number := _drop_some(old):
        dropped += number
    return dropped


@transaction.atomic
def _drop_some(old: QuerySet[ComplaintCase]) -> int:
    oldest = old.order_by("reviewed_at").values("pk")[:_CHUNK]
    ids = [case.pk for case in _lock(old.filter(pk__in=oldest))]  # without those that were opened again meanwhile
    Complaint.objects.filter(case__in=ids).delete()
    ComplaintCase.objects.filter(pk__in=ids).delete()
    return len(ids)


def merge_complaints(kept: Player, merged: Player) -> Record:
    """Give what the merged player reported, and what was reported about them, to the player who is kept.

    Nobody reports themself by that: two players of one match can't be merged. The caller has locked the players.
    """
    _lock(ComplaintCase.objects.filter(player__in=(kept, merged)))  # no review closes a case meanwhile
    about = ComplaintCase.objects.filter(player=merged)
    theirs = Complaint.objects.filter(Q(reporter=merged) | Q(reported=merged))
    with recorded(about, theirs) as record:
        Complaint.objects.filter(reporter=merged).update(reporter=kept)
        Complaint.objects.filter(reported=merged).update(reported=kept)
        own = ComplaintCase.objects.filter(player=kept, verdict=ComplaintCase.OPEN).first()
        other = about.filter(verdict=ComplaintCase.OPEN).first()
        if own is not None and other is not None:
            _join(other, own)
            _count([own.pk])
        ComplaintCase.objects.filter(player=merged).update(player=kept)
    return record


def split_complaints(kept: Player, merged: Player, record: Record) -> None:
    """Give back what `merge_complaints` took. Each complaint ends in a case of the player whom it is about.

    Complaints whose case is the other player's, or isn't made again because an older one was opened meanwhile, join
    their player's open case. The caller has locked the players.
    """
    cases = ComplaintCase.objects.filter(player__in=(kept, merged))
    _lock(cases)
    give_back(record)
    for player in (kept, merged):
        astray = Complaint.objects.filter(reported=player).exclude(case__in=cases.filter(player=player))
        if newest := astray.aggregate(newest=Max("made_at"))["newest"]:
            case, _new = cases.get_or_create(player=player, verdict=ComplaintCase.OPEN, defaults={"newest_at": newest})
            astray.update(case=case)
    _count(list(cases.values_list("pk", flat=True)))
    cases.filter(complaints=None).delete()


def _join(case: ComplaintCase, into: ComplaintCase) -> None:
    Complaint.objects.filter(case=case).update(case=into)
    newest = max(case.newest_at, into.newest_at)
    ComplaintCase.objects.filter(pk=into.pk).update(newest_at=newest)
    case.delete()


def _count(cases: list[int]) -> None:
    """Write down how many complaints each of these cases has, and when the newest was made."""
    for case in ComplaintCase.objects.filter(pk__in=cases).annotate(number=Count("complaints")):
        newest = Complaint.objects.filter(case=case).order_by("-made_at").values_list("made_at", flat=True).first()
        ComplaintCase.objects.filter(pk=case.pk).update(
            complaints_count=case.number, newest_at=newest or case.newest_at
        )


def _lock(cases: QuerySet[ComplaintCase]) -> list[ComplaintCase]:
    return list(cases.select_related("player").select_for_update(of=("self",), no_key=True).order_by("id"))


def _record(act: str, cases: list[ComplaintCase], **details: Any) -> None:
    record_acts(act, [(f"reports {case.pk}", case.player_id) for case in cases], **details)
