"""A match's picture for sharing, and the matches before and after it."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet, Subquery

from leaderboards.display.match_card import NAMES, CardTeam, MatchCard
from leaderboards.postgame.postgame import PostGame, load_postgame
from ranking.database.keyset import Order
from ranking.models import STRANGER, Change, Match, Player
from ranking.wording.dates import date_text
from ranking.wording.translation import gettext

EARLIER = Order((("ended_at", "moment"), ("id", "whole")), descending=True)
LATER = Order((("ended_at", "moment"), ("id", "whole")))


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The ids of the matches before and after one, None at either end. `own`: they are the viewer's matches."""

    previous: int | None
    next: int | None
    own: bool


def find_neighbours(match: Match, viewer: Player | None, *, own: bool) -> Neighbours:
    """Return the matches before and after one: if `own`, the viewer’s in its season, else the mode’s. One query."""
    before: QuerySet[Any, Any]
    after: QuerySet[Any, Any]
    if own and viewer is not None and match.event_id is not None:
        played = Change.objects.live(match.mode.generation).filter(
            player=viewer, mode=match.mode_id, season=match.season_id, kind=Change.MATCH
        )
        before = played.filter(event__lt=match.event_id).order_by("-event").values("match")
        after = played.filter(event__gt=match.event_id).order_by("event").values("match")
    else:
        own = False
        key = (match.ended_at, match.pk)
        rated = Match.objects.filter(mode=match.mode_id, event__isnull=False)
        before = rated.filter(EARLIER.after_key(key)).order_by("-ended_at", "-id").values("pk")
        after = rated.filter(LATER.after_key(key)).order_by("ended_at", "id").values("pk")
    previous, following = _first_of(before, after)
    return Neighbours(previous, following, own)


def _first_of(*rows: QuerySet[Any, Any]) -> tuple[int | None, ...]:
    """The first of each of these one-column queries: one query."""
    one = Match.objects.order_by("pk")[:1].values_list(*(Subquery(each[:1]) for each in rows))
    return tuple(one[0])


def load_match_card(pk: int, now: dt.datetime) -> MatchCard:
    """Return a match's picture, the same for everybody: as many queries as load_postgame. Raise Match.DoesNotExist."""
    return _card_of(load_postgame(pk, viewer=None, access=STRANGER, now=now))


def _card_of(game: PostGame) -> MatchCard:
    match = game.match
    about = " · ".join(text for text in (match.mode.local_name, match.variant, date_text(match.ended_at)) if text)
    teams = tuple(
        CardTeam(
            side.name, side.score, side.word, side.place == 1, tuple(seat.player.name for seat in side.seats[:NAMES])
        )
        for side in game.ordered
    )
    return MatchCard(gettext("This match is void") if match.is_void else game.headline, about, teams)
