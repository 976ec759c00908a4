"""`/players/{id}/history/`: each step of a player's rating in a mode, newest first."""

import datetime as dt
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from django.utils import timezone
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboards.boards.absence import sees_live_rating
from leaderboards.boards.boards import board_of_rating
from leaderboards.profiles.matches.history import HistoryStep, Voided, find_steps, find_voided, in_order
from leaderboards.profiles.profiles import choose, find_absence, find_last_rating, find_ratings, get_season_rating
from ranking.api.answers import OUTCOMES, Moves, MovesSerializer
from ranking.api.base import ApiView, read_access_of, sees_everything
from ranking.api.output import OutputSerializer
from ranking.api.pagination import PageQuery, page_of, page_response, read_query
from ranking.api.schema import documented
from ranking.api.views.players import get_player
from ranking.database.cursors import BadCursor
from ranking.database.keyset import Order
from ranking.models import Change, Player, Rating, ReadAccess
from ranking.players.visibility import Shown, check_shows_matches, revealed, shown
from ranking.validation.fields import KeyField

ORDER = Order((("event_id", "whole"),), descending=True)


class HistoryQuery(PageQuery):
    mode = KeyField(max_length=50, help_text="Slug of the mode.")
    season = serializers.IntegerField(
        min_value=1, max_value=2**31 - 1, required=False, help_text="Number of a season; default: the current one."
    )


@dataclass(slots=True)
class HistoryLine(Moves):
    """A step of a player's history; of a void match `change` is None. `match`: the match's number."""

    kind: str
    at: dt.datetime
    match: int | None


class _HappeningSerializer(OutputSerializer[HistoryLine]):
    kind = serializers.ChoiceField(Change.KINDS)
    at = serializers.DateTimeField(help_text="The end of the match; else when it happened.")
    match = serializers.IntegerField(allow_null=True, help_text="The match's number; null where no match did it.")
    void = serializers.BooleanField(help_text="The match counts for nothing: a moderator took it out.")
    outcome = serializers.ChoiceField(OUTCOMES, source="change.outcome", allow_null=True)

    @staticmethod
    def fill_void(line: HistoryLine) -> bool:
        return line.change is None


class StepSerializer(_HappeningSerializer, MovesSerializer):
    """A change of rating, or a void match, which made none; null is what there was none of, or what the mode hides."""


class HistoryView(ApiView):
    @documented(
        "A player's history in a mode, newest first",
        operation_id="list_history",
        description="Every step of a season. Ranks and percentiles are those right before and right after it."
        " A re-rating leaves them; `standing_rating` are the ratings that they belong to. Ratings are null as"
        " `live_rating` of a player is: until somebody is placed, only they see them, and keys with ratings:hidden.",
        answers={200: page_of("HistoryPage", StepSerializer(many=True))},
        problems=[400, 403, 404],
        query=HistoryQuery,
    )
    def get(self, request: Request, id: str) -> Response:
        query = read_query(request, HistoryQuery)
        player = get_player(id)
        access = read_access_of(request, query["mode"])
        check_shows_matches(player, access)
        rating = _rating_of(player, query["mode"], query.get("season"), access)
        if rating is None:
            when = f"in season {query['season']}" if "season" in query else "this season"
            raise NotFound(f"{id!r} hasn't played a mode {query['mode']!r} {when}.")
        board = board_of_rating(rating)
        visible = shown(revealed(board.mode) if sees_everything(request, board.mode.slug) else board.mode)
        if visible.rating and not access.everything:
            absence = find_absence(rating, player, board, timezone.now())
            visible = replace(visible, rating=sees_live_rating(absence, player, access))
        page_bounds = {"most": query["limit"] + 1, "before": _before(query)}
        steps = in_order(find_steps(rating, rating.mode.generation, **page_bounds), find_voided(rating, **page_bounds))
        page = steps[: query["limit"]]
        after = ORDER.cursor_of(page[-1].row) if len(steps) > len(page) else None
        return page_response(
            request, StepSerializer.fill_many(_line_of(step, board.decimals, visible) for step in page), after
        )


def _rating_of(player: Player, slug: str, season: int | None, access: ReadAccess) -> Any | None:
    """Return the player's rating in a season of a mode, by default the current one; None if there is none to show.

    Whoever is hidden has no past seasons for others.
    """
    current = choose(find_ratings(player), slug)
    if season is None:
        return current
    latest = current or find_last_rating(player, slug)
    if latest is not None and (player.hidden_at is None or access.everything or access.player_id == player.pk):
        with suppress(Rating.DoesNotExist):
            return get_season_rating(player, latest.mode_id, season)
    return None


def _before(query: dict[str, Any]) -> int | None:
    """Return the event before which the page begins; None for the first page."""
    try:
        return int(ORDER.read_cursor(query["after"])[0]) if "after" in query else None
    except BadCursor as error:
        raise ValidationError({"after": [ErrorDetail(str(error), "format")]}) from error


def _line_of(step: HistoryStep | Voided, decimals: int, visible: Shown) -> HistoryLine:
    if isinstance(step, Voided):
        void = step.match
        return HistoryLine(step.part, None, None, decimals, visible, Change.MATCH, void.ended_at, void.pk)
    change, match = step.change, step.match
    at = change.event.happened_at if match is None else match.ended_at
    return HistoryLine(step.part, step.standing, change, decimals, visible, change.kind, at, change.match_id)
