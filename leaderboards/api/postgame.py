"""`/matches/{number}/post-game/`: the post-game page as data."""

from dataclasses import asdict
from typing import Any

from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboards.postgame.passing import Passing
from leaderboards.postgame.postgame import MatchSide, PostGame, make_postgame
from leaderboards.postgame.seats import PlayerLine
from ranking.api.answers import OUTCOMES, STATES, ChangeSerializer, changes_data, state_of
from ranking.api.base import ApiView
from ranking.api.match_answers import PersonSerializer, uncounted_data, uncounted_field, uncounted_reason_field
from ranking.api.schema import documented
from ranking.api.views.matches import get_record
from ranking.rules.places import score_sent


class FinishSerializer(serializers.Serializer[Any]):
    """“Ranked 3rd of 8, came 2nd”: by the ratings before the match, and by the finish."""

    ranked = serializers.IntegerField()
    came = serializers.IntegerField()
    of = serializers.IntegerField()


class PassingSerializer(serializers.Serializer[Any]):
    """Whom the player passed on the board by this match, and who passed them: ranks before and after differ by these.

    The counts are of everybody; at most five each way have names, those first who stand closest. Hidden players and
    those who are gone are counted only.
    """

    passed = serializers.IntegerField()
    passed_by = serializers.IntegerField()
    passed_players = PersonSerializer(many=True)
    passed_by_players = PersonSerializer(many=True)


class ReasonSerializer(serializers.Serializer[Any]):
    """A factor of the rating formula, as people read it."""

    name = serializers.CharField()
    value = serializers.CharField()
    note = serializers.CharField(allow_blank=True)
    kind = serializers.CharField(
        help_text="stake (× (result − expectation), the shares after it), share, times, amount, floor or number."
    )
    number = serializers.FloatField(help_text="The value in full.")


class SeatedSerializer(PersonSerializer):
    """Who played."""

    bot = serializers.BooleanField()


class SeatSerializer(ChangeSerializer):
    """`outcome`, ratings and ranks are null until the match is rated, and where the mode doesn't show them."""

    player = SeatedSerializer()  # type: ignore[assignment]
    outcome = serializers.ChoiceField(OUTCOMES, allow_null=True)
    left_early = serializers.BooleanField()
    finish = FinishSerializer(allow_null=True)
    passing = PassingSerializer(
        allow_null=True,
        help_text="null until the board is published, and for players who weren't ranked before or after.",
    )
    reasons = ReasonSerializer(many=True)
    equation = serializers.CharField(allow_blank=True, help_text="What the factors come to, before rounding.")
    leaving = serializers.CharField(
        allow_blank=True, help_text="What a leaver missed: what staying would have brought. Empty for who stayed."
    )


class SideSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    score = serializers.FloatField(allow_null=True)
    place = serializers.IntegerField(allow_null=True, help_text="null if the match was called off without places.")
    win_probability = serializers.FloatField(allow_null=True, help_text="Before the match.")
    players = SeatSerializer(many=True)


class PostGameSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    mode = serializers.CharField()
    ended_at = serializers.DateTimeField()
    state = serializers.ChoiceField(STATES)
    uncounted = uncounted_field()
    reason = uncounted_reason_field()
    headline = serializers.CharField()
    teams = SideSerializer(many=True)


_MOVES = ("rating", "rank", "percentile", "listed", "standing_rating")


class PostGameView(ApiView):
    @documented(
        "What a match changed, and why",
        operation_id="get_post_game",
        description="The post-game page as data: who won, what it did to everybody's rating, and by which factors.",
        answers={200: PostGameSerializer},
        problems=[400, 404],
    )
    def get(self, request: Request, number: int) -> Response:
        record = get_record(request, number)
        match = record.match
        game = make_postgame(record, viewer=None, now=timezone.now())
        changes = {change["player"]: change for change in changes_data(record)}
        return Response(
            {
                "number": match.pk,
                "mode": match.mode.slug,
                "ended_at": match.ended_at,
                "state": state_of(match),
                **uncounted_data(match),
                "headline": game.headline,
                "teams": [_side_data(game, index, side, changes) for index, side in enumerate(game.sides)],
            }
        )


def _side_data(game: PostGame, index: int, side: MatchSide, changes: dict[str, dict[str, Any]]) -> dict[str, Any]:
    parts = [part.player_id for part in game.play.parts if part.team == index]
    chances = [change.win_probability for change in game.play.changes if change.player_id in parts]
    if game.play.unseen and side.chance is not None:  # in full it would tell the ratings of players in placement
        chances = [side.chance / 100]
    return {
        "name": side.name,
        "score": score_sent(game.match.teams[index]),
        "place": side.place,
        "win_probability": chances[0] if chances and side.chance is not None else None,
        "players": [_seat_data(seat, changes.get(seat.player.key), len(game.sides)) for seat in side.seats],
    }


def _seat_data(seat: PlayerLine, change: dict[str, Any] | None, places: int) -> dict[str, Any]:
    nothing = {"before": None, "after": None}
    return {
        **(
            change
            or {"outcome": None, "place": seat.place, "places": seat.place and places, **dict.fromkeys(_MOVES, nothing)}
        ),
        "player": {"id": seat.player.key, "name": seat.player.name, "bot": seat.player.is_bot},
        "left_early": seat.left_early,
        "finish": seat.finish and {"ranked": seat.finish.ranked, "came": seat.finish.came, "of": seat.finish.of},
        "passing": seat.passing and _passing_data(seat.passing),
        "reasons": [asdict(reason) for reason in seat.why.reasons] if seat.why else [],
        "equation": seat.why.equation if seat.why else "",
        "leaving": seat.why.leaving if seat.why else "",
    }


def _passing_data(passing: Passing) -> dict[str, Any]:
    players = {
        name: [{"id": player.key, "name": player.name} for player in crossed.players]
        for name, crossed in (("passed_players", passing.passed), ("passed_by_players", passing.passed_by))
    }
    return {"passed": passing.passed.count, "passed_by": passing.passed_by.count, **players}
