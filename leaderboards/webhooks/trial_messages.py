"""The message by which an operator tries whether messages arrive."""

from __future__ import annotations

from rest_framework import serializers

from leaderboards.models import Webhook
from leaderboards.webhooks.discord import Embed
from leaderboards.webhooks.events import TEST
from leaderboards.webhooks.payloads import Payload
from ranking.api.output import OutputSerializer


class TestSerializer(OutputSerializer[Webhook]):
    webhook = serializers.CharField(source="name", help_text="The webhook's name in the admin.")


def _embed(data: object) -> Embed:
    return {"title": "Rungs is connected", "description": "Results and promotions will be told here."}


PAYLOADS = {TEST: Payload(TestSerializer, _embed)}
