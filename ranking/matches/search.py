"""Finds matches by mode, player and time, for the API."""

import datetime as dt

from django.db.models import QuerySet

from ranking.database.keyset import Order
from ranking.matches.records import with_void_reasons
from ranking.models import STRANGER, Match, Mode, Player, ReadAccess
from ranking.modes.unknown_modes import unknown_mode
from ranking.players.players import find_player
from ranking.players.visibility import check_shows_matches


class UnknownFilterValue(ValueError):
    """The mode or player of a filter doesn't exist; `name` is the filter's name."""

    def __init__(self, name: str, sentence: str) -> None:
        super().__init__(sentence)
        self.name = name


MATCHES = Order((("ended_at", "moment"), ("id", "whole")), descending=True)


def find_matches(
    *,
    mode: str = "",
    player: str = "",
    since: dt.datetime | None = None,
    until: dt.datetime | None = None,
    access: ReadAccess = STRANGER,
) -> QuerySet[Match]:
    """Matches that ended within [since, until), in the order MATCHES; raises UnknownFilterValue, and MatchesHidden."""
    matches = with_void_reasons(Match.objects.all()).select_related("mode", "source").order_by("-ended_at", "-id")
    if mode:
        matches = matches.filter(mode=_get_mode(mode))
    if player:
        row = _get_player(player)
        check_shows_matches(row, access)
        matches = matches.filter(participations__player=row)
    if since is not None:
        matches = matches.filter(ended_at__gte=since)
    if until is not None:
        matches = matches.filter(ended_at__lt=until)
    return matches


def _get_mode(slug: str) -> Mode:
    mode = Mode.objects.filter(slug=slug).first()
    if mode is None:
        raise UnknownFilterValue("mode", unknown_mode(slug))
    return mode


def _get_player(key: str) -> Player:
    player = find_player(key)
    if player is None:
        raise UnknownFilterValue("player", f"There is no player {key!r}.")
    return player
