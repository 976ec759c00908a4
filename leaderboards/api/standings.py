"""A standing as the API answers it, for rows of boards and for players."""

from rest_framework import serializers

from leaderboards.boards.absence import HIDDEN, INACTIVE, UNPLACED, WAITING, Absence
from ranking.api.output import OutputSerializer, R
from ranking.api.tier_answers import TierSerializer
from ranking.wording.translation import MINUS


class PlainRatingField(serializers.CharField):
    def to_representation(self, value: str) -> str | None:  # type: ignore[override]  # null if it isn't shown
        """Return a rating of a page as programs read it: -1021.84."""
        return value.replace(",", "").replace(MINUS, "-") or None


class StandingSerializer(OutputSerializer[R]):
    """As published. Null is what the mode doesn't show; everything where the player isn't on the board."""

    # Of a row that has a `standing`, None if the player isn't on the board, and the text of a `rating`.
    rank = serializers.IntegerField(source="standing.rank", allow_null=True)
    rating = serializers.CharField(allow_null=True)
    percentile = serializers.IntegerField(source="standing.percentile", allow_null=True)
    top_percent = serializers.IntegerField(
        source="standing.top_percent", allow_null=True, help_text="The X of “top X %”."
    )
    tier = TierSerializer(
        source="standing.tier",
        allow_null=True,
        help_text="Null, too, while too few players are listed for tiers.",
    )


class UnlistedSerializer(OutputSerializer[Absence]):
    """Why somebody isn't on the board."""

    reason = serializers.ChoiceField([HIDDEN, UNPLACED, INACTIVE, WAITING])
    detail = serializers.CharField(source="words")
    next_step = serializers.CharField()
    done = serializers.IntegerField(help_text="Placement matches completed, where that is the reason.")
    needed = serializers.IntegerField()
