"""Players: made when a result first names them, renamed by their game, hidden by a moderator."""

import datetime as dt
import functools
from collections.abc import Callable, Iterable, Sequence

from django.db import transaction
from django.db.models import CharField, prefetch_related_objects

from ranking.database.prepared_queries import InPlaceholder, PreparedModels, prepare_models
from ranking.models import Player, Rating
from ranking.players.renames import ReportedName, give_name, rename_players, taken_skeletons
from ranking.rules.names import BadName, check_name
from ranking.rules.report import Report


def ask_players(reports: Iterable[Report]) -> Callable[[], list[Player]]:
    """Ask who of these reports is known; what is returned gives them. For prepared.together."""
    return _by_key().ask(keys={player.id for report in reports for _, _, player in report.players()})


def ensure_players(
    reports: Sequence[Report], now: dt.datetime, known: Iterable[Player] | None = None
) -> tuple[dict[str, Player], set[int]]:
    """The rows of these reports' keys, and the ids of newcomers, inside the caller's transaction.

    `known`: those of them, at least, who are, if that has been asked. A row's `owner` is who plays: another, where the
    key's player was merged into them. Newcomers are inserted sorted by key, so that concurrent writers don't deadlock.
    """
    namings = _namings(reports)
    players = {player.key: player for player in (ask_players(reports)() if known is None else known)}
    if any(player.merged_into_id is not None for player in players.values()):
        prefetch_related_objects(list(players.values()), "merged_into")
    newcomers: dict[str, Player] = {}
    if missing := sorted(namings.keys() - players.keys()):
        Player.objects.bulk_create(_newcomers({key: namings[key].name for key in missing}, now), ignore_conflicts=True)
        newcomers = {player.key: player for player in Player.objects.filter(key__in=missing)}
    players |= newcomers
    # What a merged player's key brings along is no new name of the one who has another.
    named = {players[key]: naming for key, naming in namings.items() if players[key].merged_into_id is None}
    changed = {player: naming for player, naming in named.items() if naming.name and player.name != naming.name}
    rename_players(changed, now)
    return players, {player.pk for player in newcomers.values()}


@functools.cache
def _by_key() -> PreparedModels[Player]:
    return prepare_models(Player.objects.filter(InPlaceholder("key", "keys", CharField())))


def ensure_player(key: str, name: str, now: dt.datetime) -> Player:
    """Whose key this is; a newcomer, with this name or one from the key, where it is nobody's yet."""
    known = find_player(key)
    if known is not None:
        return known
    Player.objects.bulk_create(_newcomers({key: name}, now), ignore_conflicts=True)
    return Player.objects.get(key=key)  # mine, or that of who was quicker


def find_player(key: str) -> Player | None:
    """Whose key this is: that of a merged player is the other's."""
    if "\0" in key:
        return None  # PostgreSQL knows no such text
    found = Player.objects.select_related("merged_into").filter(key=key).first()
    return None if found is None else found.owner


def _namings(reports: Iterable[Report]) -> dict[str, ReportedName]:
    """What these reports call each player: the match that ended last has the last word."""
    namings: dict[str, ReportedName] = {}
    for report in sorted(reports, key=lambda report: report.ended_at):
        for _, _, player in report.players():
            if player.name or player.id not in namings:
                namings[player.id] = ReportedName(player.name, report.ended_at)
    return namings


def _newcomers(names: dict[str, str], now: dt.datetime) -> list[Player]:
    names = {key: name or _name_from(key) for key, name in names.items()}
    taken = taken_skeletons(names.values())
    players = [Player(key=key, created_at=now) for key in names]
    for player in players:
        give_name(player, names[player.key], taken)
    return players


def _name_from(key: str) -> str:
    """The key itself where it may be a name, else a plain one made from it."""
    shown = key.strip()[:64]
    try:
        check_name(shown)
    except BadName:
        return "Player " + key.encode().hex()[:12]
    return shown


@transaction.atomic
def hide_player(player: Player, *, now: dt.datetime) -> None:
    """Take a player off every board with the next publication; their matches go on being rated."""
    _set_hidden(player, now)


@transaction.atomic
def show_player(player: Player) -> None:
    """Let a hidden player return with the next publication."""
    _set_hidden(player, None)


def _set_hidden(player: Player, hidden_at: dt.datetime | None) -> None:
    player.hidden_at = hidden_at
    player.save(update_fields=["hidden_at"])
    relist(player)


def relist(player: Player) -> None:
    """Have the next publication look at every rating of a player anew, inside the caller's transaction."""
    relist_all([player.pk])


def relist_all(players: Iterable[int]) -> None:
    """The same for every rating of these players, locked in id order."""
    ratings = Rating.objects.filter(player__in=list(players))
    list(ratings.select_for_update().order_by("id").values_list("id"))
    ratings.update(to_publish=True)
