"""The ledger, read plainly: what each number on a page has to be, from the rows of matches and changes alone.

Written without the code that shows or publishes these numbers, from what docs/glossary.md and docs/playing.md say.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from ranking.models import Ban, Change, Forfeit, Match, Mode, Participation, Passing, Player, Rating, Season, Seed, Void

DECIMALS = {"glicko-2": 0, "battle-points": 0, "two-layer": 0, "team-ratio": 2, "weng-lin": 2, "elo": 2}
TIERS = (("Bronze", 1), ("Silver", 20), ("Gold", 45), ("Platinum", 70), ("Diamond", 88), ("Master", 97), ("", 101))


@dataclass(frozen=True)
class Played:
    """A match that counts, as one player played it."""

    match: Match
    change: Change
    part: Participation
    teams: int

    @property
    def left(self) -> bool:
        return self.change.outcome == "left"

    @property
    def goes_on(self) -> bool:
        """It goes on with a streak: a win; among more than two teams a place in the better half."""
        if self.teams == 2:
            return self.change.outcome == "win"
        return not self.left and 2 * self.part.place <= self.part.places

    @property
    def is_first(self) -> bool:
        """A win; among more than two teams the first place, alone or shared."""
        return self.change.outcome == "win" if self.teams == 2 else not self.left and self.part.place == 1


@dataclass(frozen=True)
class Record:
    """What a player did in a season. `changes`: all of them, oldest first; `played`: the matches among them."""

    changes: list[Change]
    played: list[Played]
    needed: int  # completed matches that place the player
    seeded: Seed | None

    @property
    def begun(self) -> bool:
        """True if they have played in the season or brought a rating along; a reset alone shows nothing."""
        return bool(self.played) or any(change.kind in ("seed", "forfeit") for change in self.changes)

    @property
    def rating(self) -> int:
        return self.changes[-1].display_after

    def count(self, which: Callable[[Played], bool]) -> int:
        return sum(map(which, self.played))

    @property
    def wins(self) -> int:
        return self.count(lambda each: each.change.outcome == "win")

    @property
    def draws(self) -> int:
        return self.count(lambda each: each.change.outcome == "draw")

    @property
    def losses(self) -> int:
        return self.count(lambda each: each.change.outcome == "loss")

    @property
    def leaves(self) -> int:
        return self.count(lambda each: each.left)

    @property
    def completed(self) -> int:
        return len(self.played) - self.leaves

    @property
    def helpful(self) -> int:
        """The completed matches that help to place the player."""
        return self.count(lambda each: not each.left and not each.part.brief)

    @property
    def placed(self) -> bool:
        return self.helpful >= self.needed

    @property
    def podiums(self) -> int:
        return self.count(lambda each: not each.left and each.part.places >= 6 and each.part.place <= 3)

    @property
    def top_halves(self) -> int:
        return self.count(lambda each: not each.left and 2 * each.part.place <= each.part.places)

    @property
    def place_sum(self) -> int:
        return sum(each.part.place for each in self.played if not each.left)

    @property
    def average_place(self) -> str:
        return f"{self.place_sum / self.completed:.1f}"

    @property
    def streaks(self) -> tuple[int, int]:
        """The one that runs, and the longest."""
        return streaks_of([each.goes_on for each in self.played])

    @property
    def peak(self) -> int | None:
        """The highest rating right after a match, from the match on that placed the player."""
        helpful, best = 0, None
        for each in self.played:
            helpful += not each.left and not each.part.brief
            if helpful >= self.needed and (best is None or each.change.display_after > best):
                best = each.change.display_after
        return best

    @property
    def best_rank(self) -> int | None:
        return min((each.part.rank_after for each in self.played if each.part.rank_after), default=None)


def streaks_of(results: Iterable[bool]) -> tuple[int, int]:
    running = longest = 0
    for result in results:
        running = running + 1 if result else 0
        longest = max(longest, running)
    return running, longest


def percent(part: int, whole: int) -> int | None:
    """A share in whole per cent, as Python rounds."""
    return round(100 * part / whole) if whole else None


@dataclass(frozen=True)
class Board:
    """The listed players of a mode's season by key; `rating`: as published, in hundredths."""

    ratings: dict[str, int]
    regions: dict[str, str]
    gives_tiers: bool

    @property
    def listed(self) -> int:
        return len(self.ratings)

    def among(self, keys: Iterable[str]) -> Board:
        return Board({key: self.ratings[key] for key in keys if key in self.ratings}, self.regions, self.gives_tiers)

    def rank(self, key: str) -> int:
        return self.rank_of(self.ratings[key])

    def rank_of(self, rating: int) -> int:
        return 1 + sum(other > rating for other in self.ratings.values())

    def percentile(self, key: str) -> int:
        own = self.ratings[key]
        below, above = (sum(sign * other < sign * own for other in self.ratings.values()) for sign in (1, -1))
        return min(100, 1 + 100 * below // (below + above)) if below + above else 100

    def top(self, key: str) -> int:
        return max(1, -(-100 * self.rank(key) // self.listed))

    def tier(self, key: str) -> str | None:
        if not self.gives_tiers:
            return None
        percentile = self.percentile(key)
        index = max(index for index, (_, first) in enumerate(TIERS) if first <= percentile)
        (name, first), (_, following) = TIERS[index], TIERS[index + 1]
        return (
            name
            if name == "Master"
            else f"{name} {('III', 'II', 'I')[3 * (percentile - first) // (following - first)]}"
        )


class Ledger:
    """All rows of a moment. Players are told by their keys, seasons by their numbers, modes by their slugs."""

    def __init__(self, now: dt.datetime) -> None:
        self.now = now
        self.modes: dict[str, Mode] = {mode.slug: mode for mode in Mode.objects.all()}
        self.players = {player.key: player for player in Player.objects.all()}
        self.seasons = {(each.mode.slug, each.number): each for each in Season.objects.select_related("mode")}
        self.voids = set(Void.objects.filter(lifted_at=None, match__isnull=False).values_list("match", flat=True))
        self.matches: dict[int, Match] = {each.pk: each for each in Match.objects.select_related("mode", "season")}
        self.parts: dict[int, dict[str, Participation]] = {pk: {} for pk in self.matches}
        for part in Participation.objects.select_related("player").order_by("match", "team", "slot"):
            self.parts[part.match_id][part.player.key] = part
        kept = Passing.objects.values_list("participation__match", "participation__player__key", "passed", "passed_by")
        self.passings = {(match, key): (passed, passed_by) for match, key, passed, passed_by in kept}
        self.forfeits = {each.event_id: each for each in Forfeit.objects.filter(event__isnull=False)}
        self.seeds = list(Seed.objects.select_related("mode", "season", "player"))
        self.banned = set(Ban.objects.running(now).from_boards().values_list("player__key", flat=True))
        rows = Change.objects.select_related("event", "mode", "season", "player", "parameters").order_by("event", "pk")
        self.changes = [
            row
            for row in rows
            if row.generation <= self.modes[row.mode.slug].generation
            and (row.superseded_in is None or row.superseded_in > self.modes[row.mode.slug].generation)
        ]
        self.changes_of_match: dict[int, dict[str, Change]] = {pk: {} for pk in self.matches}
        for change in self.changes:
            if change.match_id is not None:
                self.changes_of_match[change.match_id][change.player.key] = change
        self.regions: dict[tuple[str, str, int], str] = {
            (row.player.key, row.mode.slug, row.season.number): row.region
            for row in Rating.objects.select_related("player", "mode", "season")
        }
        self._boards: dict[tuple[str, int], Board] = {}

    def current(self, slug: str) -> int:
        return next(number for (mode, number), season in self.seasons.items() if mode == slug and season.current)

    def teams(self, slug: str) -> int:
        return self.modes[slug].team_count

    @cached_property
    def records(self) -> dict[tuple[str, str, int], Record]:
        """By player, mode and season: of everybody who has a rating there."""
        rows: dict[tuple[str, str, int], list[Change]] = {}
        for change in self.changes:
            rows.setdefault((change.player.key, change.mode.slug, change.season.number), []).append(change)
        return {key: self._record(*key, changes) for key, changes in rows.items()}

    def _record(self, key: str, slug: str, number: int, changes: list[Change]) -> Record:
        mode = self.modes[slug]
        played = [
            Played(self.matches[row.match_id], row, self.parts[row.match_id][key], mode.team_count)
            for row in changes
            if row.match_id is not None and row.match_id not in self.voids
        ]
        carried = changes[0].kind == "reset" and self.seasons[slug, number - 1].reset != "hard"
        seed = next(
            (
                each
                for each in self.seeds
                if (each.player.key, each.mode.slug, each.season.number) == (key, slug, number)
            ),
            None,
        )
        needed = min(mode.placement_matches, mode.placement_after_reset) if carried else mode.placement_matches
        return Record(changes, played, 0 if seed is not None and seed.placed else needed, seed)

    def seasons_of(self, key: str, slug: str) -> list[int]:
        """The numbers of the seasons that a player has a rating in, the newest first."""
        own = [number for player, mode, number in self.records if (player, mode) == (key, slug)]
        return sorted((number for number in own if self.records[key, slug, number].begun), reverse=True)

    def text(self, slug: str, hundredths: int, *, grouped: bool = True) -> str:
        """A rating as pages show it, or as the API does."""
        system = next(row.parameters.system for row in reversed(self.changes) if row.mode.slug == slug)
        text = f"{Decimal(hundredths).scaleb(-2):{',' if grouped else ''}.{DECIMALS[system]}f}"
        return text.replace("-", "−") if grouped else text

    def board(self, slug: str, number: int) -> Board:
        """Who is listed at this moment, and with which rating."""
        if (slug, number) not in self._boards:
            ratings, regions = {}, {}
            for (key, mode, season), record in self.records.items():
                if (mode, season) == (slug, number) and self._is_listed(key, slug, record):
                    ratings[key], regions[key] = record.rating, self.regions[key, slug, number]
            gives_tiers = len(ratings) >= self.modes[slug].tier_least_listed
            self._boards[slug, number] = Board(ratings, regions, gives_tiers)
        return self._boards[slug, number]

    def _is_listed(self, key: str, slug: str, record: Record) -> bool:
        player = self.players[key]
        if player.hidden_at or player.merged_into_id or player.is_bot or key in self.banned or not record.placed:
            return False
        return self.is_active(slug, record)

    def is_active(self, slug: str, record: Record) -> bool:
        since = self.now - dt.timedelta(days=self.modes[slug].activity_days or 10_000)
        times = [each.match.ended_at for each in record.played if not each.left]
        if record.seeded is not None and record.seeded.placed:
            times += [row.event.happened_at for row in record.changes if row.kind == "seed"]
        return any(time >= since for time in times)

    def meetings(self, first: str, second: str, slug: str) -> list[tuple[int, str]]:
        """Their matches on different teams, newest first: the match, and who came ahead ("" if even, "left" if neither
        did because somebody left).
        """
        met = []
        for number, parts in self.parts.items():
            changes = self.changes_of_match[number]
            if not {first, second} <= {*parts} & {*changes} or number in self.voids:
                continue
            if self.matches[number].mode.slug == slug and parts[first].team != parts[second].team:
                met.append((number, self._ahead(number, first, second)))
        return sorted(met, reverse=True)

    def _ahead(self, number: int, *pair: str) -> str:
        parts, outcomes = self.parts[number], {key: self.changes_of_match[number][key].outcome for key in pair}
        left = [key for key in pair if outcomes[key] == "left"]
        if len(self.matches[number].teams) == 2:
            winner = next((key for key in pair if outcomes[key] == "win"), "")
            return winner or (
                "left"
                if left
                else next((other for key, other in zip(pair, pair[::-1], strict=True) if outcomes[key] == "loss"), "")
            )
        order = sorted(pair, key=lambda key: (key in left, parts[key].place))
        if len(left) == 1:
            return order[0]
        if len(left) == 2:
            return "left" if parts[pair[0]].place == parts[pair[1]].place else order[0]
        return "" if parts[pair[0]].place == parts[pair[1]].place else order[0]

    def voids_of(self, key: str, slug: str, number: int) -> list[int]:
        """The void matches of a player's season that once were rated."""
        rated = [self.matches[pk] for pk in self.voids if key in self.parts[pk] and self.matches[pk].season is not None]
        return sorted(each.pk for each in rated if (each.mode.slug, each.season.number) == (slug, number))

    def in_placement(self, key: str, slug: str, number: int) -> bool:
        record = self.records.get((key, slug, number))
        return record is not None and not record.placed


def read_ledger(now: dt.datetime) -> Ledger:
    return Ledger(now)
