"""`/matches/{number}/post-game/`: the post-game page as data."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboards.postgame.passing import Passing
from leaderboards.postgame.postgame import MatchSide, PostGame, make_postgame
from leaderboards.postgame.seats import Finish, PlayerLine
from ranking.api.answers import OUTCOMES, ChangeSerializer, Moves, StateField, moves_of
from ranking.api.base import ApiView
from ranking.api.match_answers import PersonSerializer, uncounted_field, uncounted_reason, uncounted_reason_field
from ranking.api.output import OutputSerializer
from ranking.api.schema import documented
from ranking.api.views.matches import get_record
from ranking.players.visibility import shown
from ranking.rules.places import score_sent
from ranking.systems.shared.explanations import Reason


@dataclass(slots=True)
class SeatLine(Moves):
    """What a match changed for a player; of an unrated match `change` is None. `teams`: how many there were."""

    seat: PlayerLine
    teams: int


class SideLine(NamedTuple):
    """A team. `chance`: its probability of winning before the match, None if it isn't shown."""

    side: MatchSide
    score: float | None
    chance: float | None
    seats: Sequence[SeatLine]


class GameLines(NamedTuple):
    game: PostGame
    teams: Sequence[SideLine]


class FinishSerializer(OutputSerializer[Finish]):
    """“Ranked 3rd of 8, came 2nd”: by the ratings before the match, and by the finish."""

    ranked = serializers.IntegerField()
    came = serializers.IntegerField()
    of = serializers.IntegerField()


class PassingSerializer(OutputSerializer[Passing]):
    """Whom the player passed on the board by this match, and who passed them: ranks before and after differ by these.

    The counts are of everybody; at most five each way have names, those first who stand closest. Hidden players and
    those who are gone are counted only.
    """

    passed = serializers.IntegerField(source="passed.count")
    passed_by = serializers.IntegerField(source="passed_by.count")
    passed_players = PersonSerializer(source="passed.players", many=True)
    passed_by_players = PersonSerializer(source="passed_by.players", many=True)


class ReasonSerializer(OutputSerializer[Reason]):
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

    bot = serializers.BooleanField(source="is_bot")


class SeatSerializer(ChangeSerializer):
    """`outcome`, ratings and ranks are null until the match is rated, and where the mode doesn't show them."""

    player = SeatedSerializer(source="seat.player")  # type: ignore[assignment]
    outcome = serializers.ChoiceField(OUTCOMES, source="change.outcome", allow_null=True)
    left_early = serializers.BooleanField(source="seat.left_early")
    finish = FinishSerializer(source="seat.finish", allow_null=True)
    passing = PassingSerializer(
        source="seat.passing",
        allow_null=True,
        help_text="null until the board is published, and for players who weren't ranked before or after.",
    )
    reasons = ReasonSerializer(many=True)
    equation = serializers.CharField(allow_blank=True, help_text="What the factors come to, before rounding.")
    leaving = serializers.CharField(
        allow_blank=True, help_text="What a leaver missed: what staying would have brought. Empty for who stayed."
    )

    @staticmethod
    def fill_place(line: SeatLine) -> int | None:
        return line.part.place if line.part else line.seat.place

    @staticmethod
    def fill_places(line: SeatLine) -> int | None:
        return line.part.places if line.part else line.seat.place and line.teams

    @staticmethod
    def fill_reasons(line: SeatLine) -> list[dict[str, object]]:
        return ReasonSerializer.fill_many(line.seat.why.reasons) if line.seat.why else []

    @staticmethod
    def fill_equation(line: SeatLine) -> str:
        return line.seat.why.equation if line.seat.why else ""

    @staticmethod
    def fill_leaving(line: SeatLine) -> str:
        return line.seat.why.leaving if line.seat.why else ""


class UnratedSeatSerializer(SeatSerializer):
    # Its answers have the player after the changes.

    first = tuple(name for name in ChangeSerializer._declared_fields if name != "player")


class SideSerializer(OutputSerializer[SideLine]):
    name = serializers.CharField(source="side.name")
    score = serializers.FloatField(allow_null=True)
    place = serializers.IntegerField(
        source="side.place", allow_null=True, help_text="null if the match was called off without places."
    )
    win_probability = serializers.FloatField(source="chance", allow_null=True, help_text="Before the match.")
    players = SeatSerializer(many=True)

    @staticmethod
    def fill_players(line: SideLine) -> list[dict[str, object]]:
        return [(SeatSerializer if seat.change else UnratedSeatSerializer).fill(seat) for seat in line.seats]


class PostGameSerializer(OutputSerializer[GameLines]):
    number = serializers.IntegerField(source="game.match.pk")
    mode = serializers.CharField(source="game.match.mode.slug")
    ended_at = serializers.DateTimeField(source="game.match.ended_at")
    state = StateField(source="game.match")
    uncounted = uncounted_field("game.match.uncounted")
    reason = uncounted_reason_field()
    headline = serializers.CharField(source="game.headline")
    teams = SideSerializer(many=True)

    @staticmethod
    def fill_reason(lines: GameLines) -> str:
        return uncounted_reason(lines.game.match)


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
        game = make_postgame(record, viewer=None, now=timezone.now())
        moves = {change.part.player_id: change for change in moves_of(record) if change.part}
        teams = [_side_of(game, index, side, moves) for index, side in enumerate(game.sides)]
        return Response(PostGameSerializer.fill(GameLines(game, teams)))


def _side_of(game: PostGame, index: int, side: MatchSide, moves: dict[int, Moves]) -> SideLine:
    parts = [part.player_id for part in game.play.parts if part.team == index]
    chances = [change.win_probability for change in game.play.changes if change.player_id in parts]
    if game.play.unseen and side.chance is not None:  # in full it would tell the ratings of players in placement
        chances = [side.chance / 100]
    chance = chances[0] if chances and side.chance is not None else None
    nothing = Moves(None, None, None, 0, shown(game.match.mode))
    seats = []
    for seat in side.seats:
        of = moves.get(seat.player.pk, nothing)
        seats.append(SeatLine(of.part, of.standing, of.change, of.decimals, of.visible, seat, len(game.sides)))
    return SideLine(side, score_sent(game.match.teams[index]), chance, seats)
