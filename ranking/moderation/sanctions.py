"""Sanctions by moderators: pardon, ban, extend, lift, hide, show, take former names away.

Each act has a moderator, a reason that the player reads and a note that only moderators read, and writes a line of the
audit log for each row, in a handful of statements. Who may ban how long is in ranking.moderation.ban_limits. What takes
these acts back is in ranking.moderation.undoing.
"""

import datetime as dt
from collections.abc import Collection, Iterable
from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import DateTimeField, F, Model, Q, QuerySet, Value
from django.db.models.functions import Greatest

from ranking.database.bulk_writes import insert_rows
from ranking.database.retries import retried
from ranking.models import Appeal, Ban, BanAct, Hiding, Incident, Pardon, Player, PlayerName
from ranking.moderation.ban_limits import (
    BAN_RIGHT,
    EXTEND_RIGHT,
    LIFT_RIGHT,
    check_may_end,
    check_may_give,
    with_end,
)
from ranking.operations.audit import check_reason, record_acts
from ranking.players.players import relist_all, share_every_mode

M = TypeVar("M", bound=Model)


def lock_rows(rows: QuerySet[M]) -> list[M]:
    """Lock rows in the order of their ids and return them. Conditions on other tables have to be checked afterwards."""
    return list(rows.select_for_update(of=("self",), no_key=True).order_by("id"))


def owners_of(players: Iterable[Player]) -> list[Player]:
    """Return the players to whom these accounts belong, each once. An act keeps merges away meanwhile."""
    rows = Player.objects.filter(pk__in=[player.pk for player in players]).select_related("merged_into").order_by("pk")
    return list({row.owner.pk: row.owner for row in rows}.values())


@retried
@transaction.atomic
def pardon_incidents(
    incidents: Iterable[int], *, by: User | None, reason: str, now: dt.datetime, note: str = ""
) -> list[Incident]:
    """Undo the consequences of these incidents, but not ratings. Return those that weren't pardoned before.

    `incidents`: ids, or a query of ids. Appeals against the incidents are granted. Raises ValueError without a reason.
    """
    check_reason(reason)
    locked = lock_rows(Incident.objects.filter(pk__in=incidents).select_related("player"))
    in_force = Pardon.objects.filter(incident__in=[row.pk for row in locked], lifted_at=None)
    earlier = set(in_force.values_list("incident", flat=True))
    pardoned = [incident for incident in locked if incident.pk not in earlier]
    lines = [(f"incident {incident.pk}", incident.player_id) for incident in pardoned]
    record_acts("pardon", lines, by=by, reason=reason, note=note, now=now)
    insert_rows([Pardon(incident=row, pardoned_at=now, by=by, reason=reason, note=note) for row in pardoned])
    ids = [incident.pk for incident in pardoned]
    settle(Appeal.objects.filter(incident__in=ids), Appeal.GRANTED, by=by, reason=reason, note=note, now=now)
    return pardoned


@retried
@transaction.atomic
def ban_players(
    players: Collection[Player],
    *,
    scope: str,
    by: User | None,
    reason: str,
    now: dt.datetime,
    note: str = "",
    ends_at: dt.datetime | None = None,
) -> list[Ban]:
    """Ban players from queues, boards or both, from now on. `ends_at` None: until the ban is lifted.

    A merged player's ban stands on the player who was kept. A player may have several bans; one who has left for good
    gets none. Boards change with the next publication. Raises ValueError without a reason, and MayNotBan.
    """
    check_reason(reason)
    share_every_mode()  # keeps merges away
    texts = {"reason": reason, "note": note}
    fields: dict[str, object] = {"scope": scope, "by": by, **texts, "starts_at": now, "ends_at": ends_at}
    present = [player for player in owners_of(players) if player.anonymised_at is None]
    bans = [Ban(player=player, **fields) for player in present]
    check_may_give(bans, by=by, right=BAN_RIGHT)
    Ban.objects.bulk_create(bans)
    _record(bans, "ban", by=by, reason=reason, note=note, now=now)
    return bans


