"""What an act will lead to: for each row of a confirmation page its `effect`, and sentences about voided matches."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db.models import F

from ranking.admin.base.display import change_text, moment_text
from ranking.models import Ban, BanProposal, Change, Incident, Match, Rating
from ranking.moderation.leavers import Summary, summarise
from ranking.moderation.voids import COUNTED, Extent, find_extents
from ranking.seasons.strikes import struck_among

_QUOTED = 300  # characters of an appeal


def with_standing(players: Iterable[Any], now: dt.datetime) -> list[Any]:
    """Return the players; each player's `effect` says what counts against them now."""
    rows = list(players)
    summaries = summarise([row.pk for row in rows], now)
    for row in rows:
        row.effect = standing_text(summaries[row.pk])
    return rows


def standing_text(summary: Summary) -> str:
    one = summary.counting == 1
    counting = "1 incident counts" if one else f"{summary.counting:,} incidents count"
    parts = [f"{summary.points:.1f} points", counting]
    if summary.locked_until is not None:
        parts.append(f"locked out until {moment_text(summary.locked_until)}")
    return " · ".join([*parts, *(f"banned from {ban.get_scope_display()}" for ban in summary.bans)])


def with_pardon(players: Iterable[Any], incidents: Collection[int], now: dt.datetime) -> list[Any]:
    """Return the players; each player's `effect` says what a pardon of these incidents changes for them."""
    rows = list(players)
    for row, text in zip(rows, pardon_texts([row.pk for row in rows], incidents, now), strict=True):
        row.effect = text
    return rows


def pardon_texts(players: Sequence[int], incidents: Collection[int], now: dt.datetime) -> list[str]:
    """Return, for each player, what a pardon changes: their points, and their running lockout."""
    before, after = summarise(players, now), summarise(players, now, without=incidents)
    return [_pardon_text(before[player], after[player]) for player in players]


def _pardon_text(before: Summary, after: Summary) -> str:
    if before.counting == after.counting:
        return "nothing counts against them"
    pardoned = before.counting - after.counting
    parts = [f"{pardoned:,} of {before.counting:,} incidents", f"{before.points:.1f} points → {after.points:.1f}"]
    if before.locked_until is not None and before.locked_until != after.locked_until:
        until = f"ends on {moment_text(after.locked_until)}" if after.locked_until else "ends now"
        parts.append(f"their lockout {until}")
    return " · ".join(parts)


def with_pardon_each(
    incidents: Iterable[Incident], now: dt.datetime, *, among: Collection[int] | None = None
) -> list[Any]:
    """Return the incidents; each incident's `effect` says what a pardon of all of them changes for its player.

    `among`: ids of all that are pardoned, if `incidents` are some of them only.
    """
    rows: list[Any] = list(incidents)
    players, pardoned = sorted({row.player_id for row in rows}), set(among or (row.pk for row in rows))
    texts = dict(zip(players, pardon_texts(players, pardoned, now), strict=True))
    for row in rows:
        row.effect = texts[row.player_id]
    return rows


def with_bans(bans: Iterable[Ban], now: dt.datetime) -> list[Any]:
    """Return the bans; each ban's `effect` gives its reason, and says if it is over: then nothing will change."""
    rows: list[Any] = list(bans)
    for row in rows:
        row.effect = row.reason if row.runs(now) else f"{row.reason} · over, nothing will change"
    return rows


def with_proposals(proposals: Iterable[BanProposal], now: dt.datetime) -> list[Any]:
    """Return the proposals; each one's `effect` says why, by whom, and what counts against the player now."""
    rows: list[Any] = list(proposals)
    summaries = summarise(sorted({row.player_id for row in rows}), now)
    for row in rows:
        row.effect = f"{row.reason} · by {row.by or 'nobody any more'} · {standing_text(summaries[row.player_id])}"
    return rows


def with_resuming(bans: Iterable[Ban], now: dt.datetime) -> list[Any]:
    """Return the bans; each ban's `effect` says whether it will run again."""
    rows: list[Any] = list(bans)
    for row in rows:
        row.effect = resuming_text(row, now)
    return rows


def resuming_text(ban: Ban, now: dt.datetime) -> str:
    if ban.lifted_at is None:
        return "not lifted, nothing will change"
    return "runs again" if ban.ends_at is None or ban.ends_at > now else "its end has passed, nothing will change"


def with_reopening(appeals: Iterable[Any], now: dt.datetime) -> list[Any]:
    """Return the appeals, with their bans; each appeal's `effect` says what becomes of its decision."""
    rows = list(appeals)
    for row in rows:
        if row.decision != "granted":
            row.effect = "was turned down: nothing else changes"
        elif row.ban is None:
            row.effect = "was granted: the pardon is taken back"
        else:
            row.effect = f"was granted: the ban {resuming_text(row.ban, now)}"
    return rows


