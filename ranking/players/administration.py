"""Acts of administrators on players: release, accept a name, anonymise; each adds a line to the audit log."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable

from django.contrib.auth.models import User
from django.db import transaction

from ranking.database.retries import retried
from ranking.models import Player
from ranking.operations.audit import check_reason, record_acts
from ranking.players.anonymising import anonymise_player, lock_identities
from ranking.players.claims import release_player
from ranking.players.notable_names import accept_name


def release_players(players: Iterable[int], *, by: User | None, reason: str, now: dt.datetime) -> list[Player]:
    """Take players from their accounts; returns the players that had an account."""
    return _act_on_each(players, release_player, "release", by, reason, now)


def accept_names(players: Iterable[int], *, by: User | None, reason: str, now: dt.datetime) -> list[Player]:
    """Accept names that look like somebody else's; returns the players whose name wasn't accepted before."""
    return _act_on_each(players, accept_name, "accept name", by, reason, now)


def anonymise_players(players: Iterable[int], *, by: User | None, reason: str, now: dt.datetime) -> list[Player]:
    """Make players nameless for good; returns them, without players already anonymised or merged into others."""
    return _anonymise_each(list(players), by, reason, now)


@retried
@transaction.atomic
def _anonymise_each(players: list[int], by: User | None, reason: str, now: dt.datetime) -> list[Player]:
    lock_identities(Player.objects.filter(pk__in=players))

    def anonymise(player: Player) -> bool:
        has_name = player.anonymised_at is None and player.merged_into_id is None
        if has_name:
            anonymise_player(player, now=now)
        return has_name

    return _act_on_each(players, anonymise, "anonymise", by, reason, now)


@retried
@transaction.atomic
def _act_on_each(
    players: Iterable[int],
    act: Callable[[Player], bool],
    name: str,
    by: User | None,
    reason: str,
    now: dt.datetime,
) -> list[Player]:
    check_reason(reason)
    changed = [player for player in Player.objects.filter(pk__in=list(players)).order_by("pk") if act(player)]
    record_acts(name, [(f"player {player.pk}", player.pk) for player in changed], by=by, reason=reason, now=now)
    return changed
