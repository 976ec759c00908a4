"""Random calls by different callers about what exists: none fails, and each answer is as the schema says.

RUNGS_SCHEMA_CASES sets how many, `--hypothesis-seed` which: `RUNGS_SCHEMA_CASES=20000 pytest --hypothesis-seed=1 …`.
"""

import math
import os
import random
import zlib
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from ranking.models import Player
from ranking.models.access import SCOPES
from tests.support.api import make_key, make_token
from tests.support.examples import is_long
from tests.support.schema_calls import CHECKS, SCHEMA, Seeded, link_calls, seed_site

CASES = int(os.environ.get("RUNGS_SCHEMA_CASES", "2000" if is_long() else "300"))
OPERATIONS = [result.ok() for result in SCHEMA.get_all_operations()]
STEPS = 6
QUIET = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.filter_too_much]


@pytest.fixture(scope="module")
def _site(module_db) -> Seeded:
    return seed_site()


@pytest.fixture(scope="module")
def callers(_site) -> list[dict[str, str]]:
    """Headers: of a key with every scope, twice as often as of two players, and of nobody."""
    key = make_key(*SCOPES)
    secrets = [key, key, *(make_token(Player.objects.get(key=name)) for name in "ab")]
    return [{"Authorization": f"Bearer {secret}"} for secret in secrets] + [{}]


@pytest.fixture
def seeded(db, _one_connection, _site) -> Seeded:
    return _site


def chance_of(case: Any) -> random.Random:
    """The same choices for the same case, so that Hypothesis can repeat it."""
    parts = (case.path_parameters, case.query, case.body)
    return random.Random(zlib.crc32(repr(parts).encode("utf-8", "backslashreplace")))


@SCHEMA.parametrize()
@settings(max_examples=math.ceil(CASES / len(OPERATIONS)), deadline=None, suppress_health_check=QUIET)
def test_no_call_breaks_the_schema(case, seeded, callers):
    """Three of four parts of a call that may name something name what exists."""
    chance = chance_of(case)
    seeded.name_what_exists(case, chance)
    case.call_and_validate(headers=chance.choice(callers), checks=CHECKS)


@pytest.mark.hypothesis
def test_calls_that_follow_from_each_other_keep_to_the_schema(seeded, callers):
    run_state_machine_as_test(
        link_calls(seeded, callers),
        settings=settings(
            max_examples=math.ceil(CASES / 10 / STEPS), stateful_step_count=STEPS, deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )  # fmt: skip
