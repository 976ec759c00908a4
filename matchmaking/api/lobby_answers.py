"""A lobby, and the server that hosts it, as the API answers them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from leaderboards.boards.published import Standing
from leaderboards.display.numbers import DOWN, SAME, UP, Delta
from matchmaking import lifecycle
from matchmaking.lobbies.balance import BALANCES
from matchmaking.lobbies.page import LobbyPage
from matchmaking.lobbies.sides import LobbySeat
from matchmaking.lobbies.stakes import Stake, Stakes
from matchmaking.models import Server
from ranking.api.match_answers import PersonSerializer
from ranking.wording.translation import MINUS

LOBBY_STATES = lifecycle.LOBBY.states
STAKED_OUTCOMES = ["win", "loss"]  # a draw has no margin


class LobbyPlayerSerializer(PersonSerializer):
    """A player of a lobby. A field is null if the mode doesn't show it, or the player has no standing."""

    place = serializers.IntegerField(allow_null=True, help_text="Rank among all here as the lobby formed.")
    rank = serializers.IntegerField(allow_null=True, help_text="On the board as published.")
    rating = serializers.CharField(allow_null=True, help_text="As published.")
    percentile = serializers.IntegerField(allow_null=True, help_text="As published.")
    tier = serializers.CharField(allow_null=True)
    party = serializers.IntegerField(allow_null=True, help_text="The same for all of one party.")
    accepted = serializers.BooleanField()


class CompanionSerializer(PersonSerializer):
    """A player of the caller's own party, or the caller."""

    accepted = serializers.BooleanField()


class LobbyTeamSerializer(serializers.Serializer[Any]):
    win_probability = serializers.FloatField(allow_null=True, help_text="By the ratings now.")
    players = LobbyPlayerSerializer(many=True)


class StakedStandingSerializer(serializers.Serializer[Any]):
    """Where the caller stands now, or would stand after an outcome: the match's players by their live ratings,
    everybody else as published. A field is null if the mode doesn't show it.
    """

    rank = serializers.IntegerField()
    listed = serializers.IntegerField(help_text="How many are ranked.")
    percentile = serializers.IntegerField(allow_null=True)
    tier = serializers.CharField(allow_null=True)


_UNRANKED = "Null if the caller isn't ranked then: in placement, say."


class StakedStandingsSerializer(serializers.Serializer[Any]):
    now = StakedStandingSerializer(allow_null=True, help_text=_UNRANKED)
    win = StakedStandingSerializer(allow_null=True, help_text=_UNRANKED)
    draw = StakedStandingSerializer(allow_null=True, help_text=_UNRANKED)
    loss = StakedStandingSerializer(allow_null=True, help_text=_UNRANKED)


class PlaceStakeSerializer(serializers.Serializer[Any]):
    place = serializers.IntegerField()
    change = serializers.CharField()
    standing = StakedStandingSerializer(allow_null=True, help_text=_UNRANKED)


class MarginStakeSerializer(serializers.Serializer[Any]):
    outcome = serializers.ChoiceField(STAKED_OUTCOMES)
    scores = serializers.ListField(
        child=serializers.FloatField(),
        allow_null=True,
        help_text="One's own side's score and the other's. Null: the most that any score may bring or cost.",
    )
    change = serializers.CharField()
    standing = StakedStandingSerializer(allow_null=True, help_text=_UNRANKED)


class StakesSerializer(serializers.Serializer[Any]):
    """How each outcome would change one's rating, by the ratings now: +1.11.

    With more than two teams, `win` is the first place, `loss` the last one, and in a `draw` all share the first.
    """

    win = serializers.CharField()
    draw = serializers.CharField()
    loss = serializers.CharField()
    standings = StakedStandingsSerializer(help_text="Where each outcome would put the caller on the board.")
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


class YouSerializer(serializers.Serializer[Any]):
    """The caller: "ranked 3rd of 8"."""

    ranked = serializers.IntegerField(allow_null=True, help_text="Null while blind, and where ranks aren't shown.")
    of = serializers.IntegerField()
    absence = serializers.CharField(
        allow_blank=True, help_text="Why the caller isn't on the board as published: 3 of 10 placement matches."
    )
    accepted = serializers.BooleanField()
    ping = serializers.FloatField(allow_null=True, help_text="To the region, of the worst-placed in the party.")
    stakes = StakesSerializer(
        allow_null=True, help_text="Null while blind, where ratings aren't shown, and when it is over."
    )


class HostSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(allow_blank=True)
    region = serializers.CharField(allow_blank=True)
    address = serializers.CharField(help_text="Where to connect.")


