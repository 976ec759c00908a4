"""Notes on players, which only moderators read, and warnings, which players read and which have no other effect.

Neither is ever changed or deleted: each can be withdrawn, and stays. The audit log names a note without its text,
because more people read the log than the notes.
"""

import datetime as dt
from collections.abc import Iterable

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import DateTimeField, F, Value
from django.db.models.functions import Greatest

from ranking.database.retries import retried
from ranking.models import Player, PlayerNote, PlayerWarning
from ranking.moderation.sanctions import lock_rows, owners_of
from ranking.operations.audit import check_reason, record_acts
from ranking.players.players import share_every_mode

_ADDED = "A note for moderators."


@retried
@transaction.atomic
def add_notes(players: Iterable[Player], *, text: str, by: User | None, now: dt.datetime) -> list[PlayerNote]:
    """Write the same note on each of these players. Players who left for good get none.

    A note on a merged player is written on the player who was kept. Raises ValueError without a text, or if it is too
    long.
    """
    text = text.strip()
    if not text:
        raise ValueError("Write a note.")
    if len(text) > PlayerNote.LONGEST:
        raise ValueError(f"Write at most {PlayerNote.LONGEST:,} characters; these are {len(text):,}.")
    owners = _lock_owners(players)
    notes = PlayerNote.objects.bulk_create(
        PlayerNote(player=player, text=text, by=by, written_at=now) for player in owners
    )
    lines = [(f"note {note.pk}", note.player_id) for note in notes]
    record_acts("add note", lines, by=by, reason=_ADDED, now=now)
    return notes


@retried
@transaction.atomic
def withdraw_notes(notes: Iterable[int], *, by: User | None, reason: str, now: dt.datetime) -> list[PlayerNote]:
    """Withdraw those of these notes that stand, and return them. Only moderators read the reason.

    Raises ValueError without a reason.
    """
    check_reason(reason)
    standing = lock_rows(PlayerNote.objects.filter(pk__in=notes, withdrawn_at=None).select_related("player"))
    PlayerNote.objects.filter(pk__in=[note.pk for note in standing]).update(
        withdrawn_at=Greatest(Value(now, DateTimeField()), F("written_at")), withdrawn_by=by, withdraw_reason=reason
    )
    lines = [(f"note {note.pk}", note.player_id) for note in standing]
    record_acts("withdraw note", lines, by=by, reason=reason, now=now)
    return standing


@retried
@transaction.atomic
def warn_players(
    players: Iterable[Player], *, by: User | None, reason: str, now: dt.datetime, note: str = ""
) -> list[PlayerWarning]:
    """Warn these players: they read `reason`, and nothing else follows. Players who left for good aren't warned.

    A merged player's warning goes to the player who was kept. Raises ValueError without a reason.
    """
    check_reason(reason)
    owners = _lock_owners(players)
    warnings = PlayerWarning.objects.bulk_create(
        PlayerWarning(player=player, by=by, reason=reason, note=note, warned_at=now) for player in owners
    )
    lines = [(f"warning {warning.pk}", warning.player_id) for warning in warnings]
    record_acts("warn", lines, by=by, reason=reason, note=note, now=now)
    return warnings


@retried
@transaction.atomic
def withdraw_warnings(
    warnings: Iterable[int], *, by: User | None, reason: str, now: dt.datetime, note: str = ""
) -> list[PlayerWarning]:
    """Withdraw those of these warnings that stand, and return them. The player reads `reason`.

    Raises ValueError without a reason.
    """
    check_reason(reason)
    standing = lock_rows(PlayerWarning.objects.filter(pk__in=warnings, lifted_at=None).select_related("player"))
    PlayerWarning.objects.filter(pk__in=[warning.pk for warning in standing]).update(
        lifted_at=Greatest(Value(now, DateTimeField()), F("warned_at")), lifted_by=by, lift_reason=reason,
        lift_note=note,
    )  # fmt: skip
    lines = [(f"warning {warning.pk}", warning.player_id) for warning in standing]
    record_acts("withdraw warning", lines, by=by, reason=reason, note=note, now=now)
    return standing


def _lock_owners(players: Iterable[Player]) -> list[Player]:
    """Return the players to whom these accounts belong, each once, and keep merges and erasures from them meanwhile."""
    share_every_mode()
    owners = [player.pk for player in owners_of(players)]
    return lock_rows(Player.objects.filter(pk__in=owners, anonymised_at=None))
