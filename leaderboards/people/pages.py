"""Pages of players: those whom somebody follows or blocks, latest first, and those found by name; fifty a page."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from leaderboards.people.brief_standings import BriefStanding, load_brief_standings
from leaderboards.people.following import Relation, blockings_of, followings_of, relations_of
from leaderboards.people.search import find_by_name
from ranking.database.cursors import BadCursor
from ranking.database.keyset import Order
from ranking.models import Player, ReadAccess

PAGE = 50
NOBODY: Mapping[int, str] = MappingProxyType({})
LATEST = Order((("id", "whole"),), descending=True)


@dataclass(frozen=True, slots=True)
class Person:
    """A player with their standing, and what they are to the viewer; the relation of the viewer is None.

    `former`: the name that they gave up, if they were found by it.
    """

    player: Player
    relation: Relation | None
    standing: BriefStanding
    former: str = ""


@dataclass(frozen=True, slots=True)
class People:
    """A page of people; `next` is the cursor of the next one. With a `query`: players found by name."""

    people: list[Person]
    following: int
    query: str = ""
    next: str = ""

    @property
    def players(self) -> list[Player]:
        return [person.player for person in self.people]


@dataclass(frozen=True, slots=True)
class FoundPeople:
    """A page of players whose names hold `query`; `next` and `later` as of leaderboards.people.search.NamePage."""

    people: list[Person]
    query: str
    next: str
    later: bool


def find_people(text: str, after: str, *, viewer: Player | None, access: ReadAccess, now: dt.datetime) -> FoundPeople:
    """Return a page of players found by name. Eight queries at most."""
    names = find_by_name(text, after)
    return FoundPeople(_people(viewer, names.players, access, now, names.former), names.query, names.next, names.later)


def load_people(
    viewer: Player, *, access: ReadAccess, now: dt.datetime, blocked: bool = False, query: str = "", after: str = ""
) -> People:
    """Return the players whom the viewer follows or blocks, or players found by name. Eight queries at most."""
    following = followings_of(viewer).count()
    names = find_by_name(query, after)
    if names.query:
        found = _people(viewer, names.players, access, now, names.former)
        return People(found, following, query=names.query, next=names.next)
    rows: Any = blockings_of(viewer) if blocked else followings_of(viewer)
    rows = list((rows.filter(LATEST.after(after)) if _is_cursor(after) else rows)[: PAGE + 1])
    page = rows[:PAGE]
    players = [row.blocked if blocked else row.followed for row in page]
    following_page = LATEST.cursor_of(page[-1]) if len(rows) > PAGE else ""
    return People(_people(viewer, players, access, now), following, next=following_page)


def _is_cursor(text: str) -> bool:
    """True if a page begins there; any other text gives the first page."""
    try:
        LATEST.read_cursor(text)
    except BadCursor:
        return False
    return True


def _people(
    viewer: Player | None,
    players: Sequence[Player],
    access: ReadAccess,
    now: dt.datetime,
    former: Mapping[int, str] = NOBODY,
) -> list[Person]:
    relations = relations_of(viewer, (player.pk for player in players), now)
    standings = load_brief_standings(players, access)
    return [
        Person(player, relations.get(player.pk), standings[player.pk], former.get(player.pk, "")) for player in players
    ]
