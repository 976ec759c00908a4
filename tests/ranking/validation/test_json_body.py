"""Request bodies as JSON: names that repeat, and what it costs to find them."""

import json
from typing import Any

import pytest

from ranking.validation import json_body
from ranking.validation.json_body import read_json


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('{"a": 1, "a": 2}', "'a'"),
        ('{"b": 1, "a": 1, "a": 2, "b": 3}', "'a'"),
        ('[{"a": {"c": 1, "c": 1}}]', "'c'"),
        ('{"é": 1, "\\u00e9": 2}', "'\\xe9'"),
        (json.dumps({"x" * 100: 1})[:-1] + f', "{"x" * 100}": 2}}', repr("x" * 64)),
    ],
)
def test_a_name_that_repeats_is_named(text: str, name: str) -> None:
    with pytest.raises(ValueError, match="twice") as refused:
        read_json(text)
    assert str(refused.value) == f"an object names the field {name} twice"


class Counted(str):
    """A name that counts how often it is compared or hashed."""

    __slots__ = ()
    done = 0

    def __eq__(self, other: object) -> bool:
        Counted.done += 1
        return str.__eq__(self, other)

    def __hash__(self) -> int:
        Counted.done += 1
        return str.__hash__(self)


def work(names: int) -> int:
    """Comparisons and hashes of a name until an object of so many names is refused, the last of which repeats."""
    pairs: list[tuple[str, Any]] = [(Counted(number), 0) for number in [*range(names), names - 1]]
    Counted.done = 0
    with pytest.raises(ValueError, match="twice"):
        json_body._no_duplicates(pairs)
    return Counted.done


def test_names_are_compared_a_few_times_each() -> None:
    assert work(2_000) <= 2 * work(1_000) + 10
    assert work(1_000) <= 5 * 1_000
