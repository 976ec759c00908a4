"""A match's changes as the API answers them, as far as the mode shows them."""

import datetime as dt
from collections.abc import Collection
from dataclasses import replace
from decimal import Decimal
from functools import cache
from typing import Any

from rest_framework import serializers

from ranking.matches.doubles import MOST, NONE, Doubles
from ranking.matches.lobbies import SAME_ROSTER, RosterDifference
from ranking.matches.records import MatchRecord
from ranking.models import Change, Forfeit, Match, Participation
from ranking.modes.parameters import system_of
from ranking.players.visibility import Shown, shown

RECORDED, RATED, VOID = STATES = ("recorded", "rated", "void")
OUTCOMES = [Change.WIN, Change.DRAW, Change.LOSS, Change.LEFT]


STANDING_RATING = "The ratings that rank and percentile belong to. A re-rating changes `rating` only."


class MoveSerializer(serializers.Serializer[Any]):
    """A number before and after; null if there was none or the mode doesn't show it."""

    before = serializers.IntegerField(allow_null=True)
    after = serializers.IntegerField(allow_null=True)


class RatingMoveSerializer(serializers.Serializer[Any]):
    """A display rating before and after, as decimal strings; null if the mode doesn't show it.

    Until somebody is placed, only they see it, the key that reported the match, and keys with ratings:hidden.
    """

    before = serializers.CharField(allow_null=True)
    after = serializers.CharField(allow_null=True)


class ChangeSerializer(serializers.Serializer[Any]):
    player = serializers.CharField(help_text="The game's key for the player.")
    outcome = serializers.ChoiceField(OUTCOMES)
    place = serializers.IntegerField(allow_null=True, help_text="Of the player's team, as rated; ties share a place.")
    places = serializers.IntegerField(allow_null=True, help_text="The number of teams.")
    rating = RatingMoveSerializer()
    rank = MoveSerializer()
    percentile = MoveSerializer()
    listed = MoveSerializer(help_text="The number of listed players.")
    standing_rating = RatingMoveSerializer(help_text=STANDING_RATING)


class RecordedSerializer(serializers.Serializer[Any]):
    """A recorded result."""

    id = serializers.CharField()
    number = serializers.IntegerField(
        allow_null=True, help_text="The site's own id of the match; null in a dry run, unless it was recorded before."
    )
    state = serializers.ChoiceField(
        STATES, help_text="What is recorded only will be rated later; what is void counts for nothing."
    )
    late = serializers.BooleanField(help_text="It ended before a match already rated for one of its players.")
    changes = ChangeSerializer(many=True)
    notes = serializers.ListField(
        child=serializers.CharField(),
        help_text="What was read otherwise than it was sent, why a match is void, and what seems mistaken.",
    )
    strangers = serializers.ListField(
        child=serializers.CharField(), help_text="The game's keys of players who weren't in the result's lobby."
    )
    missing = serializers.ListField(
        child=serializers.CharField(), help_text="The game's keys of players of the lobby who aren't in the result."
    )
    alike = serializers.ListField(
        child=serializers.IntegerField(),
        help_text=(
            f"Numbers of other matches of its mode with the same players by team, start and end (without a start: end"
            f" and scores), {MOST} at most. Probably they are this match, sent under another id or by another source."
        ),
    )
    overlaps = serializers.ListField(
        child=serializers.IntegerField(),
        help_text=f"Numbers of other matches in which a player of this one was at the same time, {MOST} at most.",
    )
    until = serializers.DateTimeField(
        required=False, help_text="When the next season begins, with which the match will be rated."
    )
    dry_run = serializers.BooleanField(required=False, help_text="True in a dry run only: nothing was written.")


