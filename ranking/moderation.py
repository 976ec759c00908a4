"""What moderators do about conduct: pardon, ban, lift. Each with who and why, and a line in the audit log."""

import datetime as dt
from collections.abc import Iterable

from django.contrib.auth.models import User
from django.db import transaction

from ranking.audit import note
from ranking.models import Ban, Incident, Pardon, Player
from ranking.players import relist


@transaction.atomic
def pardon_incidents(incidents: Iterable[int], *, by: User | None, reason: str, now: dt.datetime) -> list[Incident]:
    """Undo the consequences of these incidents, never ratings; those that weren't pardoned before.

    Raises ValueError without a reason.
    """
    found = Incident.objects.filter(pk__in=incidents, pardon=None).select_related("player")
    pardoned = list(found.select_for_update(of=("self",), no_key=True).order_by("id"))
    for incident in pardoned:
        note("pardon", f"incident {incident.pk}", player=incident.player, by=by, reason=reason, now=now)
    Pardon.objects.bulk_create(
        Pardon(incident=incident, pardoned_at=now, by=by, reason=reason) for incident in pardoned
    )
    return pardoned


@transaction.atomic
def ban_player(
    player: Player, *, scope: str, by: User | None, reason: str, now: dt.datetime, ends_at: dt.datetime | None = None
) -> Ban:
    """Keep a player from queues, boards or both from now on; `ends_at` None: until it is lifted.

    Of several bans each holds: to extend one, ban again. Boards follow with the next publication.
    """
    ban = Ban.objects.create(player=player, scope=scope, by=by, reason=reason, starts_at=now, ends_at=ends_at)
    _note(ban, "ban", by, reason, now)
    return ban


@transaction.atomic
def lift_ban(ban: Ban, *, by: User | None, reason: str, now: dt.datetime) -> bool:
    """End a ban; False where it is over. Raises ValueError without a reason."""
    locked = Ban.objects.select_for_update(of=("self",)).select_related("player").get(pk=ban.pk)
    if not locked.runs(now):
        return False
    _note(locked, "lift", by, reason, now)
    locked.lifted_at, locked.lifted_by, locked.lift_reason = now, by, reason
    locked.save(update_fields=["lifted_at", "lifted_by", "lift_reason"])
    return True


def _note(ban: Ban, act: str, by: User | None, reason: str, now: dt.datetime) -> None:
    note(act, f"ban {ban.pk} from {ban.get_scope_display()}", player=ban.player, by=by, reason=reason, now=now)
    if ban.scope != Ban.QUEUE:
        relist(ban.player)