def with_taking_back(incidents: Iterable[Any], now: dt.datetime) -> list[Any]:
    """Return the incidents; each one's `effect` says what counts against its player before their pardons go."""
    rows = list(incidents)
    summaries = summarise(sorted({row.player_id for row in rows}), now)
    for row in rows:
        pardon = getattr(row, "pardon", None)
        state = f"pardoned: {pardon.reason}" if pardon else "not pardoned, nothing will change"
        row.effect = f"{state} · now {standing_text(summaries[row.player_id])}"
    return rows


def with_boards(players: Iterable[Any]) -> list[Any]:
    """Return the players; each player's `effect` names the boards that they are on."""
    rows = list(players)
    listed = Rating.objects.filter(player__in=[row.pk for row in rows], listed=True, season__current=True)
    names: dict[int, list[str]] = {}
    for player, name in listed.order_by("mode__name").values_list("player", "mode__name"):
        names.setdefault(player, []).append(name)
    for row in rows:
        row.effect = "on the board of " + ", ".join(names[row.pk]) if row.pk in names else "on no board"
    return rows


def with_strikes(ratings: Iterable[Any]) -> list[Any]:
    """Return the ratings; each rating's `effect` names its season, and says whether the player is struck from it."""
    rows = list(ratings)
    struck = struck_among(row.pk for row in rows)
    for row in rows:
        row.effect = f"{row.season}{' · struck' if row.pk in struck else ''}"
    return rows


def with_leavers(matches: Iterable[Any], leaves: Collection[int]) -> list[Any]:
    """Return the matches; each match's `effect` names the players whose leave of the match is among these incidents."""
    rows = list(matches)
    names: dict[int, list[str]] = {}
    counting = Incident.objects.filter(pk__in=leaves, match__in=rows).select_related("player").order_by("happened_at")
    for incident in counting:
        names.setdefault(incident.match_id or 0, []).append(incident.player.name)
    for row in rows:
        row.effect = ", ".join(names.get(row.pk, ())) or "nobody whose leave counts"
    return rows


def with_forfeits(incidents: Iterable[Any]) -> list[Any]:
    """Return the drop-outs; each drop-out's `effect` says what its forfeit took from the player's rating."""
    rows = list(incidents)
    changes = Change.objects.live().filter(event__forfeit__in=[row.forfeit_id for row in rows])
    steps = dict(changes.values_list("event__forfeit", F("display_after") - F("display_before")))
    for row in rows:
        row.effect = change_text(0, steps[row.forfeit_id]) if row.forfeit_id in steps else "rated for nobody now"
    return rows


def with_appeals(appeals: Iterable[Any]) -> list[Any]:
    """Return the appeals; each appeal's `effect` quotes the player."""
    rows = list(appeals)
    for row in rows:
        row.effect = f"“{row.words}”" if len(row.words) <= _QUOTED else f"“{row.words[:_QUOTED]}…”"
    return rows


def with_assignments(appeals: Sequence[Any], moderator: User) -> Sequence[Any]:
    """Return the appeals with `assigned_to` loaded; the `effect` of those assigned to somebody else says to whom."""
    for row in appeals:
        if row.assigned_to_id not in (None, moderator.pk):
            row.effect = f"Assigned to {row.assigned_to}, who may be looking into it. {row.effect}"
    return appeals


def sentence_of(verb: str, matches: Sequence[Match]) -> str:
    """Return the sentences about the effects of voiding or restoring these matches."""
    if len(matches) == 1:
        effect = "It counts for nothing" if verb == "Void" else "It counts again, in its old place"
    else:
        effect = "They count for nothing" if verb == "Void" else "They count again, in their old places"
    extents = " ".join(_extent_text(extent) for extent in find_extents(matches))
    return f"{effect}. {extents} The site goes on meanwhile; it can be undone."


def correction_sentence(match: Match) -> str:
    """Return the sentences about the effects of correcting this match."""
    extents = " ".join(_extent_text(extent) for extent in find_extents([match]))
    return (
        "The right result is a match of its own, which takes this one’s place; this one is void."
        f" {extents} The site goes on meanwhile; it can be undone: void the new match, then restore this one."
    )


def _extent_text(extent: Extent) -> str:
    if extent.matches is None:
        return f"In {extent.mode.name}, all from the first of them on is rated anew: more than {COUNTED:,} matches."
    if not extent.matches:
        return f"In {extent.mode.name}, no rating has to change: none of them is rated yet."
    plural = "es" if extent.matches != 1 else ""
    return (
        f"In {extent.mode.name}, the {extent.matches:,} match{plural} from the first of them on are rated anew:"
        f" the ratings of {extent.players:,} players."
    )
