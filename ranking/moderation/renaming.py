"""Renaming: a moderator gives a player another name, which stays until it is unlocked or the renaming is undone.

Results go on naming the player as the game does, and are rated as always, but their name isn't taken over: see
rename_players in ranking/players/players.py, and the constraint player_keeps_a_locked_name. The name before is taken
away from the public. A name belongs to the player into whom others are merged; those keep theirs, and locks on them.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import DateTimeField, Exists, F, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Greatest

from ranking import hooks
from ranking.database.bulk_writes import insert_rows
from ranking.database.retries import retried
from ranking.models import Player, PlayerName, Renaming
from ranking.moderation.sanctions import lock_rows
from ranking.operations.audit import check_reason, record_acts
from ranking.players.forbidden_names import check_allowed
from ranking.players.neutral_names import give_neutral_names
from ranking.players.players import give_names, share_every_mode
from ranking.rules.names import BadName
from ranking.wording.dates import utc_text


class RenameRefused(Exception):
    """A player can't be renamed so; the message is a sentence for the moderator."""


@retried
@transaction.atomic
def rename_player(
    players: Iterable[int], *, name: str, by: User | None, reason: str, now: dt.datetime, note: str = ""
) -> list[Player]:
    """Give the one of these players this name, and lock it. Return the player, or nobody if that is so already.

    The player reads `reason`; only moderators read `note`. Raises RenameRefused for several players and a bad name;
    ValueError without a reason.
    """
    ids = list(players)
    if len(ids) > 1:
        raise RenameRefused("Rename one player at a time: two with the same name are hard to tell apart.")
    _check_allowed(name)
    return _rename(ids, lambda player: name, "rename", by=by, reason=reason, now=now, note=note)


@retried
@transaction.atomic
def reset_names(
    players: Iterable[int], *, by: User | None, reason: str, now: dt.datetime, note: str = ""
) -> list[Player]:
    """Give each of these players a neutral name of their own, and lock it. Return those whose name changed.

    Raises ValueError without a reason.
    """
    ids = list(players)
    share_every_mode()
    keys = Player.objects.filter(pk__in=ids).values_list("key", flat=True)
    names = give_neutral_names(keys)
    return _rename(ids, lambda player: names[player.key], "reset name", by=by, reason=reason, now=now, note=note)


@retried
@transaction.atomic
def undo_renamings(
    players: Iterable[int], *, by: User | None, reason: str, now: dt.datetime, note: str = ""
) -> list[Player]:
    """Give these players back the names that they had before a moderator's, and unlock them. Return those players.

    Raises RenameRefused if a name was unlocked since, or if the site forbids the one before, and ValueError without a
    reason.
    """
    check_reason(reason)
    rows = _lock(Q(pk__in=list(players)))
    last = {renaming.player_id: renaming for renaming in Renaming.objects.filter(player__in=rows).order_by("pk")}
    for player in rows:
        if (renaming := last.get(player.pk)) is not None and renaming.lifted_at is not None and not renaming.undone:
            raise RenameRefused(
                f"The name of {player.name} was unlocked on {utc_text(renaming.lifted_at)}, so it isn't the moderators'"
                " any more. Rename the player instead."
            )
    names = {player: last[player.pk].former_name for player in rows if player.locked_name}
    for name in names.values():
        _check_allowed(name)
    lines = _lines(names)
    _unlock(names)
    give_names({player: name for player, name in names.items() if player.name != name}, now)
    given = Renaming.objects.filter(player=OuterRef("player"), lifted_at=None).exclude(former_name=F("name"))
    histories = PlayerName.objects.filter(player__in=names)
    histories.filter(Exists(given.filter(former_name=OuterRef("name")))).update(taken_away=False)
    histories.filter(Exists(given.filter(name=OuterRef("name")))).update(taken_away=True)
    _lift(names, by, reason, now, note, undone=True)
    return _tell("undo rename", lines, list(names), by=by, reason=reason, now=now, note=note)


