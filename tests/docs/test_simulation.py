"""The figures of docs/simulation.md are those that its commands print; `make test-long` checks the long one's."""

import io
import re
import shlex

import pytest
from django.core.management import call_command

from matchmaking.planning.planner import QueuePlan
from matchmaking.planning.report import drawn
from matchmaking.simulation.reports import BANDS
from matchmaking.simulation.scenarios import Scenario
from matchmaking.simulation.tables import table
from tests.support.evenings import simulate
from tests.support.paths import ROOT

TEXT = (ROOT / "docs" / "simulation.md").read_text()
PLANS = re.findall(r"manage.py plan_queues ([^\n]*)\n```\n\n```\n(.*?)\n```", TEXT, flags=re.DOTALL)
[(OPTIONS, TABLE)] = re.findall(r"manage.py simulate ([^\n]*)\n```\n\n(\|.*?\|)\n\n", TEXT, flags=re.DOTALL)
PICTURE = ROOT / "docs" / "pictures" / "simulation.svg"


def rows_of(markdown):
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in markdown.splitlines()]
    return {row[0]: row[1:] for row in cells}


def printed(command, options):
    out = io.StringIO()
    call_command(command, *shlex.split(options), stdout=out)
    return out.getvalue().strip()


def test_two_plans_are_shown():
    assert len(PLANS) == 2


@pytest.mark.parametrize(("options", "told"), PLANS)
def test_plans_are_what_the_command_prints(options, told):
    assert printed("plan_queues", options) == told


def test_the_plans_picture_is_what_the_command_draws():
    assert (ROOT / "docs" / "pictures" / "plan.svg").read_text() == drawn(QueuePlan(500, 8, 10, buckets=5), 30)


def test_the_table_has_the_rows_of_every_simulation():
    short = rows_of(table([simulate(Scenario(strategy=strategy, online=60, hours=0.5, match_minutes=3.0))
                           for strategy in ("fifo", "skill")]))  # fmt: skip
    told = rows_of(TABLE)
    after = re.compile("rank correlation|wait of (alone|party)")
    assert [name for name in told if not after.match(name)] == [name for name in short if not after.match(name)]
    assert told[""] == short[""] == ["fifo", "skill"]
    assert OPTIONS.startswith("--online 500 --hours 8 --from-hour 4 --strategy fifo skill --plot docs/pictures/")


def test_nobody_of_the_top_waits_ten_minutes_in_the_table():
    low, high = BANDS[-1]
    (waits,) = [cells for name, cells in rows_of(TABLE).items() if f"percentile {low}–{high}" in name]
    assert [int(cell.split(" / ")[2].removesuffix(" s")) < 600 for cell in waits] == [True, True]


def settling():
    """The options, and the cells by system, of each row about how soon ratings know who is good."""
    _, _, section = TEXT.partition("## How soon ratings know who is good")
    [common] = re.findall(r"`(--online [^`]*)`", section)
    [table_text] = re.findall(r"\n\n(\|.*?\|)\n\n", section, flags=re.DOTALL)[:1]
    heading, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table_text.splitlines()]
    for row in rows:
        yield f"{common} {row[1].strip('`')}", dict(zip(heading[2:], row[2:], strict=True))


@pytest.mark.long
@pytest.mark.parametrize(("options", "cells"), list(settling()))
def test_how_soon_ratings_know_who_is_good(options, cells):
    *systems, bound = cells
    rated = [system for system in systems if cells[system]]
    told = rows_of(printed("simulate", f"{options} --system {' '.join(rated)}"))
    assert told["matches until half are within 5 percentiles"] == [cells[system] for system in rated]
    assert set(told["least matches, by information"]) == {cells[bound]}


@pytest.mark.long
def test_the_table_and_the_picture_are_what_the_command_makes(tmp_path):
    made = tmp_path / "simulation.svg"
    assert printed("simulate", OPTIONS.replace("docs/pictures/simulation.svg", str(made))) == TABLE
    assert made.read_text() == PICTURE.read_text()
