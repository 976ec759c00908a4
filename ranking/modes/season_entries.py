"""A player's entry into a season: from an earlier season by a reset, or as a newcomer.

The reset is a row of the ledger at the step of history that ended the last season before. Its state before is that of
the player's last row in any earlier season; its state after follows from the rules of all ends since then, in order,
each by the parameters that were in force. It is written with the player's rating of the season, so players who never
return cost nothing.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from django.db.models import OuterRef, Subquery

from ranking.database.bulk_writes import new_row
from ranking.models import Change, Mode, ParameterVersion, Player, Rating, Season
from ranking.models.change import states_of
from ranking.modes.parameters import Rules, find_versions, system_of
from ranking.systems.base import State

STATE = ("display", "mu", "sigma", "volatility", "skill_matches")  # of a change, with _before or _after


@dataclass(frozen=True, slots=True)
class SeasonEnd:
    """An end of a season: its sequence and time, the season's number, and the parameters then in force."""

    event: int
    at: dt.datetime
    season: Season
    parameters: ParameterVersion

    def reset(self, state: State) -> State:
        return system_of(self.parameters).reset(state, self.season.rule)


@dataclass(frozen=True, slots=True)
class Entry:
    """The reset by which a player enters a season. `carried`: no rule since then made everybody a newcomer."""

    before: State
    after: State
    end: SeasonEnd
    carried: bool


def find_ends(mode: Mode, generation: int, *, before: int | None = None) -> list[SeasonEnd]:
    """The ends of a mode's seasons, oldest first, with the parameters of a generation of the mode. Two queries.

    `before`: only the ends of seasons with a lower number.
    """
    seasons = Season.objects.filter(mode=mode, event__isnull=False).order_by("number")
    if before is not None:
        seasons = seasons.filter(number__lt=before)
    versions = find_versions(mode, generation)
    ends = []
    season: Any  # one that is over: it has its event and its end
    for season in seasons:
        in_force = [version for version in versions if version.event_id <= season.event_id] or versions[:1]
        ends.append(SeasonEnd(season.event_id, season.ends_at, season, in_force[-1]))
    return ends


def enter(before: State, ends: Sequence[SeasonEnd]) -> Entry:
    """The reset after these ends, in order."""
    after = reduce(lambda state, end: end.reset(state), ends, before)
    return Entry(before, after, ends[-1], not any(end.season.rule.starts_anew for end in ends))


def find_entries(players: Iterable[int], rules: Rules) -> dict[int, Entry]:
    """The resets of these players into the current season, by player; newcomers have none.

    Three queries; none in a mode's first season.
    """
    return _entries_into(rules.mode, rules.season_id, rules.season_number, players)


def _entries_into(mode: Mode, season_id: int, number: int, players: Iterable[int]) -> dict[int, Entry]:
    if number == 1:
        return {}
    ends = find_ends(mode, mode.generation, before=number)
    earlier = Change.objects.live(mode.generation).filter(mode=mode, player=OuterRef("pk"))
    earlier = earlier.exclude(season=season_id).order_by("-season_id", "-event")
    last = Player.objects.filter(pk__in=list(players)).values_list(Subquery(earlier.values("pk")[:1]))
    since = {end.season.pk: ends[index:] for index, end in enumerate(ends)}
    rows = Change.objects.filter(pk__in=last).values_list("player", "season", *(f"{name}_after" for name in STATE))
    return {player: enter(State(*state), since[season]) for player, season, *state in rows}


def first_ratings(regions: Mapping[int, str], rules: Rules, now: dt.datetime) -> tuple[list[Rating], list[Change]]:
    """The ratings with which players enter the current season, in the order given, and the resets of those who return.

    `regions`: the region that each new rating gets, by the player's id. Nothing is saved; three queries, none in a
    mode's first season.
    """
    entries = find_entries(regions, rules)
    resets = [reset_row(player, entries[player], rules) for player in regions if player in entries]
    newcomer = rules.system.to_state(rules.system.newcomer())
    ratings = []
    for player_id, region in regions.items():
        entry = entries.get(player_id)
        rating = new_row(
            Rating, player_id=player_id, mode_id=rules.mode.pk, season_id=rules.season_id, region=region,
            reached_at=now if entry is None else entry.end.at, carried=entry is not None and entry.carried,
            recent_completions=[],
        )  # fmt: skip
        rating.state = newcomer if entry is None else entry.after
        ratings.append(rating)
    return ratings, resets


def entering_ratings(season: Season, players: Collection[int]) -> dict[int, Rating]:
    """The ratings with which these players, who have none in the current season yet, would enter it, by player.

    They aren't saved; newcomers have none. Three queries; none in a mode's first season.
    """
    entries = _entries_into(season.mode, season.pk, season.number, players) if players else {}
    ratings = {}
    for player, entry in entries.items():
        rating = Rating(player_id=player, mode=season.mode, season=season, carried=entry.carried)
        rating.state, rating.reached_at = entry.after, entry.end.at
        ratings[player] = rating
    return ratings


def reset_row(player_id: int, entry: Entry, rules: Rules) -> Change:
    """The row of the ledger for a player's reset; it isn't saved."""
    return new_row(
        Change,
        kind=Change.RESET,
        event_id=entry.end.event,
        player_id=player_id,
        mode_id=rules.mode.pk,
        season_id=rules.season_id,
        generation=rules.mode.generation,
        parameters_id=entry.end.parameters.pk,
        **states_of(entry.before, entry.after),
    )


def entry_before(mode_id: int, event: int) -> int:
    """The sequence from which a mode is rated anew so that entries into the season of this event are, too."""
    ended = Season.objects.filter(mode=mode_id, event__lt=event).order_by("-event").values_list("event", flat=True)
    return ended.first() or event
