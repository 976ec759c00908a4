"""Request bodies of clients and game servers, validated field by field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from matchmaking.models.queue import LONGEST_REGION, MOST_REGIONS
from matchmaking.queues.queueing import MOST_PING
from ranking.api.pagination import QuerySerializer
from ranking.validation.fields import (
    LARGEST,
    BooleanField,
    IntegerField,
    KeyField,
    NameField,
    NumberField,
    OneStepField,
    PlayerKeyField,
    TextField,
)
from ranking.validation.objects import BoundedListField, StrictSerializer

LONGEST_KEY, LONGEST_LOBBY = 128, 20
MOST_TEAMS = 200
MOST_CAPACITY, MOST_MODES, MOST_PRESENT = 1_000, 100, 1_000
LONGEST_ADDRESS = 200  # of a server
LONGEST_REASON = 200
_LARGEST_NUMBER = 10**15


@extend_schema_field(
    {
        "type": "object",
        "additionalProperties": {"type": "number", "minimum": 0, "maximum": MOST_PING},
        "maxProperties": MOST_REGIONS,
    }
)
class PingsField(OneStepField, serializers.DictField):
    """Milliseconds by region."""

    child = NumberField(min_value=0, max_value=MOST_PING)
    _name = TextField(max_length=LONGEST_REGION)

    def to_internal_value(self, data: Any) -> dict[str, float]:
        if not isinstance(data, Mapping):
            raise serializers.ValidationError('This must be an object, such as {"eu": 25}.', "type")
        if len(data) > MOST_REGIONS:
            sentence = f"At most {MOST_REGIONS} regions; these are {len(data):,}."
            raise serializers.ValidationError(sentence, "length")
        errors, pings = {}, {}
        for name, ping in data.items():
            try:
                pings[self._name.to_internal_value(name)] = self.child.run_validation(ping)
            except serializers.ValidationError as error:
                errors[name] = error.detail
        if errors:
            raise serializers.ValidationError(errors)
        return pings


class TicketRequestSerializer(StrictSerializer):
    """A player queues alone, or with the party that they lead. A key names the `player`, or the `party`."""

    mode = TextField(max_length=50, help_text="Slug of a mode with a queue.")
    player = PlayerKeyField(
        max_length=LONGEST_KEY, required=False, help_text="Keys only: whose ticket. New ones are made. Not `me`."
    )
    name = NameField(required=False, help_text="Keys only: what to call a player who is new here.")
    party = IntegerField(min_value=1, max_value=_LARGEST_NUMBER, required=False, help_text="Its number.")
    width = IntegerField(
        min_value=1, max_value=100, required=False, help_text="Percentiles up and down; default: the queue's."
    )
    strict = BooleanField(default=False, help_text="Whether the window never widens.")
    regions = PingsField(required=False, help_text="Pings by region; without any, every region is good.")
    ping_limit = IntegerField(
        min_value=1,
        max_value=MOST_PING,
        required=False,
        help_text="Up to which a region is good; default: the queue's.",
    )


class PlayerNamedSerializer(StrictSerializer):
    """The player whom the call is about."""

    player = KeyField(max_length=LONGEST_KEY, help_text="The game's key for a player.")


class PingsSerializer(StrictSerializer):
    """The pings that a party's member measured."""

    regions = PingsField(help_text="Pings by region.")
    ping_limit = IntegerField(min_value=1, max_value=MOST_PING, required=False, allow_null=True)


class MatchScoresSerializer(StrictSerializer):
    """The scores in a match that is running."""

    lobby = TextField(max_length=LONGEST_LOBBY, help_text="The lobby's id.")
    scores = BoundedListField(
        child=NumberField(min_value=-LARGEST, max_value=LARGEST), min_length=2, max_length=MOST_TEAMS,
        help_text="Of each team, in the order of the lobby's teams.",
    )  # fmt: skip


class ServerRequestSerializer(StrictSerializer):
    """A server as it is now: all fields, each time."""

    name = TextField(max_length=64, required=False, allow_blank=True, default="",
                     help_text="Tells the servers of one source apart.")  # fmt: skip
    region = TextField(max_length=LONGEST_REGION, allow_blank=True, help_text='"": good for all.')
    address = TextField(max_length=LONGEST_ADDRESS, help_text="Where players connect; shown to them as it is.")
    capacity = IntegerField(min_value=1, max_value=MOST_CAPACITY, default=1, help_text="Matches at once.")
    modes = BoundedListField(
        child=TextField(max_length=50), min_length=1, max_length=MOST_MODES, help_text="Slugs of what it can host."
    )
    state = TextField(max_length=64, required=False, allow_blank=True, default="", help_text="In the server's words.")
    matches = BoundedListField(
        child=MatchScoresSerializer(), required=False, max_length=MOST_CAPACITY,
        help_text="All matches that run here, with their scores. So moderators see who was behind if no result comes.",
    )  # fmt: skip


class ServerQuerySerializer(QuerySerializer):
    name = TextField(
        max_length=64, required=False, allow_blank=True, help_text="Which server of the source, if it has several."
    )


class AbortSerializer(StrictSerializer):
    """Why the server calls the match off."""

    reason = TextField(max_length=LONGEST_REASON, help_text="What the players read.")
    name = TextField(
        max_length=64, required=False, allow_blank=True,
        help_text="Of the server, if its source has several: only the one that hosts the lobby may call it off.",
    )  # fmt: skip


class StartSerializer(StrictSerializer):
    """The players who have connected to the server."""

    players = BoundedListField(
        child=KeyField(max_length=LONGEST_KEY), max_length=MOST_PRESENT,
        help_text="Keys of those present. Who isn't has dropped out: the lobby is forfeited instead of begun."
                  " If nobody is, it is cancelled.",
    )  # fmt: skip
    name = TextField(
        max_length=64, required=False, allow_blank=True,
        help_text="The server's, as in its heartbeat. Needed if the lobby came from another server of the same source.",
    )  # fmt: skip
