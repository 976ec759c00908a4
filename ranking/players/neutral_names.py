"""Neutral names, such as Player 48213907, for players whose own names nobody may see: each is one player's alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable

from ranking.database import locks
from ranking.models import Player, PlayerName
from ranking.rules.names import fold, neutral_name, skeleton


def give_neutral_names(keys: Iterable[str]) -> dict[str, str]:
    """Neutral names for the players with these keys, by key, inside the caller's transaction.

    Nobody else gets one of them until the transaction ends. The caller hasn't locked players yet.
    """
    wanted = set(keys)
    if not wanted:
        return {}
    locks.hold_neutral_names()
    return find_neutral_names(wanted)


def find_neutral_names(keys: Collection[str]) -> dict[str, str]:
    """The neutral names that players with these keys get now, by key: those that nobody else has or had.

    Two queries, and two more for each time that somebody else has one of them.
    """
    names: dict[str, str] = {}
    attempt = 0
    while missing := sorted(set(keys) - names.keys()):
        wanted = {key: neutral_name(key, attempt) for key in missing}
        owners = _owners_of(wanted.values())
        for key, name in wanted.items():
            if owners[skeleton(name)] <= {key}:
                names[key] = name
                owners[skeleton(name)].add(key)
        attempt += 1
    return names


def _owners_of(names: Collection[str]) -> defaultdict[str, set[str]]:
    """The keys of the players who have or had names that look so, by how they look."""
    owners: defaultdict[str, set[str]] = defaultdict(set)
    looks = [skeleton(name) for name in names]
    for look, key in Player.objects.filter(skeleton__in=looks).values_list("skeleton", "key"):
        owners[look].add(key)
    former = PlayerName.objects.filter(search_name__in=[fold(name) for name in names])
    for name, key in former.values_list("name", "player__key"):
        owners[skeleton(name)].add(key)
    return owners
