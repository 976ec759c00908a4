"""The pages of whom a player follows and blocks, and of finding more: latest first, fifty a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from leaderboards.models import Following
from leaderboards.models.friends import MOST_FOLLOWED
from leaderboards.people.following import Relation, blockings_of, followings_of, relations_of
from leaderboards.people.search import find_by_name
from ranking.database.keyset import BadCursor, Order
from ranking.models import Player

PAGE = 50
LATEST = Order((("id", "whole"),), descending=True)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody, and what they are to the viewer; None for the viewer."""

    player: Player
    relation: Relation | None


@dataclass(frozen=True, slots=True)
class People:
    """A page of people; `next` is where the next one begins. With a `query`: found by name."""

    people: list[Person]
    following: int
    most: int = MOST_FOLLOWED
    query: str = ""
    next: str = ""


def load_people(viewer: Player, *, blocked: bool = False, query: str = "", after: str = "") -> People:
    """Whom the viewer follows, or blocks, or anybody whose name begins so. Three queries at most."""
    following = Following.objects.filter(follower=viewer).count()
    said, players, following_page = find_by_name(query, after)
    if said:
        return People(_people(viewer, players), following, query=said, next=following_page)
    rows: Any = blockings_of(viewer) if blocked else followings_of(viewer)
    found = list((rows.filter(LATEST.after(after)) if _is_cursor(after) else rows)[: PAGE + 1])
    page = found[:PAGE]
    players = [row.blocked if blocked else row.followed for row in page]
    following_page = LATEST.cursor_of(page[-1]) if len(found) > PAGE else ""
    return People(_people(viewer, players), following, next=following_page)


def _is_cursor(text: str) -> bool:
    """Whether a page begins there; nonsense gets the first one."""
    try:
        LATEST.read_cursor(text)
    except BadCursor:
        return False
    return True


def _people(viewer: Player, players: Sequence[Player]) -> list[Person]:
    relations = relations_of(viewer, (player.pk for player in players))
    return [Person(player, relations.get(player.pk)) for player in players]
