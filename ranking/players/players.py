"""Players: created when a result first names them, renamed by their game, and marked to be published anew."""

import datetime as dt
import functools
from collections.abc import Iterable, Mapping, Sequence

from django.db.models import CharField, prefetch_related_objects
from django.db.models.functions import Coalesce

from ranking.database import locks
from ranking.database.bulk_writes import insert_rows
from ranking.database.prepared_queries import InPlaceholder, PreparedModels, prepare_models
from ranking.models import Mode, Player, Rating, Season
from ranking.players.renames import ReportedName, give_name, rename_players, taken_skeletons
from ranking.rules.names import BadName, check_name
from ranking.rules.report import Report


def ensure_players(reports: Sequence[Report], now: dt.datetime) -> tuple[dict[str, Player], set[int]]:
    """The players of these reports by key, and the ids of newcomers, inside the caller's transaction.

    If a player was merged into another, the other one is the `owner`, for whom the result counts. Newcomers are
    inserted sorted by key, so that concurrent writers don't deadlock.
    """
    namings = _namings(reports)
    players = {player.key: player for player in _players_query().objects(keys=namings.keys())}
    if any(player.merged_into_id is not None for player in players.values()):
        prefetch_related_objects(list(players.values()), "merged_into")
    newcomers: dict[str, Player] = {}
    if missing := sorted(namings.keys() - players.keys()):
        insert_rows(_newcomers({key: namings[key].name for key in missing}, now), ignore_conflicts=True)
        newcomers = {player.key: player for player in Player.objects.filter(key__in=missing)}
    players |= newcomers
    # A name reported for the key of a merged player doesn't rename the player who was kept.
    named = {players[key]: naming for key, naming in namings.items() if players[key].merged_into_id is None}
    changed = {player: naming for player, naming in named.items() if naming.name and player.name != naming.name}
    rename_players(changed, now)
    return players, {player.pk for player in newcomers.values()}


@functools.cache
def _players_query() -> PreparedModels[Player]:
    return prepare_models(Player.objects.filter(InPlaceholder("key", "keys", CharField())))


def ensure_player(key: str, name: str, now: dt.datetime) -> Player:
    """The player with this key, who is created if unknown, with this name or one made from the key."""
    known = find_player(key)
    if known is not None:
        return known
    Player.objects.bulk_create(_newcomers({key: name}, now), ignore_conflicts=True)
    return Player.objects.get(key=key)  # ours, or one that another transaction inserted first


def ensure_named(names: Mapping[str, str], now: dt.datetime) -> dict[str, int]:
    """The ids of the players whom these keys belong to. Keys that nobody has yet get players with these names, or with
    ones made from the keys. Inside the caller's transaction.
    """
    insert_rows(_newcomers({key: names[key] for key in sorted(names)}, now), ignore_conflicts=True)
    players = Player.objects.filter(key__in=list(names))
    return dict(players.values_list("key", Coalesce("merged_into", "pk")))


def find_player(key: str) -> Player | None:
    """The player with this key; if that player was merged into another, the other one."""
    if "\0" in key:
        return None  # PostgreSQL has no such text
    player = Player.objects.select_related("merged_into").filter(key=key).first()
    return None if player is None else player.owner


def _namings(reports: Iterable[Report]) -> dict[str, ReportedName]:
    """The name that these reports give each player, by key; the report of the match that ended last wins."""
    namings: dict[str, ReportedName] = {}
    for report in sorted(reports, key=lambda report: report.ended_at):
        for _, _, player in report.players():
            if player.name or player.id not in namings:
                namings[player.id] = ReportedName(player.name, report.ended_at)
    return namings


def _newcomers(names: Mapping[str, str], now: dt.datetime) -> list[Player]:
    names = {key: name or _name_from(key) for key, name in names.items()}
    taken = taken_skeletons(names.values())
    players = [Player(key=key, created_at=now) for key in names]
    for player in players:
        give_name(player, names[player.key], taken)
    return players


def _name_from(key: str) -> str:
    """The key itself if it may be a name, else a plain name made from it."""
    name = key.strip()[:64]
    try:
        check_name(name)
    except BadName:
        return "Player " + key.encode().hex()[:12]
    return name


def share_every_mode() -> None:
    """Share all modes, as is due before ratings of several modes are locked: see ranking/database/locks.py."""
    locks.share_modes(Mode.objects.values_list("slug", flat=True))


def relist_all(players: Iterable[int]) -> None:
    """Have the next publication look at every rating of these players anew; locks the ratings in id order.

    Ratings of archived seasons aren't published any more.

    The caller's transaction has called share_every_mode before it locked anything.
    """
    running = Season.objects.filter(current=True).values("pk")  # a join would lock the seasons, too
    ratings = Rating.objects.filter(player__in=list(players), season__in=running)
    list(ratings.select_for_update().order_by("id").values_list("id"))
    ratings.update(to_publish=True)
