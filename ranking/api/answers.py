"""A match's changes as the API answers them, as far as the mode shows them."""

import datetime as dt
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cache
from typing import Any

from rest_framework import serializers

from ranking.api.output import OutputSerializer
from ranking.matches.doubles import MOST, NONE, Doubles
from ranking.matches.lobbies import SAME_ROSTER, RosterDifference
from ranking.matches.records import MatchRecord
from ranking.models import Change, Forfeit, Match, Participation, Player
from ranking.modes.parameters import system_of
from ranking.players.forbidden_names import find_forbidden
from ranking.players.visibility import Shown, shown

RECORDED, RATED, VOID = STATES = ("recorded", "rated", "void")
OUTCOMES = [Change.WIN, Change.DRAW, Change.LOSS, Change.LEFT]


STANDING_RATING = "The ratings that rank and percentile belong to. A re-rating changes `rating` only."


class StateField(serializers.ChoiceField):
    """The state of a match that was loaded with ranking.matches.records.with_voids."""

    def __init__(self, **options: Any) -> None:
        super().__init__(STATES, **options)

    def to_representation(self, value: Match) -> str:  # type: ignore[override]
        return state_of(value)


class KeysField(serializers.ListField):
    """The game's keys of players."""

    child = serializers.CharField()

    def to_representation(self, data: Iterable[Player]) -> list[str]:
        return [player.key for player in data]


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


@dataclass(slots=True)
class Moves:
    """What a change moved, as far as its mode shows it.

    `part`: of the match that made the change, if one did; `standing`: the match's part or the forfeit that keeps rank
    and percentile, if either made it. `change`: None for a void match, which made none. A bulk of results is answered
    with 30,000 moves, so each is written at once as MoveSerializer describes it.
    """

    part: Participation | None
    standing: Participation | Forfeit | None
    change: Change | None
    decimals: int
    visible: Shown

    @property
    def rating(self) -> dict[str, Any]:
        change = self.change if self.visible.rating else None
        return _move(None, None) if change is None else self._texts(change.display_before, change.display_after)

    @property
    def rank(self) -> dict[str, Any]:
        return _move(*self._stored("rank", self.visible.rank))

    @property
    def percentile(self) -> dict[str, Any]:
        return _move(*self._stored("percentile", self.visible.percentile))

    @property
    def listed(self) -> dict[str, Any]:
        return _move(*self._stored("listed", self.visible.rank))

    @property
    def standing_rating(self) -> dict[str, Any]:
        return self._texts(*self._stored("display", self.visible.rating))

    def _stored(self, name: str, is_visible: bool) -> tuple[Any, Any]:
        """A column of the standings before and after."""
        row = self.standing if is_visible else None
        return getattr(row, f"{name}_before", None), getattr(row, f"{name}_after", None)

    def _texts(self, before: int | None, after: int | None) -> dict[str, object]:
        texts = [None if value is None else rating_text(value, self.decimals) for value in (before, after)]
        return _move(*texts)


def _move(before: object, after: object) -> dict[str, object]:
    return {"before": before, "after": after}


class MovesSerializer(OutputSerializer[Moves]):
    place = serializers.IntegerField(
        source="part.place", allow_null=True, help_text="Of the player's team, as rated; ties share a place."
    )
    places = serializers.IntegerField(source="part.places", allow_null=True, help_text="The number of teams.")
    rating = RatingMoveSerializer()
    rank = MoveSerializer()
    percentile = MoveSerializer()
    listed = MoveSerializer(help_text="The number of listed players.")
    standing_rating = RatingMoveSerializer(help_text=STANDING_RATING)


class _PlayerSerializer(OutputSerializer[Moves]):
    player = serializers.CharField(source="part.player.key", help_text="The game's key for the player.")
    outcome = serializers.ChoiceField(OUTCOMES, source="change.outcome")


class ChangeSerializer(_PlayerSerializer, MovesSerializer):
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedResult:
    """A recorded match as its sender is told of it.

    `number`: as it is told. `bots`: the players whom the report calls so; `names`: those that it gives players, by key;
    `doubts`: what seems mistaken in the report (ranking.rules.plausibility).
    """

    record: MatchRecord
    number: int | None
    roster: RosterDifference = SAME_ROSTER
    doubles: Doubles = NONE
    bots: Collection[str] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    doubts: Collection[str] = ()
    until: dt.datetime | None = None
    dry_run: bool | None = None


