"""Names over time: a player takes a new one, the old ones are kept, and one that looks like another's is flagged."""

import datetime as dt
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from django.db.models import OuterRef, Subquery

from ranking.models import Player, PlayerName, Rating
from ranking.rules.names import fold, skeleton

MOST = 20  # former names shown


@dataclass(frozen=True, slots=True)
class ReportedName:
    """What a result calls a player ("" = nothing), and when that match ended."""

    name: str
    ended_at: dt.datetime


def give_name(player: Player, name: str, taken: set[str]) -> None:
    """Set a player's name and what is derived from it; saves nothing.

    `taken`: skeletons of others' names, to which this one is added. Keeping one's look keeps the flag as it is.
    """
    player.name, player.search_name = name, fold(name)
    if player.skeleton != (look := skeleton(name)):
        player.skeleton, player.lookalike = look, look in taken
    taken.add(look)


def taken_skeletons(names: Collection[str]) -> set[str]:
    """Those of the skeletons of these names that players have. The first to have one isn't flagged: one row each."""
    looks = {skeleton(name) for name in names}
    return set(Player.objects.filter(skeleton__in=looks, lookalike=False).values_list("skeleton", flat=True))


def rename_players(namings: Mapping[Player, ReportedName], now: dt.datetime) -> None:
    """Take over new names, inside the caller's transaction; the name of a newer match stays. Locks in id order."""
    if not namings:
        return
    renamed = {player: namings[player].name for player in _lock(namings)}
    taken = taken_skeletons(renamed.values())
    _keep(renamed, now)
    for player, name in renamed.items():
        give_name(player, name, taken)
    Player.objects.bulk_update(renamed, ["name", "search_name", "skeleton", "lookalike"], batch_size=100)


def _lock(namings: Mapping[Player, ReportedName]) -> list[Player]:
    """Who takes a name now; `namings` hold what was read before the lock."""
    played = Rating.objects.filter(player=OuterRef("pk"), last_match_at__isnull=False).order_by("-last_match_at")
    rows = Player.objects.filter(pk__in=[player.pk for player in namings], anonymised_at=None).order_by("pk")
    rows = rows.annotate(played_at=Subquery(played.values("last_match_at")[:1]))
    locked = {row.pk: row for row in rows.select_for_update(of=("self",), no_key=True)}
    renamed = []
    for player, naming in namings.items():
        row = locked.get(player.pk)
        if row is None:
            continue  # they left for good while we waited for the lock
        player.name, player.skeleton, player.lookalike = row.name, row.skeleton, row.lookalike
        if naming.name != row.name and (row.played_at is None or row.played_at <= naming.ended_at):
            renamed.append(player)
    return renamed


def _keep(renamed: Mapping[Player, str], now: dt.datetime) -> None:
    """The new names as facts, and before a player's first change the name that they came with."""
    known = set(PlayerName.objects.filter(player__in=renamed).values_list("player", flat=True).distinct())
    first = [player for player in renamed if player.pk not in known]
    PlayerName.objects.bulk_create(
        [PlayerName(player=player, name=player.name, since=player.created_at) for player in first]
        + [PlayerName(player=player, name=name, since=now) for player, name in renamed.items()]
    )


def accept_name(player: Player) -> bool:
    """Take the flag off somebody's name until they change it; False where there is none."""
    return bool(Player.objects.filter(pk=player.pk, lookalike=True).update(lookalike=False))


def names_of(player: Player) -> list[str]:
    """Former names, the latest first, each once; "also known as"."""
    kept = PlayerName.objects.filter(player=player).order_by("-id").values_list("name", flat=True)[: 5 * MOST]
    return [name for name in dict.fromkeys(kept) if name != player.name][:MOST]
