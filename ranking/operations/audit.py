"""The audit log: what moderators and the system did, to what, and why."""

import datetime as dt
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.contrib.auth.models import User

from ranking.database.bulk_writes import insert_rows
from ranking.models import AuditEntry, Player

# The acts, by which lists can be filtered.
ACTS = (
    "pardon", "take back pardon", "ban", "extend", "shorten", "lift", "resume", "hide", "show", "void", "restore",
    "appeal granted", "appeal confirmed", "appeal withdrawn", "reopen appeal", "merge", "split", "release",
    "accept name", "anonymise", "end season", "take back end", "strike", "lift strike", "seed",
    "take back seeds", "add note", "withdraw note", "warn", "withdraw warning", "assign appeal", "unassign appeal",
    "uphold reports", "dismiss reports", "reopen reports",
    "change mode", "change parameters", "change queue", "export", "change roles",
    "confirm", "dismiss", "reopen", "sort", "close lobby", "end ticket", "remove picture", "allow picture",
)  # fmt: skip
# By this name lists are filtered by what the system did; no login has a colon in its name.
SYSTEM = "system:"
_via: ContextVar[str] = ContextVar("_via", default="")


@contextmanager
def acting_through(via: str) -> Iterator[None]:
    """Name what people act through in the lines of all acts within, such as an API key."""
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


def check_reason(reason: str) -> None:
    """Raise ValueError if the reason is blank."""
    if not reason.strip():
        raise ValueError("Say why.")