class RecordedSerializer(OutputSerializer[RecordedResult]):
    """A recorded result."""

    id = serializers.CharField(source="record.match.external_id")
    number = serializers.IntegerField(
        allow_null=True, help_text="The site's own id of the match; null in a dry run, unless it was recorded before."
    )
    state = StateField(
        source="record.match", help_text="What is recorded only will be rated later; what is void counts for nothing."
    )
    late = serializers.BooleanField(
        source="record.match.late", help_text="It ended before a match already rated for one of its players."
    )
    changes = ChangeSerializer(many=True)
    notes = serializers.ListField(
        child=serializers.CharField(),
        help_text="What was read otherwise than it was sent, why a match is void, and what seems mistaken.",
    )
    strangers = KeysField(
        source="roster.strangers", help_text="The game's keys of players who weren't in the result's lobby."
    )
    missing = KeysField(
        source="roster.missing", help_text="The game's keys of players of the lobby who aren't in the result."
    )
    alike = serializers.ListField(
        source="doubles.alike",
        child=serializers.IntegerField(),
        help_text=(
            f"Numbers of other matches of its mode with the same players by team, start and end (without a start: end"
            f" and scores), {MOST} at most. Probably they are this match, sent under another id or by another source."
        ),
    )
    overlaps = serializers.ListField(
        source="doubles.overlaps",
        child=serializers.IntegerField(),
        help_text=f"Numbers of other matches in which a player of this one was at the same time, {MOST} at most.",
    )
    until = serializers.DateTimeField(
        required=False, help_text="When the next season begins, with which the match will be rated."
    )
    dry_run = serializers.BooleanField(required=False, help_text="True in a dry run only: nothing was written.")

    @staticmethod
    def fill_changes(result: RecordedResult) -> list[dict[str, object]]:
        return ChangeSerializer.fill_many(moves_of(result.record))

    @staticmethod
    def fill_notes(result: RecordedResult) -> list[str]:
        return [*_notes(result.record, result.bots, result.names), *result.doubts]


def _notes(record: MatchRecord, bots: Collection[str], names: Mapping[str, str]) -> list[str]:
    match = record.match
    notes = [_why_excused(part, match.duration) for part in record.parts if part.excused]
    people = [part.player.key for part in record.parts if part.player.key in bots and not part.player.is_bot]
    notes += [f"{key!r} is known as a person: `bot` is ignored." for key in people]
    notes += [note for part in record.parts if (note := _why_named(part.player, names.get(part.player.key, "")))]
    return notes if not match.is_void else [*notes, f"The match counts for nothing. {match.void_reason}".rstrip()]


def _why_named(player: Player, sent: str) -> str:
    """Why the player hasn't the name that was sent; "" if a newer match has another one, or if they have it."""
    if sent in ("", player.name):
        return ""
    if player.locked_name:
        return f"Moderators named {player.key!r} {player.name!r}: the name sent isn't taken over."
    if find_forbidden(sent):
        return f"The name sent for {player.key!r} holds a word that this site forbids: they are named {player.name!r}."
    return ""


def _why_excused(part: Participation, duration: float | None) -> str:
    if part.seconds is not None and duration is not None and part.seconds >= duration:
        return f"{part.player.key!r} was there until the end: they count as having stayed."
    return f"{part.player.key!r} was free to leave: they count as having stayed to the end."


def moves_of(record: MatchRecord) -> Iterator[Moves]:
    """Yield the rows of ChangeSerializer: players whose rating the match changed, in the order of teams and slots."""
    visible = shown(record.match.mode)
    unseen = replace(visible, rating=False)
    parts = {part.player_id: part for part in record.parts}
    decimals = cache(lambda parameters: system_of(parameters).decimals)
    for change in record.changes:
        part = parts[change.player_id]
        sees = unseen if change.player_id in record.unseen else visible
        yield Moves(part, part, change, decimals(change.parameters), sees)


def state_of(match: Match) -> str:
    """The state of a match that was loaded with ranking.matches.records.with_voids."""
    if match.is_void:
        return VOID
    return RECORDED if match.event_id is None else RATED


def rating_text(hundredths: int, decimals: int) -> str:
    """A display rating with exactly as many decimals as its system has: 1021.84."""
    return f"{Decimal(hundredths).scaleb(-2):.{decimals}f}"
