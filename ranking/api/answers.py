"""What the API says about what a match changed, as far as its mode shows it."""

from decimal import Decimal
from functools import cache
from typing import Any

from rest_framework import serializers

from ranking.matches.records import MatchRecord
from ranking.models import Change, Match, Participation
from ranking.modes.parameters import system_of
from ranking.players.visibility import Shown, shown

RECORDED, RATED, VOID = STATES = ("recorded", "rated", "void")


class MoveSerializer(serializers.Serializer[Any]):
    """A number before and after; null where there was none or the mode doesn't show it."""

    before = serializers.IntegerField(allow_null=True)
    after = serializers.IntegerField(allow_null=True)


class RatingMoveSerializer(serializers.Serializer[Any]):
    """A display rating before and after, as decimal strings; null where the mode doesn't show it."""

    before = serializers.CharField(allow_null=True)
    after = serializers.CharField(allow_null=True)


class ChangeSerializer(serializers.Serializer[Any]):
    player = serializers.CharField(help_text="The game's key for the player.")
    outcome = serializers.ChoiceField([Change.WIN, Change.DRAW, Change.LOSS, Change.LEFT])
    rating = RatingMoveSerializer()
    rank = MoveSerializer()
    percentile = MoveSerializer()


class RecordedSerializer(serializers.Serializer[Any]):
    """A recorded result. `number` is the site's own id of the match."""

    id = serializers.CharField()
    number = serializers.IntegerField()
    state = serializers.ChoiceField(
        STATES, help_text="What is recorded only will be rated later; what is void counts for nothing."
    )
    late = serializers.BooleanField(help_text="It ended before a match already rated for one of its players.")
    changes = ChangeSerializer(many=True)


def recorded_data(play: MatchRecord) -> dict[str, Any]:
    """RecordedSerializer's data."""
    match = play.match
    return {
        "id": match.external_id,
        "number": match.pk,
        "state": state_of(match),
        "late": match.late,
        "changes": changes_data(play),
    }


def changes_data(play: MatchRecord) -> list[dict[str, Any]]:
    """ChangeSerializer's data of everybody whom the match changed, in roster order."""
    visible = shown(play.match.mode)
    parts = {part.player_id: part for part in play.parts}
    decimals = cache(lambda parameters: system_of(parameters).decimals)
    return [
        _change_data(parts[change.player_id], change, decimals(change.parameters), visible) for change in play.changes
    ]


def state_of(match: Match) -> str:
    """Of a match loaded by records.with_voids."""
    if match.is_void:
        return VOID
    return RECORDED if match.event_id is None else RATED


def _change_data(part: Participation, change: Change, decimals: int, visible: Shown) -> dict[str, Any]:
    return {"player": part.player.key, "outcome": change.outcome, **moves_data(part, change, decimals, visible)}


def moves_data(part: Participation | None, change: Change, decimals: int, visible: Shown) -> dict[str, Any]:
    """Rating, rank and percentile before and after; `part` None where no match made the change."""
    ratings = [rating_text(hundredths, decimals) for hundredths in (change.display_before, change.display_after)]
    ranks = (part.rank_before, part.rank_after) if part is not None else (None, None)
    percentiles = (part.percentile_before, part.percentile_after) if part is not None else (None, None)
    return {
        "rating": _move(*ratings) if visible.rating else _move(None, None),
        "rank": _move(*ranks) if visible.rank else _move(None, None),
        "percentile": _move(*percentiles) if visible.percentile else _move(None, None),
    }


def _move(before: Any, after: Any) -> dict[str, Any]:
    return {"before": before, "after": after}


def rating_text(hundredths: int, decimals: int) -> str:
    """A display rating with exactly as many decimals as its system has: 1021.84."""
    return f"{Decimal(hundredths).scaleb(-2):.{decimals}f}"
