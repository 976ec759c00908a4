"""The figures of docs/evaluation.md are those that its commands print, but for the seconds."""

import re
from io import StringIO

import pytest
from django.core.management import call_command

from tests.support.paths import ROOT

DATA = ROOT.parent / "shared" / "data"
TEXT = (ROOT / "docs" / "evaluation.md").read_text()
DETAILS = re.search(r"\n\n```\n(log-loss after.*?)\n```", TEXT, flags=re.DOTALL)[1]
TABLES = dict(re.findall(r"`manage.py evaluate (\S+\.jsonl) [^`]*`:\n\n```\n(.*?)\n```", TEXT, flags=re.DOTALL))


def figures(table):
    return [line.split()[:-1] for line in table.splitlines()]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long if "head-to-head" in name else ()) for name in TABLES]
)
def test_figures_are_what_the_command_prints(name):
    if not (DATA / name).exists():
        pytest.skip(f"{name} is not part of the product and not beside this checkout")
    told = figures(TABLES[name])
    out = StringIO()
    call_command("evaluate", str(DATA / name), "--system", *[row[0] for row in told[1:]], stdout=out)
    assert figures(out.getvalue()) == told


@pytest.mark.long
def test_details_are_what_the_command_prints():
    file = DATA / "halo2-head-to-head.jsonl"
    if not file.exists():
        pytest.skip(f"{file.name} is not part of the product and not beside this checkout")
    out = StringIO()
    call_command("evaluate", str(file), "--details", stdout=out)
    assert out.getvalue().partition("\n\n")[2].strip() == DETAILS


def test_both_histories_are_shown_with_a_picture():
    assert list(TABLES) == ["halo2-head-to-head.jsonl", "halo2-large-team.jsonl"]
    pictures = re.findall(r"\]\((pictures/\S+)\)", TEXT)
    assert [(ROOT / "docs" / picture).exists() for picture in pictures] == [True] * 3
