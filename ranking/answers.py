"""What the API says about a recorded match, as far as its mode shows it."""

from decimal import Decimal
from typing import Any

from rest_framework import serializers

from ranking.models import Change, Mode, Participation
from ranking.modes import system_of
from ranking.plays import Play


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
    state = serializers.ChoiceField(["rated"])
    late = serializers.BooleanField(help_text="It ended before a match already rated for one of its players.")
    changes = ChangeSerializer(many=True)


def recorded_answer(play: Play, *, hidden_too: bool = False) -> dict[str, Any]:
    """RecordedSerializer's data. `hidden_too` for keys that may see what the mode doesn't show."""
    mode = play.match.mode
    return {
        "id": play.match.external_id,
        "number": play.match.pk,
        "state": "rated",
        "late": play.match.late,
        "changes": [
            _change_answer(part, change, mode, hidden_too)
            for part, change in zip(play.parts, play.changes, strict=True)
        ],
    }


def _change_answer(part: Participation, change: Change, mode: Mode, hidden_too: bool) -> dict[str, Any]:
    rating = hidden_too or (mode.ranked and mode.shows_rating)
    ranks = hidden_too or mode.ranked
    percentile = hidden_too or (mode.ranked and mode.shows_percentile)
    return {
        "player": part.player.key,
        "outcome": change.outcome,
        "rating": {
            "before": rating_text(change.display_before, change) if rating else None,
            "after": rating_text(change.display_after, change) if rating else None,
        },
        "rank": {"before": part.rank_before if ranks else None, "after": part.rank_after if ranks else None},
        "percentile": {
            "before": part.percentile_before if percentile else None,
            "after": part.percentile_after if percentile else None,
        },
    }


def rating_text(hundredths: int, change: Change) -> str:
    """A display rating with exactly as many decimals as its system has."""
    decimals = system_of(change.parameters).decimals
    return f"{Decimal(hundredths).scaleb(-2):.{decimals}f}"