@retried
@transaction.atomic
def lift_bans(bans: Iterable[int], *, by: User | None, reason: str, now: dt.datetime, note: str = "") -> list[Ban]:
    """End the running ones of these bans, and return them. Appeals against them are granted.

    Raises ValueError without a reason, and MayNotBan for bans that `by` may not have given.
    """
    share_every_mode()
    locked = lock_rows(Ban.objects.filter(pk__in=bans).select_related("player"))
    check_may_end([ban for ban in locked if ban.runs(now)], by=by, right=LIFT_RIGHT)
    return lift_locked(locked, by=by, reason=reason, now=now, note=note)


def lift_locked(bans: Iterable[Ban], *, by: User | None, reason: str, now: dt.datetime, note: str = "") -> list[Ban]:
    """End the running ones of these locked bans, inside the caller's transaction, whoever may have given them."""
    check_reason(reason)
    running = [ban for ban in bans if ban.runs(now)]
    ids = [ban.pk for ban in running]
    Ban.objects.filter(pk__in=ids).update(lifted_at=now, lifted_by=by, lift_reason=reason, lift_note=note)
    _add_acts(running, BanAct.LIFT, now, by, reason, note, {})
    settle(Appeal.objects.filter(ban__in=ids), Appeal.GRANTED, by=by, reason=reason, note=note, now=now)
    return running


@retried
@transaction.atomic
def extend_bans(
    bans: Iterable[int], *, ends_at: dt.datetime | None, by: User | None, reason: str, now: dt.datetime, note: str = ""
) -> list[Ban]:
    """Make running bans of these end later, or never (`ends_at` None); none ends earlier. Return those changed.

    Raises ValueError without a reason, and MayNotBan.
    """
    check_reason(reason)
    share_every_mode()
    locked = lock_rows(Ban.objects.filter(pk__in=bans).select_related("player"))
    shorter = [ban for ban in locked if ban.runs(now) and ban.ends_at and (ends_at is None or ban.ends_at < ends_at)]
    check_may_give([with_end(ban, ends_at) for ban in shorter], by=by, right=EXTEND_RIGHT)
    return _add_acts(shorter, BanAct.EXTEND, now, by, reason, note, {"ends_at": ends_at})


@retried
@transaction.atomic
def shorten_bans(
    bans: Iterable[int], *, ends_at: dt.datetime, by: User | None, reason: str, now: dt.datetime, note: str = ""
) -> list[Ban]:
    """Make running bans of these end earlier, but not before now; none ends later. Return those changed.

    Raises ValueError without a reason, or if `ends_at` isn't later than now; and MayNotBan for bans that `by` may not
    have given.
    """
    check_reason(reason)
    if ends_at <= now:
        raise ValueError("That is over already: lift the ban.")
    share_every_mode()
    locked = lock_rows(Ban.objects.filter(pk__in=bans).select_related("player"))
    longer = [ban for ban in locked if ban.runs(now) and (ban.ends_at is None or ban.ends_at > ends_at)]
    check_may_end(longer, by=by, right=EXTEND_RIGHT)
    return _add_acts(longer, BanAct.SHORTEN, now, by, reason, note, {"ends_at": ends_at})


@transaction.atomic
def resume_bans(bans: Iterable[int], *, by: User | None, reason: str, now: dt.datetime, note: str = "") -> list[Ban]:
    """Put lifted bans in force again until their end, if that is still to come. Return those that run again.

    It doesn't open appeals again: ranking.moderation.undoing does. Raises ValueError without a reason.
    """
    check_reason(reason)
    share_every_mode()
    locked = lock_rows(Ban.objects.filter(pk__in=bans, lifted_at__isnull=False).select_related("player"))
    lifted = [ban for ban in locked if ban.ends_at is None or ban.ends_at > now]
    in_force = {"lifted_at": None, "lifted_by": None, "lift_reason": "", "lift_note": ""}
    return _add_acts(lifted, BanAct.RESUME, now, by, reason, note, in_force)


@retried
@transaction.atomic
def hide_players(
    players: Iterable[int], *, by: User | None, reason: str, now: dt.datetime, note: str = ""
) -> list[Player]:
    """Hide players from every board, with the next publication. Their matches are still rated."""
    hidden = _set_hidden(players, Q(hidden_at=None), now, "hide", by=by, reason=reason, note=note, now=now)
    known = set(Hiding.objects.filter(player__in=hidden, lifted_at=None).values_list("player", flat=True))
    new = [player for player in hidden if player.pk not in known]
    insert_rows([Hiding(player=player, hidden_at=now, by=by, reason=reason, note=note) for player in new])
    return hidden


