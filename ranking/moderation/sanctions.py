"""Sanctions by moderators: pardon, ban, extend, lift, hide, show.

Each act has a moderator and a reason, and writes a line of the audit log for each row, in a handful of statements.
"""

import datetime as dt
from collections.abc import Collection, Iterable
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import DateTimeField, F, Q, QuerySet, Value
from django.db.models.functions import Greatest

from ranking.database.bulk_writes import insert_rows
from ranking.database.retries import retried
from ranking.models import Appeal, Ban, Incident, Pardon, Player
from ranking.operations.audit import check_reason, record_acts
from ranking.players.players import relist_all, share_every_mode


def lock_rows(rows: QuerySet[Any]) -> list[Any]:
    """Lock rows in the order of their ids and return them. Conditions on other tables have to be checked afterwards."""
    return list(rows.select_for_update(of=("self",), no_key=True).order_by("id"))


@retried
@transaction.atomic
def pardon_incidents(incidents: Iterable[int], *, by: User | None, reason: str, now: dt.datetime) -> list[Incident]:
    """Undo the consequences of these incidents, but not ratings. Return those that weren't pardoned before.

    `incidents`: ids, or a query of ids. Appeals against the incidents are granted. Raises ValueError without a reason.
    """
    check_reason(reason)
    locked = lock_rows(Incident.objects.filter(pk__in=incidents).select_related("player"))
    in_force = Pardon.objects.filter(incident__in=[row.pk for row in locked], lifted_at=None)
    earlier = set(in_force.values_list("incident", flat=True))
    pardoned = [incident for incident in locked if incident.pk not in earlier]
    lines = [(f"incident {incident.pk}", incident.player_id) for incident in pardoned]
    record_acts("pardon", lines, by=by, reason=reason, now=now)
    insert_rows([Pardon(incident=incident, pardoned_at=now, by=by, reason=reason) for incident in pardoned])
    ids = [incident.pk for incident in pardoned]
    settle(Appeal.objects.filter(incident__in=ids), Appeal.GRANTED, by=by, reason=reason, now=now)
    return pardoned


def ban_player(
    player: Player, *, scope: str, by: User | None, reason: str, now: dt.datetime, ends_at: dt.datetime | None = None
) -> Ban:
    """Ban a player from queues, boards or both; see ban_players."""
    return ban_players([player], scope=scope, by=by, reason=reason, now=now, ends_at=ends_at)[0]


@retried
@transaction.atomic
def ban_players(
    players: Collection[Player],
    *,
    scope: str,
    by: User | None,
    reason: str,
    now: dt.datetime,
    ends_at: dt.datetime | None = None,
) -> list[Ban]:
    """Ban players from queues, boards or both, from now on. `ends_at` None: until the ban is lifted.

    A player may have several bans. Boards change with the next publication. Raises ValueError without a reason.
    """
    check_reason(reason)
    share_every_mode()
    fields: dict[str, Any] = {"scope": scope, "by": by, "reason": reason, "starts_at": now, "ends_at": ends_at}
    bans = Ban.objects.bulk_create(Ban(player=player, **fields) for player in players)
    _note(bans, "ban", by, reason, now)
    return bans


def lift_ban(ban: Ban, *, by: User | None, reason: str, now: dt.datetime) -> bool:
    """End a ban. Return False if it has ended already. Raises ValueError without a reason."""
    return bool(lift_bans([ban.pk], by=by, reason=reason, now=now))


@retried
@transaction.atomic
def lift_bans(bans: Iterable[int], *, by: User | None, reason: str, now: dt.datetime) -> list[Ban]:
    """End the running ones of these bans, and return them. Appeals against them are granted.

    Raises ValueError without a reason.
    """
    check_reason(reason)
    share_every_mode()
    locked = lock_rows(Ban.objects.filter(pk__in=bans).select_related("player"))
    running = [ban for ban in locked if ban.runs(now)]
    ids = [ban.pk for ban in running]
    Ban.objects.filter(pk__in=ids).update(lifted_at=now, lifted_by=by, lift_reason=reason)
    _note(running, "lift", by, reason, now)
    settle(Appeal.objects.filter(ban__in=ids), Appeal.GRANTED, by=by, reason=reason, now=now)
    return running


@retried
@transaction.atomic
def extend_bans(
    bans: Iterable[int], *, ends_at: dt.datetime | None, by: User | None, reason: str, now: dt.datetime
) -> list[Ban]:
    """Make running bans of these end later, or never (`ends_at` None); none ends earlier. Return those changed.

    Raises ValueError without a reason.
    """
    check_reason(reason)
    share_every_mode()
    locked = lock_rows(Ban.objects.filter(pk__in=bans).select_related("player"))
    shorter = [ban for ban in locked if ban.runs(now) and ban.ends_at and (ends_at is None or ban.ends_at < ends_at)]
    Ban.objects.filter(pk__in=[ban.pk for ban in shorter]).update(ends_at=ends_at)
    _note(shorter, "extend", by, reason, now)
    return shorter


@retried
@transaction.atomic
def hide_players(players: Iterable[int], *, by: User | None, reason: str, now: dt.datetime) -> list[Player]:
    """Hide players from every board, with the next publication. Their matches are still rated."""
    shown = Q(hidden_at=None)
    return _set_hidden(players, shown, now, "hide", by, reason, now)


@retried
@transaction.atomic
def show_players(players: Iterable[int], *, by: User | None, reason: str, now: dt.datetime) -> list[Player]:
    """Show hidden players on boards again, with the next publication, unless they left for good or were merged."""
    hidden = Q(hidden_at__isnull=False, anonymised_at=None, merged_into=None)
    return _set_hidden(players, hidden, None, "show", by, reason, now)


def _set_hidden(
    players: Iterable[int],
    which: Q,
    hidden_at: dt.datetime | None,
    act: str,
    by: User | None,
    reason: str,
    now: dt.datetime,
) -> list[Player]:
    check_reason(reason)
    share_every_mode()
    changed = lock_rows(Player.objects.filter(which, pk__in=players))
    ids = [player.pk for player in changed]
    Player.objects.filter(pk__in=ids).update(hidden_at=hidden_at)
    relist_all(ids)
    record_acts(act, [(f"player {pk}", pk) for pk in ids], by=by, reason=reason, now=now)
    return changed


def settle(appeals: QuerySet[Appeal], decision: str, *, by: User | None, reason: str, now: dt.datetime) -> list[Appeal]:
    """Decide the open ones of these appeals, inside the caller's transaction, with lines in the audit log."""
    still_open = lock_rows(appeals.filter(decided_at=None))
    ids = [appeal.pk for appeal in still_open]
    later = Greatest(Value(now, DateTimeField()), F("made_at"))
    Appeal.objects.filter(pk__in=ids).update(decision=decision, decided_at=later, decided_by=by, answer=reason)
    lines = [(appeal.subject, appeal.player_id) for appeal in still_open]
    record_acts(f"appeal {decision}", lines, by=by, reason=reason, now=now)
    return still_open


def _note(bans: Collection[Ban], act: str, by: User | None, reason: str, now: dt.datetime) -> None:
    lines = [(f"ban {ban.pk} from {ban.get_scope_display()}", ban.player_id) for ban in bans]
    record_acts(act, lines, by=by, reason=reason, now=now)
    relist_all(ban.player_id for ban in bans if ban.scope != Ban.QUEUE)
