"""Players: made when a result first names them, renamed by their game, hidden by a moderator."""

import datetime as dt
from collections.abc import Iterable
from typing import Any

from django.db import connection, transaction
from django.db.models import F, Q
from django.db.models.expressions import OrderBy

from ranking.models import Player, Rating
from ranking.names import BadName, check_name, fold
from ranking.report import Report

_LAST = "\U0010ffff"  # sorts behind every character of a name


def ensure_players(reports: Iterable[Report], now: dt.datetime) -> dict[str, Player]:
    """The players of these reports by key, inside the caller's transaction.

    Newcomers are inserted sorted by key, so that concurrent writers don't deadlock.
    """
    names = {player.id: player.name for report in reports for _, _, player in report.players()}
    players = {player.key: player for player in Player.objects.filter(key__in=names)}
    if missing := sorted(names.keys() - players.keys()):
        Player.objects.bulk_create([_newcomer(key, names[key], now) for key in missing], ignore_conflicts=True)
        players |= {player.key: player for player in Player.objects.filter(key__in=missing)}
    _rename({players[key]: name for key, name in names.items() if name and players[key].name != name})
    return players


def _newcomer(key: str, name: str, now: dt.datetime) -> Player:
    name = name or _name_from(key)
    return Player(key=key, name=name, search_name=fold(name), created_at=now)


def _name_from(key: str) -> str:
    """The key itself where it may be a name, else a plain one made from it."""
    shown = key.strip()[:64]
    try:
        check_name(shown)
    except BadName:
        return "Player " + key.encode().hex()[:12]
    return shown


def _rename(names: dict[Player, str]) -> None:
    if not names:
        return
    pks = [player.pk for player in names]
    locked = Player.objects.select_for_update(no_key=True).filter(pk__in=pks, anonymised_at=None).order_by("pk")
    there = set(locked.values_list("pk", flat=True))  # without who left while we waited for the lock
    for player, name in names.items():
        player.name, player.search_name = name, fold(name)
    renamed = [player for player in names if player.pk in there]
    Player.objects.bulk_update(renamed, ["name", "search_name"], batch_size=100)


class ByName(OrderBy):
    """The order of names in which an index finds those that begin alike: by code point, whatever the locale."""

    def __init__(self) -> None:
        super().__init__(F("search_name"))

    def as_postgresql(self, compiler: Any, connection: Any) -> tuple[str, Any]:
        # The order of the index that Django makes for LIKE 'abc%' (varchar_pattern_ops). Django looks for ASC
        # or DESC in whatever orders a query, so there is one, commented out.
        return super().as_sql(compiler, connection, template="%(expression)s USING ~<~ /* ASC */")


def name_begins(text: str) -> Q:
    """A condition on players whose name begins so, met by an index; sort by `ByName()`."""
    folded = fold(text).replace("\0", "")
    if connection.vendor == "postgresql":
        return Q(search_name__startswith=folded)
    # SQLite uses no index for LIKE … ESCAPE, and compares text by code point.
    return Q(search_name__gte=folded, search_name__lt=folded + _LAST)


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
    ratings = Rating.objects.filter(player=player)
    list(ratings.select_for_update().order_by("id").values_list("id"))
    ratings.update(to_publish=True)
