"""Proposed bans: whoever may not ban so long proposes it, and another moderator confirms or refuses it.

The player hears of a ban only once it is in force, and reads the reason that was proposed. Nobody confirms or refuses
a proposal of their own, nor one of a ban that they couldn't give at once.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Iterable
from itertools import groupby

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from ranking.database.retries import retried
from ranking.models import BanProposal, Player
from ranking.moderation.ban_limits import BAN_RIGHT, MayNotBan, find_limit
from ranking.moderation.sanctions import ban_players, lock_rows, owners_of
from ranking.operations.audit import check_reason, record_acts
from ranking.players.players import share_every_mode

_NAMED = 3  # proposals that a sentence names


class MayNotDecide(MayNotBan):
    """Somebody may not decide about these proposals. The text is a sentence for them."""


@retried
@transaction.atomic
def propose_bans(
    players: Collection[Player],
    *,
    scope: str,
    hours: int | None,
    by: User | None,
    reason: str,
    now: dt.datetime,
    note: str = "",
) -> list[BanProposal]:
    """Propose to ban players for so many hours, or for good (None). Players of an open proposal get no second one.

    Nor do players who left for good. A merged player's proposal is about the player who was kept. Raises ValueError
    without a reason.
    """
    check_reason(reason)
    share_every_mode()
    owners = [player.pk for player in owners_of(players)]
    present = lock_rows(Player.objects.filter(pk__in=owners, anonymised_at=None))
    proposed = set(BanProposal.objects.filter(player__in=owners, decided_at=None).values_list("player", flat=True))
    proposals = BanProposal.objects.bulk_create(
        BanProposal(player=player, scope=scope, hours=hours, by=by, reason=reason, note=note, proposed_at=now)
        for player in present
        if player.pk not in proposed
    )
    lines = [
        (f"proposed ban {row.pk} from {row.get_scope_display()} {row.length_text}", row.player_id) for row in proposals
    ]
    record_acts("propose ban", lines, by=by, reason=reason, note=note, now=now)
    return proposals


def may_decide(row: BanProposal, by: User) -> bool:
    """True if this person may confirm or refuse the proposal, as far as it is open. They have the right to ban."""
    limit = find_limit(by, BAN_RIGHT)
    return not _is_own(row, by) and (limit is None or limit.allows(row.scope, row.length))


@retried
@transaction.atomic
def confirm_proposals(proposals: Iterable[int], *, by: User | None, reason: str, now: dt.datetime) -> list[BanProposal]:
    """Ban as the open ones of these proposals say, from now on, and return them. Only moderators read `reason`.

    Raises ValueError without a reason, MayNotDecide for proposals of one's own, and MayNotBan.
    """
    locked = _lock_open(proposals, _check_decider, by=by, reason=reason)
    for _, group in groupby(sorted(locked, key=_terms), key=_terms):
        rows = list(group)
        first, players = rows[0], [row.player for row in rows]
        ends_at = None if first.length is None else now + first.length
        texts = {"reason": first.reason, "note": first.note}
        bans = ban_players(players, scope=first.scope, ends_at=ends_at, by=by, now=now, **texts)
        by_player = {ban.player_id: ban for ban in bans}
        for row in rows:
            row.ban = by_player[row.player.owner.pk]
    return _decide(locked, BanProposal.CONFIRMED, by=by, reason=reason, now=now)


@retried
@transaction.atomic
def refuse_proposals(proposals: Iterable[int], *, by: User | None, reason: str, now: dt.datetime) -> list[BanProposal]:
    """Refuse the open ones of these proposals, and return them. Only moderators read `reason`.

    Raises ValueError without a reason, and MayNotDecide.
    """
    locked = _lock_open(proposals, _check_decider, by=by, reason=reason)
    return _decide(locked, BanProposal.REFUSED, by=by, reason=reason, now=now)


@retried
@transaction.atomic
def withdraw_proposals(
    proposals: Iterable[int], *, by: User | None, reason: str, now: dt.datetime
) -> list[BanProposal]:
    """Withdraw the open ones of these proposals, and return them. Raises MayNotDecide for proposals of others.

    Raises ValueError without a reason.
    """
    locked = _lock_open(proposals, _check_proposer, by=by, reason=reason)
    return _decide(locked, BanProposal.WITHDRAWN, by=by, reason=reason, now=now)


@retried
@transaction.atomic
def reopen_proposals(proposals: Iterable[int], *, by: User | None, reason: str, now: dt.datetime) -> list[BanProposal]:
    """Have refused proposals wait again, and return them. Those whose player has an open proposal stay as they are.

    Raises ValueError without a reason, and MayNotDecide.
    """
    check_reason(reason)
    share_every_mode()
    rows = BanProposal.objects.filter(pk__in=proposals, decision=BanProposal.REFUSED, player__anonymised_at=None)
    players = sorted(set(rows.values_list("player", flat=True)))
    lock_rows(Player.objects.filter(pk__in=players))
    locked = _lock(rows)
    taken = set(BanProposal.objects.filter(player__in=players, decided_at=None).values_list("player", flat=True))
    reopened = []
    for row in locked:
        if row.player_id not in taken:
            taken.add(row.player_id)
            reopened.append(row)
    _check_decider(reopened, by)
    BanProposal.objects.filter(pk__in=[row.pk for row in reopened]).update(
        decision="", decided_at=None, decided_by=None, answer=""
    )
    _record("reopen proposed ban", reopened, by=by, reason=reason, now=now)
    return reopened


def _lock(rows: QuerySet[BanProposal]) -> list[BanProposal]:
    return lock_rows(rows.select_related("player__merged_into"))


def _lock_open(
    proposals: Iterable[int],
    check: Callable[[list[BanProposal], User | None], None],
    *,
    by: User | None,
    reason: str,
) -> list[BanProposal]:
    """Lock the open ones of these proposals, and return them. `check` raises if this person may not decide them so."""
    check_reason(reason)
    share_every_mode()  # keeps merges away, and comes before all other locks
    locked = _lock(BanProposal.objects.filter(pk__in=proposals, decided_at=None))
    check(locked, by)
    return locked


def _check_decider(rows: list[BanProposal], by: User | None) -> None:
    _check([row for row in rows if _is_own(row, by)], "You proposed this yourself: another moderator decides")
    limit = find_limit(by, BAN_RIGHT)
    too_long = [row for row in rows if limit is not None and not limit.allows(row.scope, row.length)]
    _check(too_long, "You may not give such a ban yourself, so another moderator decides")


def _check_proposer(rows: list[BanProposal], by: User | None) -> None:
    _check([row for row in rows if by is not None and not _is_own(row, by)], "Only who proposed a ban withdraws it")


def _is_own(row: BanProposal, by: User | None) -> bool:
    return by is not None and row.by_id == by.pk


def _check(refused: list[BanProposal], sentence: str) -> None:
    if refused:
        names = "; ".join(map(str, refused[:_NAMED]))
        more = f"; and {len(refused) - _NAMED:,} more" if len(refused) > _NAMED else ""
        raise MayNotDecide(f"{sentence} ({names}{more}). Nothing has changed.")


def _decide(
    rows: list[BanProposal], decision: str, *, by: User | None, reason: str, now: dt.datetime
) -> list[BanProposal]:
    for row in rows:
        row.decision, row.decided_at, row.decided_by, row.answer = decision, max(now, row.proposed_at), by, reason
    BanProposal.objects.bulk_update(rows, ["decision", "decided_at", "decided_by", "answer", "ban"], batch_size=500)
    verb = {BanProposal.CONFIRMED: "confirm", BanProposal.REFUSED: "refuse", BanProposal.WITHDRAWN: "withdraw"}
    _record(f"{verb[decision]} proposed ban", rows, by=by, reason=reason, now=now)
    return rows


def _record(act: str, rows: list[BanProposal], *, by: User | None, reason: str, now: dt.datetime) -> None:
    lines = [(f"proposed ban {row.pk}", row.player_id) for row in rows]
    record_acts(act, lines, by=by, reason=reason, now=now)


def _terms(row: BanProposal) -> tuple[str, int, str, str]:
    """What the ban will be: proposals alike are confirmed together."""
    return row.scope, row.hours or 0, row.reason, row.note