class LobbySerializer(serializers.Serializer[Any]):
    id = serializers.CharField(help_text="A result that names it as `lobby` finishes it.")
    mode = serializers.CharField(help_text="Slug of its mode.")
    state = serializers.ChoiceField(LOBBY_STATES)
    region = serializers.CharField(allow_blank=True)
    variant = serializers.CharField(allow_blank=True, help_text="The map, say: drawn at random. Empty while blind.")
    blind = serializers.BooleanField(
        help_text="Not everybody has accepted, so teams, variant, chances and stakes aren't told."
    )
    size = serializers.IntegerField(help_text="Players of the match.")
    accepted = serializers.IntegerField(help_text="How many have accepted.")
    balance = serializers.ChoiceField(
        BALANCES, allow_null=True, help_text="Whether the match is about even, or one side is favoured, or clearly so."
    )
    party = CompanionSerializer(many=True, help_text="The caller's own party, the caller among them.")
    teams = LobbyTeamSerializer(many=True, help_text="Empty while blind.")
    server = HostSerializer(allow_null=True, help_text="Null until all have accepted, and where games need none.")
    formed_at = serializers.DateTimeField()
    accept_until = serializers.DateTimeField(allow_null=True, help_text="Null: nobody is asked.")
    started_at = serializers.DateTimeField(allow_null=True)
    closed_at = serializers.DateTimeField(allow_null=True)
    ending = serializers.CharField(allow_blank=True, help_text="For its players: why it fell through.")
    match = serializers.IntegerField(allow_null=True, help_text="Once finished: the site's own number of the match.")
    you = YouSerializer(allow_null=True, help_text="Null for game servers.")


_LOBBY_FIELDS = ("state", "region", "blind", "formed_at", "accept_until", "started_at", "closed_at", "ending")


def lobby_data(page: LobbyPage) -> dict[str, Any]:
    """LobbySerializer's data."""
    lobby = page.lobby
    return {
        "id": lobby.pk,
        "mode": page.mode.slug,
        **{name: getattr(lobby, name) for name in _LOBBY_FIELDS},
        "variant": "" if page.blind else lobby.variant,
        "size": page.size,
        "accepted": page.accepted,
        "balance": page.balance or None,
        "party": [{"id": each.player.key, "name": each.player.name, "accepted": each.accepted} for each in page.party],
        "server": None if lobby.server is None else _host_data(lobby.server),
        "match": lobby.match_id,
        "teams": [
            {"win_probability": side.probability, "players": [_seat_data(seat) for seat in side.seats]}
            for side in page.sides
        ],
        "you": page.own and _you_data(page, page.own),
    }


def _host_data(server: Server) -> dict[str, str]:
    return {"name": server.name, "region": server.region, "address": server.address}


def _seat_data(seat: LobbySeat) -> dict[str, Any]:
    standing = seat.standing
    return {
        "id": seat.player.key,
        "name": seat.player.name,
        "place": seat.place,
        "rank": standing and standing.rank,
        "rating": seat.rating.replace(",", "").replace(MINUS, "-") or None,
        "percentile": standing and standing.percentile,
        "tier": standing.tier.label if standing and standing.tier else None,
        "party": seat.party,
        "accepted": seat.accepted,
    }


def _you_data(page: LobbyPage, own: LobbySeat) -> dict[str, Any]:
    return {
        "ranked": own.place,
        "of": page.size,
        "absence": own.absence,
        "accepted": own.accepted,
        "ping": page.ping,
        "stakes": page.stakes and _stakes_data(page.stakes),
    }


def _stakes_data(stakes: Stakes) -> dict[str, Any]:
    outcomes = {"win": stakes.won, "draw": stakes.drew, "loss": stakes.lost}
    standings = {outcome: _standing_data(stake.standing) for outcome, stake in outcomes.items()}
    return {
        **{outcome: _change_text(stake.change) for outcome, stake in outcomes.items()},
        "standings": {"now": _standing_data(stakes.standing), **standings},
        "places": [{"place": each.place, **_stake_data(each.stake)} for each in stakes.places],
        "margins": [
            {"outcome": "win" if each.won else "loss", "scores": each.scores, **_stake_data(each.stake)}
            for each in stakes.margins
        ],
    }


def _stake_data(stake: Stake) -> dict[str, Any]:
    return {"change": _change_text(stake.change), "standing": _standing_data(stake.standing)}


def _standing_data(standing: Standing | None) -> dict[str, Any] | None:
    return standing and {
        "rank": standing.rank,
        "listed": standing.listed,
        "percentile": standing.percentile,
        "tier": standing.tier.label if standing.tier else None,
    }


def _change_text(delta: Delta) -> str:
    """A change of rating as programs read it: +1.11, 0.00, -1.07."""
    return {UP: "+", DOWN: "-", SAME: ""}[delta.direction] + delta.size.replace(",", "")


class ServerSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(allow_blank=True)
    region = serializers.CharField(allow_blank=True)
    address = serializers.CharField()
    capacity = serializers.IntegerField()
    modes = serializers.ListField(child=serializers.CharField())
    heartbeat_seconds = serializers.IntegerField(help_text="Be heard from again within so many.")
    lobby = LobbySerializer(allow_null=True, help_text="The one to begin, else one that is being played here.")
    lobbies = LobbySerializer(many=True, help_text="All that are to be played or being played here.")
