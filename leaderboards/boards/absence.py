"""Absence: why a player isn't on a board, and what brings them there."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import F, Prefetch, Subquery, prefetch_related_objects
from django.utils import timezone

from leaderboards.boards.boards import Board
from leaderboards.display.regions import region_name
from ranking.models import Ban, Event, Mode, Player, Rating, ReadAccess, Season
from ranking.moderation.wording import clock_text
from ranking.modes.season_entries import entering_ratings
from ranking.standings.placement import is_placed, placement_of
from ranking.wording.dates import date_text
from ranking.wording.translation import gettext, ngettext, number_text

HIDDEN, UNPLACED, INACTIVE, WAITING, ELSEWHERE = "hidden", "unplaced", "inactive", "waiting", "elsewhere"


@dataclass(frozen=True, slots=True)
class Absence:
    """Why a player isn't listed. `done` and `needed` count placement matches, if those are the reason.

    `why` tells the player what is hidden until then, and why.
    """

    reason: str
    words: str
    next_step: str
    done: int = 0
    needed: int = 0
    why: str = ""


def placement_reason(mode: Mode, needed: int) -> str:
    """Tell a player in placement what is hidden, and why. `needed`: the matches that place them."""
    if mode.shows_rating:
        sentence = ngettext(
            "Until you have played %(number)s placement match, only you and moderators see your rating, "
            "because it still jumps around.",
            "Until you have played %(number)s placement matches, only you and moderators see your rating, "
            "because it still jumps around.",
            needed,
        )
    else:
        sentence = ngettext(
            "Until you have played %(number)s placement match, you have no rank, because it would still jump around.",
            "Until you have played %(number)s placement matches, you have no rank, because it would still jump around.",
            needed,
        )
    return sentence % {"number": number_text(needed)}


def missed(rating: Rating, board: Board) -> Absence:
    """Why a player isn't on the final board of a season. A query for who was inactive: a ban is told before that."""
    ends_at = board.season.ends_at
    if not is_placed(rating, board.mode):
        reason, why = UNPLACED, gettext("The season ended before this player was placed.")
    elif ends_at is not None and not rating.is_active(ends_at) and not _was_banned(rating, board.season):
        reason, why = INACTIVE, gettext("When the season ended, this player hadn’t played lately.")
    else:
        reason, why = HIDDEN, gettext("When the season ended, this player was hidden.")
    return Absence(reason, gettext("Not on the final board"), why)


def _was_banned(rating: Rating, season: Season) -> bool:
    """True if a ban ran when the final board was published, which is once the late results are in."""
    published_at = Subquery(Event.objects.filter(ended_season=season.pk).values("happened_at"))
    return Ban.objects.ran_at(published_at).from_boards().filter(player=rating.player_id).exists()


def _on_its_way() -> Absence:
    return Absence(
        WAITING,
        gettext("On its way to the board"),
        gettext("The next update, within a minute or so, brings it there."),
    )


def sees_live_rating(absence: Absence | None, player: Player, access: ReadAccess) -> bool:
    """True if the viewer may see a player's live rating, and its curve: until placed, and while hidden, nobody may but
    the player and those who see everything.
    """
    unseen = absence is not None and absence.reason in (UNPLACED, HIDDEN)
    return not unseen or access.everything or access.player_id == player.pk


def absence_of(
    rating: Rating | None, player: Player, mode: Mode, now: dt.datetime, season: Season | None = None
) -> Absence | None:
    """Return why the player isn't on the mode's published board; None if they are. `season`: as `absences_of`."""
    return absences_of([(rating, player)], mode, now, season)[0]


def absences_of(
    pairs: Sequence[tuple[Rating | None, Player]], mode: Mode, now: dt.datetime, season: Season | None = None
) -> list[Absence | None]:
    """Return `absence_of` each pair, in their order. One query at most: the bans of those who are placed.

    `season`: the current one, if some pairs may have no rating in it yet. Three more queries tell how many matches
    they need who were rated in an earlier season; none if everybody has a rating, or in a first season.
    """
    if season is not None:
        entering = entering_ratings(season, [player.pk for rating, player in pairs if rating is None])
        pairs = [(rating or entering.get(player.pk), player) for rating, player in pairs]
    absences = [_absence(rating, player, mode, now) for rating, player in pairs]
    unsure: list[Any] = [player for (_, player), why in zip(pairs, absences, strict=True) if _may_be_banned(why)]
    if not unsure:
        return absences
    running = Ban.objects.running(now).from_boards().order_by(F("ends_at").desc(nulls_first=True))
    # The prefetch stays on the player: several modes of one player take one query.
    prefetch_related_objects(unsure, Prefetch("bans", running, to_attr="board_bans"))
    banned = {player.pk: player.board_bans[0] for player in unsure if player.board_bans}
    return [
        _banned(banned[player.pk]) if _may_be_banned(why) and player.pk in banned else why
        for (_, player), why in zip(pairs, absences, strict=True)
    ]


