"""A lobby as the API answers it."""

from __future__ import annotations

from rest_framework import serializers

from leaderboards.api.standings import PlainRatingField
from leaderboards.boards.published import Standing
from leaderboards.display.numbers import DOWN, SAME, UP, Delta
from matchmaking import lifecycle
from matchmaking.lobbies.balance import BALANCES
from matchmaking.lobbies.page import Companion, LobbyPage
from matchmaking.lobbies.sides import LobbySeat, LobbySide
from matchmaking.lobbies.stakes import MarginStake, PlaceStake, Stakes
from matchmaking.models import Server
from ranking.api.match_answers import WithPersonSerializer
from ranking.api.output import OutputSerializer

LOBBY_STATES = lifecycle.LOBBY.states
STAKED_OUTCOMES = ["win", "loss"]  # a draw has no margin


class ChangeField(serializers.CharField):
    def to_representation(self, value: Delta) -> str:  # type: ignore[override]  # of a change, not of its text
        """Return a change of rating as programs read it: +1.11, 0.00, -1.07."""
        return {UP: "+", DOWN: "-", SAME: ""}[value.direction] + value.size.replace(",", "")


class LobbyPlayerSerializer(WithPersonSerializer[LobbySeat]):
    """A player of a lobby. A field is null if the mode doesn't show it, or the player has no standing."""

    place = serializers.IntegerField(allow_null=True, help_text="Rank among all here as the lobby formed.")
    rank = serializers.IntegerField(source="standing.rank", allow_null=True, help_text="On the board as published.")
    rating = PlainRatingField(allow_null=True, help_text="As published.")
    percentile = serializers.IntegerField(source="standing.percentile", allow_null=True, help_text="As published.")
    tier = serializers.CharField(source="standing.tier.label", allow_null=True)
    party = serializers.IntegerField(allow_null=True, help_text="The same for all of one party.")
    accepted = serializers.BooleanField()


class CompanionSerializer(WithPersonSerializer[Companion]):
    """A player of the caller's own party, or the caller."""

    accepted = serializers.BooleanField()


class LobbyTeamSerializer(OutputSerializer[LobbySide]):
    win_probability = serializers.FloatField(source="probability", allow_null=True, help_text="By the ratings now.")
    players = LobbyPlayerSerializer(source="seats", many=True)


class StakedStandingSerializer(OutputSerializer[Standing]):
    """Where the caller stands now, or would stand after an outcome: the match's players by their live ratings,
    everybody else as published. A field is null if the mode doesn't show it.
    """

    rank = serializers.IntegerField()
    listed = serializers.IntegerField(help_text="How many are ranked.")
    percentile = serializers.IntegerField(allow_null=True)
    tier = serializers.CharField(source="tier.label", allow_null=True)


_UNRANKED = "Null if the caller isn't ranked then: in placement, say."


class StakedStandingsSerializer(OutputSerializer[Stakes]):
    now = StakedStandingSerializer(source="standing", allow_null=True, help_text=_UNRANKED)
    win = StakedStandingSerializer(source="won.standing", allow_null=True, help_text=_UNRANKED)
    draw = StakedStandingSerializer(source="drew.standing", allow_null=True, help_text=_UNRANKED)
    loss = StakedStandingSerializer(source="lost.standing", allow_null=True, help_text=_UNRANKED)


class PlaceStakeSerializer(OutputSerializer[PlaceStake]):
    place = serializers.IntegerField()
    change = ChangeField(source="stake.change")
    standing = StakedStandingSerializer(source="stake.standing", allow_null=True, help_text=_UNRANKED)


class MarginStakeSerializer(OutputSerializer[MarginStake]):
    outcome = serializers.ChoiceField(STAKED_OUTCOMES)
    scores = serializers.ListField(
        child=serializers.FloatField(),
        allow_null=True,
        help_text="One's own side's score and the other's. Null: the most that any score may bring or cost.",
    )
    change = ChangeField(source="stake.change")
    standing = StakedStandingSerializer(source="stake.standing", allow_null=True, help_text=_UNRANKED)

    @staticmethod
    def fill_outcome(stake: MarginStake) -> str:
        return "win" if stake.won else "loss"


