"""Rows of a board as the API answers them: listed players, and below the line of a friends board the others."""

from rest_framework import serializers

from leaderboards.api.standings import StandingSerializer, UnlistedSerializer
from leaderboards.boards.absence import Absence
from leaderboards.boards.rows import Line
from ranking.api.match_answers import PersonSerializer


class RowSerializer(StandingSerializer[Line]):
    """A place on the board; below the line of a friends board all standing is null and `unlisted` says why."""

    described = Line
    kinds = {Absence: UnlistedSerializer}

    rank = serializers.IntegerField(allow_null=True)
    global_rank = serializers.IntegerField(
        source="standing.rank",
        allow_null=True,
        help_text="Among everyone, as are percentile and tier; `rank` is on this board.",
    )
    player = PersonSerializer(help_text="Without id and name if the player is hidden; only in archived seasons.")