@retried
@transaction.atomic
def show_players(
    players: Iterable[int], *, by: User | None, reason: str, now: dt.datetime, note: str = ""
) -> list[Player]:
    """Show hidden players on boards again, with the next publication, unless they left for good or were merged."""
    hidden = Q(hidden_at__isnull=False, anonymised_at=None, merged_into=None)
    shown = _set_hidden(players, hidden, None, "show", by=by, reason=reason, note=note, now=now)
    lifted_at = Greatest(Value(now, DateTimeField()), F("hidden_at"))
    Hiding.objects.filter(player__in=shown, lifted_at=None).update(
        lifted_at=lifted_at, lifted_by=by, lift_reason=reason, lift_note=note
    )
    return shown


def _set_hidden(
    players: Iterable[int], which: Q, hidden_at: dt.datetime | None, act: str, **details: Any
) -> list[Player]:
    check_reason(details["reason"])
    share_every_mode()
    changed = lock_rows(Player.objects.filter(which, pk__in=players))
    ids = [player.pk for player in changed]
    Player.objects.filter(pk__in=ids).update(hidden_at=hidden_at)
    relist_all(ids)
    record_acts(act, [(f"player {pk}", pk) for pk in ids], **details)
    return changed


def settle(
    appeals: QuerySet[Appeal], decision: str, *, by: User | None, reason: str, now: dt.datetime, note: str = ""
) -> list[Appeal]:
    """Decide the open ones of these appeals, inside the caller's transaction, with lines in the audit log."""
    still_open = lock_rows(appeals.filter(decided_at=None))
    later = Greatest(Value(now, DateTimeField()), F("made_at"))
    Appeal.objects.filter(pk__in=[appeal.pk for appeal in still_open]).update(
        decision=decision, decided_at=later, decided_by=by, answer=reason, note=note
    )
    lines = [(appeal.subject, appeal.player_id) for appeal in still_open]
    record_acts(f"appeal {decision}", lines, by=by, reason=reason, note=note, now=now)
    return still_open


def _add_acts(
    bans: list[Ban], act: str, now: dt.datetime, by: User | None, reason: str, note: str, changed: dict[str, Any]
) -> list[Ban]:
    """Change these columns of the bans and write down the act, for each ban and in the audit log."""
    details: dict[str, Any] = {"by": by, "reason": reason, "note": note}
    ends = [(ban, ban.ends_at, changed.get("ends_at", ban.ends_at)) for ban in bans]
    if changed:
        Ban.objects.filter(pk__in=[ban.pk for ban in bans]).update(**changed)
    insert_rows([BanAct(ban=ban, act=act, at=now, ended_at=old, ends_at=new, **details) for ban, old, new in ends])
    _record(bans, act, now=now, **details)
    return bans


def _record(bans: Collection[Ban], act: str, **details: Any) -> None:
    """Write a line of the audit log for each ban, and have those published anew whom it takes off boards."""
    lines = [(f"ban {ban.pk} from {ban.get_scope_display()}", ban.player_id) for ban in bans]
    record_acts(act, lines, **details)
    relist_all(ban.player_id for ban in bans if ban.scope != Ban.QUEUE)


@retried
@transaction.atomic
def take_names_away(
    players: Iterable[int], *, by: User | None, reason: str, now: dt.datetime, note: str = ""
) -> list[Player]:
    """Take all former names of these players away from the public. Return those who had one that it still saw.

    The present name stays: the game gives it. Raises ValueError without a reason.
    """
    check_reason(reason)
    public = PlayerName.objects.filter(player__in=list(players), taken_away=False).exclude(name=F("player__name"))
    changed = lock_rows(Player.objects.filter(pk__in=public.values("player")))
    ids = [player.pk for player in changed]
    names = PlayerName.objects.filter(pk__in=list(public.filter(player__in=ids).values_list("pk", flat=True)))
    names.update(taken_away=True)
    record_acts("take names away", [(f"player {pk}", pk) for pk in ids], by=by, reason=reason, note=note, now=now)
    return changed