class StakesSerializer(OutputSerializer[Stakes]):
    """How each outcome would change one's rating, by the ratings now: +1.11.

    With more than two teams, `win` is the first place, `loss` the last one, and in a `draw` all share the first.
    """

    win = ChangeField(source="won.change")
    draw = ChangeField(source="drew.change")
    loss = ChangeField(source="lost.change")
    standings = StakedStandingsSerializer(source="*", help_text="Where each outcome would put the caller on the board.")
    places = PlaceStakeSerializer(
        many=True,
        help_text=(
            "Empty with two teams. With more, each place up to eight teams; else the first, the quartiles, the median"
            " and the last. The others come in the order of their strength."
        ),
    )
    margins = MarginStakeSerializer(
        many=True,
        help_text=(
            "Wins by scores as the mode's last matches had them, from a narrow to a high one, then the most that any"
            " win may bring, if players' own statistics don't count; and losses likewise. Empty unless the rating"
            " system learns from scores and matches have them."
        ),
    )


class YouSerializer(OutputSerializer[LobbyPage]):
    """The caller: "ranked 3rd of 8"."""

    ranked = serializers.IntegerField(
        source="own.place", allow_null=True, help_text="Null while blind, and where ranks aren't shown."
    )
    of = serializers.IntegerField(source="size")
    absence = serializers.CharField(
        source="own.absence",
        allow_blank=True,
        help_text="Why the caller isn't on the board as published: 3 of 10 placement matches.",
    )
    accepted = serializers.BooleanField(source="own.accepted")
    ping = serializers.FloatField(allow_null=True, help_text="To the region, of the worst-placed in the party.")
    stakes = StakesSerializer(
        allow_null=True, help_text="Null while blind, where ratings aren't shown, and when it is over."
    )


class HostSerializer(OutputSerializer[Server]):
    name = serializers.CharField(allow_blank=True)
    region = serializers.CharField(allow_blank=True)
    address = serializers.CharField(help_text="Where to connect.")


class LobbySerializer(OutputSerializer[LobbyPage]):
    first = (
        "id", "mode", "state", "region", "blind", "formed_at", "accept_until", "started_at", "closed_at", "ending",
        "variant", "size", "accepted", "balance", "party", "server", "match",
    )  # fmt: skip

    id = serializers.CharField(source="lobby.pk", help_text="A result that names it as `lobby` finishes it.")
    mode = serializers.CharField(source="mode.slug", help_text="Slug of its mode.")
    state = serializers.ChoiceField(LOBBY_STATES, source="lobby.state")
    region = serializers.CharField(source="lobby.region", allow_blank=True)
    variant = serializers.CharField(allow_blank=True, help_text="The map, say: drawn at random. Empty while blind.")
    blind = serializers.BooleanField(
        source="lobby.blind",
        help_text="Not everybody has accepted, so teams, variant, chances and stakes aren't told.",
    )
    size = serializers.IntegerField(help_text="Players of the match.")
    accepted = serializers.IntegerField(help_text="How many have accepted.")
    balance = serializers.ChoiceField(
        BALANCES, allow_null=True, help_text="Whether the match is about even, or one side is favoured, or clearly so."
    )
    party = CompanionSerializer(many=True, help_text="The caller's own party, the caller among them.")
    teams = LobbyTeamSerializer(source="sides", many=True, help_text="Empty while blind.")
    server = HostSerializer(
        source="lobby.server", allow_null=True, help_text="Null until all have accepted, and where games need none."
    )
    formed_at = serializers.DateTimeField(source="lobby.formed_at")
    accept_until = serializers.DateTimeField(
        source="lobby.accept_until", allow_null=True, help_text="Null: nobody is asked."
    )
    started_at = serializers.DateTimeField(source="lobby.started_at", allow_null=True)
    closed_at = serializers.DateTimeField(source="lobby.closed_at", allow_null=True)
    ending = serializers.CharField(
        source="lobby.ending", allow_blank=True, help_text="For its players: why it fell through."
    )
    match = serializers.IntegerField(
        source="lobby.match_id", allow_null=True, help_text="Once finished: the site's own number of the match."
    )
    you = YouSerializer(allow_null=True, help_text="Null for game servers.")

    @staticmethod
    def fill_variant(page: LobbyPage) -> str:
        return "" if page.blind else page.lobby.variant

    @staticmethod
    def fill_balance(page: LobbyPage) -> str | None:
        return page.balance or None

    @staticmethod
    def fill_you(page: LobbyPage) -> dict[str, object] | None:
        return None if page.own is None else YouSerializer.fill(page)
