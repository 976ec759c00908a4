"""What reading a report costs: counted calls of functions, for faults of any number."""

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from django.test import RequestFactory
from rest_framework.exceptions import ValidationError

from ranking.validation.match_report import read_report
from ranking.validation.objects import BoundedListField
from ranking.validation.problems import field_errors, validation_problem

REQUEST = RequestFactory().post("/api/v1/matches/")


def refuse(report: Any) -> None:
    """Read a report as a view does, up to the answer that refuses it."""
    try:
        read_report(report)
    except ValidationError as error:
        validation_problem(error, REQUEST)


def calls(work: Callable[[], object]) -> int:
    """Return how many functions, Python's or C's, are called."""
    counted = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal counted
        counted += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return counted


def team(**player: Any) -> dict[str, Any]:
    return {"id": "1", "mode": "duel", "teams": [{"players": [{"id": "a", **player}]}]}


SHAPES: dict[str, Callable[[int], Any]] = {
    "unknown fields": lambda n: {str(number): 0 for number in range(n)},
    "unknown fields of a player": lambda n: team(**{str(number): 0 for number in range(n)}),
    "players": lambda n: {"id": "1", "mode": "duel", "teams": [{"players": [{}] * n}]},
    "teams": lambda n: {"id": "1", "mode": "duel", "teams": [{}] * n},
    "absences": lambda n: team(absences=[[]] * n),
    "numbers of an absence": lambda n: team(absences=[[0] * n]),
    "stats": lambda n: team(stats={str(number): "" for number in range(n)}),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_refusal_costs_hardly_more_for_more_faults(shape: str) -> None:
    refuse(SHAPES[shape](300))  # whatever is made once
    few, many = (calls(lambda n=n: refuse(SHAPES[shape](n))) for n in (1_000, 2_000))
    assert many <= (2.1 if shape == "teams" else 1.1) * few  # teams are counted, to count their players


def test_the_first_fifty_unknown_fields_are_named() -> None:
    with pytest.raises(ValidationError) as refused:
        read_report({f"{number:04}": 0 for number in range(2_000)})
    names = [fault["field"] for fault in field_errors(refused.value.detail)]
    assert [name for name in names if name.isdigit()] == [f"{number:04}" for number in range(50)]


def test_a_list_is_refused_by_its_length() -> None:
    field = BoundedListField(max_length=2)
    with suppress(ValidationError):
        field.run_validation([1, 2])
    with pytest.raises(ValidationError) as refused:
        field.run_validation([1, 2, 3])
    assert refused.value.detail == ["At most 2 fit; these are 3."]
