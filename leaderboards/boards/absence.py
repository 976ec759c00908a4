"""Absence: why a player isn't on a board, and what brings them there."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import F, Prefetch, prefetch_related_objects

from ranking.models import Ban, Mode, Player, Rating, ReadAccess
from ranking.standings.placement import placement_of

HIDDEN, UNPLACED, INACTIVE, WAITING, ELSEWHERE = "hidden", "unplaced", "inactive", "waiting", "elsewhere"


@dataclass(frozen=True, slots=True)
class Absence:
    """Why a player isn't listed. `done` and `needed` count placement matches, if those are the reason."""

    reason: str
    words: str
    next_step: str
    done: int = 0
    needed: int = 0


MISSED = Absence(UNPLACED, "Not on the final board", "The season ended before they were placed.")
_ON_ITS_WAY = Absence(WAITING, "On its way to the board", "The next update, within a minute or so, brings it there.")


def sees_live_rating(absence: Absence | None, player: Player, access: ReadAccess) -> bool:
    """True if the viewer may see a player's live rating, and its curve: until placed, and while hidden, nobody may but
    the player and those who see everything.
    """
    unseen = absence is not None and absence.reason in (UNPLACED, HIDDEN)
    return not unseen or access.everything or access.player_id == player.pk


def absence_of(rating: Rating | None, player: Player, mode: Mode, now: dt.datetime) -> Absence | None:
    """Return why the player isn't on the mode's published board; None if they are."""
    return absences_of([(rating, player)], mode, now)[0]


def absences_of(pairs: Sequence[tuple[Rating | None, Player]], mode: Mode, now: dt.datetime) -> list[Absence | None]:
    """Return `absence_of` each pair, in their order. One query at most: the bans, if nothing else is the reason."""
    absences = [_absence(rating, player, mode, now) for rating, player in pairs]
    unsure: list[Any] = [player for (_, player), why in zip(pairs, absences, strict=True) if why is _ON_ITS_WAY]
    if not unsure:
        return absences
    running = Ban.objects.running(now).from_boards().order_by(F("ends_at").desc(nulls_first=True))
    # The prefetch stays on the player: several modes of one player take one query.
    prefetch_related_objects(unsure, Prefetch("bans", running, to_attr="board_bans"))
    banned = {player.pk: player.board_bans[0] for player in unsure if player.board_bans}
    return [
        _banned(banned[player.pk]) if why is _ON_ITS_WAY and player.pk in banned else why
        for (_, player), why in zip(pairs, absences, strict=True)
    ]


def _absence(rating: Rating | None, player: Player, mode: Mode, now: dt.datetime) -> Absence | None:
    if rating is not None and rating.listed:
        return None
    if player.anonymised_at is not None:
        return Absence(HIDDEN, "They have left for good", "Their matches stay, without their name.")
    if player.hidden_at is not None:
        return Absence(HIDDEN, "Hidden by a moderator", "Matches still count; a moderator can bring the rank back.")
    done, needed = (rating.completed, placement_of(rating, mode)) if rating else (0, mode.placement_matches)
    if rating is None or done < needed:
        missing = max(needed - done, 1)
        words = f"{done} of {_count(needed, 'placement match')}"
        return Absence(UNPLACED, words, f"Play {missing} more to be placed.", done, needed)
    return _ON_ITS_WAY if rating.is_active(now) else _inactive(rating, mode, now)


def _banned(ban: Ban) -> Absence:
    back = f"until {ban.ends_at:%-d %b %Y}" if ban.ends_at else "until a moderator brings the rank back"
    return Absence(HIDDEN, "Hidden by a moderator", f"Matches still count; hidden {back}.")


def absent_from_region(rating: Rating) -> Absence:
    """Return why a listed player isn't on another region's board."""
    words = f"You play in {rating.region}" if rating.region else "You have no region yet"
    return Absence(ELSEWHERE, words, "Your rank is among everyone, and in your own region.")


def absent_from_season(name: str, played: bool) -> Absence:
    """Return why a player isn't on the board of an archived season."""
    words = f"You weren’t ranked when {name} ended" if played else f"You didn’t play in {name}"
    return Absence(ELSEWHERE, words, "Your rank in the season that runs now is on its own board.")


def _inactive(rating: Rating, mode: Mode, now: dt.datetime) -> Absence:
    window, needed = mode.activity_window, mode.activity_matches
    if window is None:
        missing = needed - len(rating.recent_completions)
        return Absence(INACTIVE, f"Hidden: fewer than {_count(needed, 'match')}", f"Play {missing} more to appear.")
    recent = sum(moment > (now - window).timestamp() for moment in rating.recent_completions)
    missing = needed - recent
    fewer = "no match" if needed == 1 else f"fewer than {_count(needed, 'match')}"
    return Absence(
        INACTIVE,
        f"Hidden: {fewer} in {_count(window.days, 'day')}",
        f"Play {'one' if missing == 1 else f'{missing} more'} to return.",
    )


def _count(number: int, noun: str) -> str:
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {noun}{'es' if noun.endswith('h') else 's'}"
