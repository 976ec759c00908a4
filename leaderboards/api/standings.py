"""A standing as data, for rows of boards and for players."""

from typing import Any

from rest_framework import serializers

from leaderboards.boards.absence import HIDDEN, INACTIVE, UNPLACED, WAITING, Absence
from leaderboards.boards.published import Standing
from ranking.rules.tiers import Tier
from ranking.wording.translation import MINUS


class TierSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    division = serializers.CharField(allow_null=True, help_text="III, II or I; null where the tier has none.")
    label = serializers.CharField(help_text="Both, as people read it.")  # type: ignore[assignment]


class StandingSerializer(serializers.Serializer[Any]):
    """As published. Null is what the mode doesn't show; everything where the player isn't on the board."""

    rank = serializers.IntegerField(allow_null=True)
    rating = serializers.CharField(allow_null=True)
    percentile = serializers.IntegerField(allow_null=True)
    top_percent = serializers.IntegerField(allow_null=True, help_text="The X of “top X %”.")
    tier = TierSerializer(allow_null=True, help_text="Null, too, while too few players are listed for tiers.")


class UnlistedSerializer(serializers.Serializer[Any]):
    """Why somebody isn't on the board."""

    reason = serializers.ChoiceField([HIDDEN, UNPLACED, INACTIVE, WAITING])
    detail = serializers.CharField()
    next_step = serializers.CharField()
    done = serializers.IntegerField(help_text="Placement matches completed, where that is the reason.")
    needed = serializers.IntegerField()


def absence_data(absence: Absence) -> dict[str, Any]:
    """Return UnlistedSerializer's data."""
    return {
        "reason": absence.reason,
        "detail": absence.words,
        "next_step": absence.next_step,
        "done": absence.done,
        "needed": absence.needed,
    }


def plain_rating(text: str) -> str:
    """A rating of a page as programs read it: -1021.84."""
    return text.replace(",", "").replace(MINUS, "-")


def standing_data(standing: Standing | None, rating: str | None) -> dict[str, Any]:
    """Return StandingSerializer's data; `standing` is None if the player isn't on the board."""
    if standing is None:
        return dict.fromkeys(("rank", "rating", "percentile", "top_percent", "tier"))
    return {
        "rank": standing.rank,
        "rating": rating,
        "percentile": standing.percentile,
        "top_percent": standing.top_percent,
        "tier": None if standing.tier is None else _tier_data(standing.tier),
    }


def _tier_data(tier: Tier) -> dict[str, Any]:
    return {"name": tier.name, "division": tier.division, "label": tier.label}