@retried
@transaction.atomic
def unlock_names(
    players: Iterable[int], *, by: User | None, reason: str, now: dt.datetime, note: str = ""
) -> list[Player]:
    """Let results change the names of these players again, which stay until then. Return those whose name was locked.

    Raises ValueError without a reason.
    """
    check_reason(reason)
    rows = _lock(Q(pk__in=list(players)) & ~Q(locked_name=""))
    _unlock(rows)
    _lift(rows, by, reason, now, note)
    lines = [(f"player {player.pk}: {player.name}", player.pk) for player in rows]
    return _tell("unlock name", lines, rows, by=by, reason=reason, now=now, note=note)


def find_renaming(player: Player) -> Renaming | None:
    """The renaming that locks the player's name, or None."""
    return Renaming.objects.filter(player=player, lifted_at=None).select_related("by").first()


def _rename(
    players: Iterable[int],
    name_of: Callable[[Player], str],
    act: str,
    *,
    by: User | None,
    reason: str,
    now: dt.datetime,
    note: str,
) -> list[Player]:
    check_reason(reason)
    rows = _lock(Q(pk__in=list(players)))
    names = {player: name for player in rows if player.locked_name != (name := name_of(player))}
    texts: Any = {"by": by, "reason": reason, "note": note}
    lines = _lines(names)
    _lift(names, by, reason, now, note)
    _unlock(names)
    insert_rows([
        Renaming(player=player, former_name=player.name, name=name, renamed_at=now, **texts)
        for player, name in names.items()
    ])  # fmt: skip
    give_names({player: name for player, name in names.items() if player.name != name}, now)
    for player, name in names.items():
        player.locked_name = name
    Player.objects.bulk_update(names, ["locked_name"], batch_size=100)
    before = Renaming.objects.filter(player=OuterRef("player"), lifted_at=None, former_name=OuterRef("name"))
    histories = PlayerName.objects.filter(player__in=names)
    histories.filter(Exists(before.exclude(former_name=F("name")))).update(taken_away=True)
    return _tell(act, lines, list(names), now=now, **texts)


def _check_allowed(name: str) -> None:
    try:
        check_allowed(name)
    except BadName as error:
        raise RenameRefused(str(error)) from error


def _unlock(players: Iterable[Player]) -> None:
    """Let the names of these players change; their renamings are lifted beside it."""
    rows = list(players)
    for player in rows:
        player.locked_name = ""
    Player.objects.filter(pk__in=[player.pk for player in rows]).update(locked_name="")


def _lock(which: Q) -> list[Player]:
    """Lock those of these players who have a name of their own; no merge and no erasure happens meanwhile."""
    share_every_mode()
    return lock_rows(Player.objects.filter(which, anonymised_at=None, merged_into=None))


def _lines(names: Mapping[Player, str]) -> list[tuple[str, int]]:
    """The subjects of the log: at most 7 + 19 + 2 + 64 + 3 + 64 characters."""
    return [(f"player {player.pk}: {player.name} → {name}", player.pk) for player, name in names.items()]


def _lift(
    players: Iterable[Player], by: User | None, reason: str, now: dt.datetime, note: str, *, undone: bool = False
) -> None:
    in_force: QuerySet[Any] = Renaming.objects.filter(player__in=list(players), lifted_at=None)
    in_force.update(
        lifted_at=Greatest(Value(now, DateTimeField()), F("renamed_at")), lifted_by=by, lift_reason=reason,
        lift_note=note, undone=undone,
    )  # fmt: skip


def _tell(
    act: str, lines: Sequence[tuple[str, int]], players: list[Player], *, now: dt.datetime, **details: Any
) -> list[Player]:
    record_acts(act, lines, now=now, **details)
    if players:
        for follow in hooks.RENAME_FOLLOWERS.functions():
            follow(players, now)
    return players
