"""Who looks at a random site, what they may see, and which numbers differ from the ledger."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from ranking.models import Change, Match
from tests.support.factories import LATER
from tests.support.ledger_reading import Board, Ledger, Record, read_ledger
from tests.support.random_sites import RandomSite

T = TypeVar("T")
NEWEST = 7
NUMBER = re.compile(r"(?<![\w.#])\d[\d,]*(?:\.\d+)?(?![\w])")  # that stands by itself


@dataclass(frozen=True)
class Viewer:
    """`key`: of the player who looks, "" for everybody else. `everything`: they see what is hidden from others."""

    name: str
    key: str = ""
    everything: bool = False


@dataclass
class Comparison:
    """What was seen so far. `most`: so many players, matches and pairs are looked at, drawn by lot; None = all."""

    site: RandomSite
    most: int | None = None
    faults: list[str] = field(default_factory=list)
    seen: int = 0

    def __post_init__(self) -> None:
        self.ledger: Ledger = read_ledger(LATER)
        self.rng = random.Random(self.site.seed)
        self.secrets = self._secrets()
        players = [key for key, player in self.ledger.players.items() if player.merged_into_id is None]
        crowd = [key for key in players if key.startswith("crowd")]
        idle = {*crowd} - {*self.rng.sample(crowd, 2)}
        self.people = [key for key in players if key not in idle]  # of those who are all alike two
        self.newest = list(self.ledger.matches.values())[-NEWEST:]  # those of newcomers, and what isn't published yet

    def some(self, viewers: Iterable[Viewer], most: int = 1) -> list[Viewer]:
        every = list(viewers)
        return self.rng.sample(every, min(most, len(every)))

    def drawn(self, every: Iterable[T], first: Sequence[T] = ()) -> list[T]:
        """Those `first`, and some of the others."""
        others = [each for each in every if each not in first]
        return [*first, *(others if self.most is None else self.rng.sample(others, min(self.most, len(others))))]

    def same(self, where: str, viewer: Viewer, whom: str, what: str, seen: object, expected: object) -> None:
        self.seen += 1
        if seen != expected:
            self.faults.append(f"{where}, {viewer.name}: {whom}: {what}: seen {seen!r}, expected {expected!r}")

    def no_secrets(self, where: str, viewer: Viewer, texts: Iterable[str]) -> None:
        """No rating or change of somebody in placement is anywhere, as a number of its own."""
        if viewer.everything:
            return
        numbers = {number.replace(",", "") for text in texts for number in NUMBER.findall(text)}
        for (key, slug), secrets in self.secrets.items():
            if key != viewer.key and (told := secrets & numbers):
                self.same(where, viewer, key, f"hidden ratings in {slug}", sorted(told), [])

    def board(self, slug: str, number: int) -> Board:
        """As it was published, last or when the season ended."""
        return self.published(slug, number).board(slug, number)

    def published(self, slug: str, number: int) -> Ledger:
        return self.site.published[slug] if number == self.ledger.current(slug) else self.site.archived[slug]

    def counts(self, key: str, slug: str, number: int) -> Record | None:
        """What a player has done in a season: as the ledger has it, or as it was when the season ended."""
        ledger = self.ledger if number == self.ledger.current(slug) else self.site.archived[slug]
        return ledger.records.get((key, slug, number))

    def in_placement(self, key: str, slug: str, number: int) -> bool:
        record = self.counts(key, slug, number)
        return record is not None and not record.placed

    def unseen(self, match: Match, viewer: Viewer) -> set[str]:
        """The players of a match whose ratings the viewer may not see."""
        if viewer.everything or match.season_id is None:
            return set()
        everybody = {*self.ledger.parts[match.pk]} - {viewer.key}
        return {key for key in everybody if self.in_placement(key, match.mode.slug, match.season.number)}

    def sees_live(self, key: str, slug: str, number: int, viewer: Viewer) -> bool:
        """Until placed, and while hidden from boards, only the player sees their live rating."""
        if viewer.everything or viewer.key == key:
            return True
        if self.in_placement(key, slug, number) or self.ledger.players[key].hidden_at:
            return False
        if number < self.ledger.current(slug):
            return key not in self.site.archived[slug].banned
        return self.absence(key, slug) != "hidden"

    def absence(self, key: str, slug: str) -> str | None:
        """Why a player isn't on the board of the season that runs."""
        number = self.ledger.current(slug)
        record, player = self.ledger.records[key, slug, number], self.ledger.players[key]
        if key in self.board(slug, number).ratings:
            return None
        if player.hidden_at or player.is_bot:
            return "hidden"
        if not record.placed:
            return "unplaced"
        return (
            "hidden" if key in self.ledger.banned else "waiting" if self.ledger.is_active(slug, record) else "inactive"
        )

    def sees_matches(self, key: str, viewer: Viewer) -> bool:
        return viewer.everything or viewer.key == key or not self.ledger.players[key].hides_matches

    def _secrets(self) -> dict[tuple[str, str], set[str]]:
        """The ratings and changes of those in placement, by player and mode, without those that others have, too.

        Nor are those that may be anything: short ones, those at which the lines of charts are, and ids of matches.
        """
        hidden: dict[tuple[str, str], set[str]] = {}
        open_to_all: set[str] = set()
        for change in self.ledger.changes:
            key, slug, number = change.player.key, change.mode.slug, change.season.number
            if self.in_placement(key, slug, number):
                hidden.setdefault((key, slug), set()).update(self._texts(change))
            else:
                open_to_all |= self._texts(change)
        beginnings = {
            self._text(rows.changes[0], rows.changes[0].display_before) for rows in self.ledger.records.values()
        }
        ids = {str(match.pk) for match in self.ledger.matches.values()}
        known = open_to_all | beginnings | self._standing_ratings() | ids
        return {
            owner: {text for text in texts - known if len(text.replace(".", "")) > 3 and text[-1] not in "05"}
            for owner, texts in hidden.items()
        }

    def _standing_ratings(self) -> set[str]:
        """The ratings that others had when they played, which ranks then belong to; rating anew leaves them."""
        return {
            self.ledger.text(match.mode.slug, value, grouped=False)
            for number, match in self.ledger.matches.items()
            if match.season is not None
            for key, part in self.ledger.parts[number].items()
            if not self.in_placement(key, match.mode.slug, match.season.number)
            for value in (part.display_before, part.display_after)
            if value is not None
        }

    def _text(self, change: Change, hundredths: int) -> str:
        return self.ledger.text(change.mode.slug, hundredths, grouped=False)

    def _texts(self, change: Change) -> set[str]:
        return {self._text(change, value) for value in (change.display_before, change.display_after)}
