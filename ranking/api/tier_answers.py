"""A tier as the API answers it."""

from rest_framework import serializers

from ranking.api.output import OutputSerializer
from ranking.rules.tiers import Tier


class TierSerializer(OutputSerializer[Tier]):
    name = serializers.CharField()
    division = serializers.CharField(allow_null=True, help_text="III, II or I; null where the tier has none.")
    label = serializers.CharField(help_text="Both, as people read it.")  # type: ignore[assignment]
