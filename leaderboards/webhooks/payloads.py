"""The kind of a message: what its `data` says to games, as the schema has it, too, and its embed for Discord."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from rest_framework import serializers

from leaderboards.webhooks.discord import Embed
from ranking.api.output import OutputSerializer
from ranking.models import Mode


class Payload(NamedTuple):
    """`serializer`: of the `data`. `embed`: makes the embed of the data; for a rated match, of its record."""

    serializer: type[OutputSerializer[Any]]
    embed: Callable[[Any], Embed]


class NamedModeSerializer(OutputSerializer[Mode]):
    id = serializers.CharField(source="slug", help_text="Slug of the mode.")
    name = serializers.CharField()