def recorded_data(
    record: MatchRecord,
    until: dt.datetime | None = None,
    *,
    number: int | None,
    roster: RosterDifference = SAME_ROSTER,
    doubles: Doubles = NONE,
    bots: Collection[str] = (),
    doubts: Collection[str] = (),
) -> dict[str, Any]:
    """RecordedSerializer's data; `until` is left out if it is None.

    `number`: as it is told. `bots`: the players whom the report calls so; `doubts`: what seems mistaken in the report
    (ranking.rules.plausibility).
    """
    match = record.match
    return {
        "id": match.external_id,
        "number": number,
        "state": state_of(match),
        "late": match.late,
        "changes": changes_data(record),
        "notes": [*_notes(record, bots), *doubts],
        "strangers": [player.key for player in roster.strangers],
        "missing": [player.key for player in roster.missing],
        "alike": doubles.alike,
        "overlaps": doubles.overlaps,
        **({} if until is None else {"until": until}),
    }


def _notes(record: MatchRecord, bots: Collection[str]) -> list[str]:
    match = record.match
    notes = [_why_excused(part, match.duration) for part in record.parts if part.excused]
    people = [part.player.key for part in record.parts if part.player.key in bots and not part.player.is_bot]
    notes += [f"{key!r} is known as a person: `bot` is ignored." for key in people]
    return notes if not match.is_void else [*notes, f"The match counts for nothing. {match.void_reason}".rstrip()]


def _why_excused(part: Participation, duration: float | None) -> str:
    if part.seconds is not None and duration is not None and part.seconds >= duration:
        return f"{part.player.key!r} was there until the end: they count as having stayed."
    return f"{part.player.key!r} was free to leave: they count as having stayed to the end."


def changes_data(record: MatchRecord) -> list[dict[str, Any]]:
    """ChangeSerializer's data for each player whose rating the match changed, in the order of teams and slots."""
    visible = shown(record.match.mode)
    parts = {part.player_id: part for part in record.parts}
    decimals = cache(lambda parameters: system_of(parameters).decimals)
    return [
        _change_data(
            parts[change.player_id],
            change,
            decimals(change.parameters),
            replace(visible, rating=False) if change.player_id in record.unseen else visible,
        )
        for change in record.changes
    ]


def state_of(match: Match) -> str:
    """The state of a match that was loaded with ranking.matches.records.with_voids."""
    if match.is_void:
        return VOID
    return RECORDED if match.event_id is None else RATED


def _change_data(part: Participation, change: Change, decimals: int, visible: Shown) -> dict[str, Any]:
    return {
        "player": part.player.key,
        "outcome": change.outcome,
        **place_data(part),
        **moves_data(part, change, decimals, visible),
    }


def place_data(part: Participation | None) -> dict[str, int | None]:
    """The place of a player's team, and of how many; `part` is None if no match made the change."""
    return {"place": None, "places": None} if part is None else {"place": part.place, "places": part.places}


def moves_data(row: Participation | Forfeit | None, change: Change, decimals: int, visible: Shown) -> dict[str, Any]:
    """Rating, rank and percentile before and after. `row` keeps the standings; None if no match or forfeit did it."""
    ratings = [rating_text(hundredths, decimals) for hundredths in (change.display_before, change.display_after)]
    displays = _stored(row, "display")
    then = [None if hundredths is None else rating_text(hundredths, decimals) for hundredths in displays]
    return {
        "rating": _move(*ratings) if visible.rating else _move(None, None),
        "rank": _move(*_stored(row, "rank")) if visible.rank else _move(None, None),
        "percentile": _move(*_stored(row, "percentile")) if visible.percentile else _move(None, None),
        "listed": _move(*_stored(row, "listed")) if visible.rank else _move(None, None),
        "standing_rating": _move(*then) if visible.rating else _move(None, None),
    }


def _stored(row: Participation | Forfeit | None, name: str) -> tuple[Any, Any]:
    """A column of the standings before and after."""
    return getattr(row, f"{name}_before", None), getattr(row, f"{name}_after", None)


def _move(before: Any, after: Any) -> dict[str, Any]:
    return {"before": before, "after": after}


def rating_text(hundredths: int, decimals: int) -> str:
    """A display rating with exactly as many decimals as its system has: 1021.84."""
    return f"{Decimal(hundredths).scaleb(-2):.{decimals}f}"