def _may_be_banned(absence: Absence | None) -> bool:
    """True if only a ban could be a stronger reason: it hides the rating, too."""
    return absence is not None and absence.reason in (WAITING, INACTIVE)


def _absence(rating: Rating | None, player: Player, mode: Mode, now: dt.datetime) -> Absence | None:
    if rating is not None and rating.listed:
        return None
    if player.anonymised_at is not None:
        return Absence(HIDDEN, gettext("They have left for good"), gettext("Their matches stay, without their name."))
    if player.hidden_at is not None:
        return Absence(
            HIDDEN,
            gettext("Hidden by a moderator"),
            gettext("Matches still count; a moderator can bring the rank back."),
        )
    if player.is_bot:
        return Absence(HIDDEN, gettext("A bot"), gettext("Bots aren’t ranked; their ratings count in matches alone."))
    done, needed = (rating.placement_done, placement_of(rating, mode)) if rating else (0, mode.placement_matches)
    if rating is None or rating.pk is None or done < needed:
        missing = max(needed - done, 1)
        words = ngettext("%(done)s of %(needed)s placement match", "%(done)s of %(needed)s placement matches", needed)
        more = ngettext("Play %(number)s more to be placed.", "Play %(number)s more to be placed.", missing)
        counts = {"done": number_text(done), "needed": number_text(needed)}
        next_step, why = more % {"number": number_text(missing)}, placement_reason(mode, needed) if needed else ""
        return Absence(UNPLACED, words % counts, next_step, done, needed, why)
    return _on_its_way() if rating.is_active(now) else _inactive(rating, mode, now)


def _banned(ban: Ban) -> Absence:
    if ban.ends_at:
        until = gettext("Matches still count; hidden until %(day)s.") % {"day": _end_text(ban.starts_at, ban.ends_at)}
    else:
        until = gettext("Matches still count; hidden until a moderator brings the rank back.")
    return Absence(HIDDEN, gettext("Hidden by a moderator"), until)


def _end_text(starts_at: dt.datetime, ends_at: dt.datetime) -> str:
    """The day on which a ban ends; of a ban of hours, the time, too."""
    day = date_text(timezone.localtime(ends_at))
    return day if ends_at - starts_at >= dt.timedelta(days=1) else f"{day}, {clock_text(ends_at)}"


def absent_from_region(rating: Rating) -> Absence:
    """Return why a listed player isn't on another region's board."""
    words = gettext("You play in %(region)s") if rating.region else gettext("You have no region yet")
    next_step = gettext("Your rank is among everyone, and in your own region.")
    return Absence(ELSEWHERE, words % {"region": region_name(rating.region)}, next_step)


def absent_from_season(name: str, played: bool) -> Absence:
    """Return why a player isn't on the board of an archived season."""
    words = gettext("You weren’t ranked when %(season)s ended") if played else gettext("You didn’t play in %(season)s")
    next_step = gettext("Your rank in the season that runs now is on its own board.")
    return Absence(ELSEWHERE, words % {"season": name}, next_step)


def _inactive(rating: Rating, mode: Mode, now: dt.datetime) -> Absence:
    window, needed = mode.activity_window, mode.activity_matches
    if window is None:
        missing = needed - len(rating.recent_completions)
        words = ngettext("Hidden: fewer than %(number)s match", "Hidden: fewer than %(number)s matches", needed)
        more = ngettext("Play %(number)s more to appear.", "Play %(number)s more to appear.", missing)
        return Absence(INACTIVE, words % {"number": number_text(needed)}, more % {"number": number_text(missing)})
    recent = sum(moment > (now - window).timestamp() for moment in rating.recent_completions)
    missing = needed - recent
    if needed == 1:
        words = ngettext("Hidden: no match in %(days)s day", "Hidden: no match in %(days)s days", window.days)
    else:
        words = ngettext(
            "Hidden: fewer than %(number)s matches in %(days)s day",
            "Hidden: fewer than %(number)s matches in %(days)s days",
            window.days,
        )
    words %= {"number": number_text(needed), "days": number_text(window.days)}
    more = ngettext("Play one to return.", "Play %(number)s more to return.", missing)
    return Absence(INACTIVE, words, more % {"number": number_text(missing)})
