"""The audit log: what moderators and the system did, to what, and why."""

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from django.contrib.auth.models import User

from ranking.database.bulk_writes import insert_rows
from ranking.models import AuditEntry, Player
from ranking.models.void import NOTE

# The acts, by which lists can be filtered.
ACTS = (
    "pardon", "take back pardon", "ban", "extend", "shorten", "lift", "resume", "hide", "show", "void", "restore",
    "correct", "add result", "appeal granted", "appeal confirmed", "appeal withdrawn", "reopen appeal", "merge",
    "split", "release", "accept name", "anonymise", "mark as bot", "mark as person", "take names away",
    "rename", "reset name", "undo rename", "unlock name", "end season", "take back end",
    "strike", "lift strike", "seed", "take back seeds", "add note", "withdraw note", "warn",
    "withdraw warning", "propose ban", "confirm proposed ban", "refuse proposed ban", "withdraw proposed ban",
    "reopen proposed ban", "assign appeal", "unassign appeal",
    "uphold reports", "dismiss reports", "reopen reports",
    "change mode", "change parameters", "change queue", "export", "change roles",
    "confirm", "dismiss", "reopen", "sort", "rate anew", "switch system",
    "close lobby", "end ticket", "remove picture", "allow picture",
    "add mode", "change season", "add queue", "add source", "add key", "rotate key", "revoke key",
    "add webhook", "change webhook", "rotate secret", "switch off webhook", "switch on webhook",
    "add canned answer", "change canned answer", "add role", "change role", "delete role",
    "change player", "add account", "change account", "delete account", "change password",
    "add address", "change address", "delete address", "delete second factor", "delete login elsewhere",
)  # fmt: skip
# Who acted, if no account of the staff did: what lists are filtered by → the line's `via`. No login has a colon.
SYSTEM, COMMAND, OWNER = "system:", "command:", "player:"
NOBODY = {SYSTEM: "", COMMAND: "command line", OWNER: "player"}
UNASKED = "No reason is asked."  # the reason of acts whose form doesn't ask why
_via: ContextVar[str] = ContextVar("_via", default="")


def act_words(act: str) -> str:
    """An act as staff read it: Ban. Programs read its name, which stays as it is."""
    return {"appeal confirmed": "appeal turned down"}.get(act, act).capitalize()


@contextmanager
def acting_through(via: str) -> Iterator[None]:
    """Name what acts go through in the lines of all acts within: an API key, or one of NOBODY."""
    token = _via.set(via)
    try:
        yield
    finally:
        _via.reset(token)


def record_act(
    act: str,
    subject: str,
    *,
    by: User | None,
    reason: str,
    now: dt.datetime,
    note: str = "",
    player: Player | None = None,
) -> None:
    """Add a line, in the transaction of the act. `by` None = the system. Raises ValueError without a reason."""
    record_acts(act, [(subject, None if player is None else player.pk)], by=by, reason=reason, note=note, now=now)


def record_acts(
    act: str,
    lines: Iterable[tuple[str, int | None]],
    *,
    by: User | None,
    reason: str,
    now: dt.datetime,
    note: str = "",
) -> None:
    """Add a line for each (subject, player's id), in one statement. Raises ValueError without a reason.

    If a player hears of the act, the player reads `reason`; only moderators read `note`.
    """
    check_reason(reason)
    who = "" if by is None else by.get_username()
    insert_rows([
        AuditEntry(
            at=now, by=by, who=who, via=_via.get(), act=act, player_id=player, subject=subject, reason=reason, note=note
        )
        for subject, player in lines
    ])  # fmt: skip


def record_changes(
    act: str,
    subject: str,
    changes: Mapping[str, str],
    *,
    by: User | None,
    reason: str,
    now: dt.datetime,
    player: Player | None = None,
) -> None:
    """Add a line whose note tells the changes, by field; several lines if they don't fit into one.

    Raises ValueError without a reason.
    """
    most = AuditEntry.LONGEST_SUBJECT
    subject = subject if len(subject) <= most else f"{subject[: most - 1]}…"
    for note in _notes(f"{name}: {text}" for name, text in changes.items()):
        record_act(act, subject, by=by, reason=reason, now=now, note=note, player=player)


def _notes(pieces: Iterable[str]) -> list[str]:
    """The pieces in as few notes as hold them, at least one; a piece that no note holds goes on in the next."""
    notes = [""]
    for piece in pieces:
        if notes[-1] and len(notes[-1]) + 2 + len(piece) <= NOTE:
            notes[-1] += f"; {piece}"
            continue
        parts = [piece[start : start + NOTE] for start in range(0, len(piece), NOTE)]
        notes = [*notes, *parts] if notes[-1] else parts
    return notes


def authored(who: str) -> dict[str, str]:
    """The columns of lines by this person, or by one of NOBODY."""
    return {"who": "", "via": NOBODY[who]} if who in NOBODY else {"who": who}


def check_reason(reason: str) -> None:
    """Raise ValueError if the reason is blank."""
    if not reason.strip():
        raise ValueError("Say why.")
