"""Renames: players take new names, old names are kept, and a name that looks like another player's is flagged."""

import datetime as dt
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from django.db.models import OuterRef, Subquery

from ranking.models import Player, PlayerName, Rating
from ranking.rules.names import fold, skeleton

MOST = 20  # former names shown


@dataclass(frozen=True, slots=True)
class ReportedName:
    """The name that a result gives a player ("" = no name), and when that match ended."""

    name: str
    ended_at: dt.datetime


def give_name(player: Player, name: str, taken: set[str]) -> None:
    """Set a player's name and the fields derived from it; saves nothing.

    `taken`: skeletons of other players' names; this name's skeleton is added. If the skeleton stays the same, the
    flag `lookalike` stays, too.
    """
    player.name, player.search_name = name, fold(name)
    if player.skeleton != (new_skeleton := skeleton(name)):
        player.skeleton, player.lookalike = new_skeleton, new_skeleton in taken
    taken.add(new_skeleton)


def taken_skeletons(names: Collection[str]) -> set[str]:
    """Return the skeletons of these names that players have already.

    The query reads only players without the flag: of the players with the same skeleton, the first has no flag.
    """
    skeletons = {skeleton(name) for name in names}
    return set(Player.objects.filter(skeleton__in=skeletons, lookalike=False).values_list("skeleton", flat=True))


def rename_players(namings: Mapping[Player, ReportedName], now: dt.datetime) -> None:
    """Take over new names, inside the caller's transaction. Locks players in id order.

    A name from an older match doesn't replace the name from a newer one.
    """
    if not namings:
        return
    renamed = {player: namings[player].name for player in _lock(namings)}
    taken = taken_skeletons(renamed.values())
    _record_names(renamed, now)
    for player, name in renamed.items():
        give_name(player, name, taken)
    Player.objects.bulk_update(renamed, ["name", "search_name", "skeleton", "lookalike"], batch_size=100)


def _lock(namings: Mapping[Player, ReportedName]) -> list[Player]:
    """Lock the players and return those who take a new name; `namings` hold players as read before the lock."""
    played = Rating.objects.filter(player=OuterRef("pk"), last_match_at__isnull=False).order_by("-last_match_at")
    rows = Player.objects.filter(pk__in=[player.pk for player in namings], anonymised_at=None).order_by("pk")
    rows = rows.annotate(played_at=Subquery(played.values("last_match_at")[:1]))
    locked = {row.pk: row for row in rows.select_for_update(of=("self",), no_key=True)}
    renamed = []
    for player, naming in namings.items():
        row = locked.get(player.pk)
        if row is None:
            continue  # the player was anonymised while we waited for the lock
        player.name, player.skeleton, player.lookalike = row.name, row.skeleton, row.lookalike
        if naming.name != row.name and (row.played_at is None or row.played_at <= naming.ended_at):
            renamed.append(player)
    return renamed


def _record_names(renamed: Mapping[Player, str], now: dt.datetime) -> None:
    """Record the new names; at a player's first rename, record their original name, too."""
    with_names = set(PlayerName.objects.filter(player__in=renamed).values_list("player", flat=True).distinct())
    never_renamed = [player for player in renamed if player.pk not in with_names]
    PlayerName.objects.bulk_create(
        [PlayerName(player=player, name=player.name, since=player.created_at) for player in never_renamed]
        + [PlayerName(player=player, name=name, since=now) for player, name in renamed.items()]
    )


def accept_name(player: Player) -> bool:
    """Remove the flag from a player's name, until the name changes; False if it isn't flagged."""
    return bool(Player.objects.filter(pk=player.pk, lookalike=True).update(lookalike=False))


def names_of(player: Player) -> list[str]:
    """Return a player's former names ("also known as"), the latest first, each once."""
    names = PlayerName.objects.filter(player=player).order_by("-id").values_list("name", flat=True)[: 5 * MOST]
    return [name for name in dict.fromkeys(names) if name != player.name][:MOST]
