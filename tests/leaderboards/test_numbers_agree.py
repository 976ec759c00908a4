"""Every number on every page and in every answer of the API is what the ledger says, whoever looks.

A seed makes a site's whole history; it is in the failing test's name. HISTORIES=n: so many long ones.
"""

import os

import pytest

from tests.support.api_numbers import ApiWalk
from tests.support.page_numbers import PageWalk
from tests.support.random_sites import RandomSite
from tests.support.seen_numbers import Comparison

pytestmark = pytest.mark.django_db

HISTORIES = int(os.environ.get("HISTORIES") or 2)
SHOWN = 60  # faults of one site, of which one cause makes many
SHORT, LONG = 7, 12  # matches of each mode and season


def compare(seed: int, size: int, most: int | None) -> None:
    site = RandomSite(seed, size)
    site.live()
    comparison = Comparison(site, most)
    ApiWalk(comparison).walk()
    PageWalk(comparison).walk()
    assert comparison.seen > 100 * size
    shown = "\n".join(comparison.faults[:SHOWN])
    assert not comparison.faults, f"seed {seed}: {len(comparison.faults)} of {comparison.seen} differ\n{shown}"


def test_numbers_are_those_of_the_ledger() -> None:
    compare(seed=0, size=SHORT, most=4)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 1 + 3 * HISTORIES))
def test_numbers_of_long_histories_are_those_of_the_ledger(seed: int) -> None:
    compare(seed, LONG, most=20)
