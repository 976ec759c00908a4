"""Answers that their serializers fill."""

from types import SimpleNamespace as Row
from typing import Any

from rest_framework import serializers

from ranking.api.output import OutputSerializer


class Shouted(serializers.CharField):
    def to_representation(self, value: str) -> str:
        return value.upper()


class PartSerializer(OutputSerializer[Row]):
    id = serializers.CharField(source="player.key")


class FullSerializer(OutputSerializer[Row]):
    first = ("word",)

    number = serializers.IntegerField(source="pk")
    by = serializers.CharField(source="by.username", allow_null=True)
    word = Shouted(allow_null=True)
    twice = serializers.IntegerField()
    until = serializers.IntegerField(required=False)
    part = PartSerializer(allow_null=True)
    parts = PartSerializer(many=True)
    own = PartSerializer(source="*")

    @staticmethod
    def fill_twice(row: Row) -> int:
        return int(2 * row.pk)


def test_each_way_to_fill_a_field() -> None:
    player, ann = Row(key="p1"), Row(username="ann")
    part = Row(player=player)
    full = Row(pk=1, by=ann, word="no", until=3, part=part, parts=[part, part], player=player)
    one = {"id": "p1"}
    filled = {
        "word": "NO",
        "number": 1,
        "by": "ann",
        "twice": 2,
        "until": 3,
        "part": one,
        "parts": [one, one],
        "own": one,
    }
    bare = Row(pk=2, by=None, word=None, until=None, part=None, parts=[], player=player)
    empty: dict[str, Any] = {"word": None, "number": 2, "by": None, "twice": 4, "part": None, "parts": [], "own": one}
    answers = FullSerializer.fill_many([full, bare])
    assert answers == [filled, empty]
    assert [list(answer) for answer in answers] == [list(filled), list(empty)]
    assert FullSerializer(full).data == filled
