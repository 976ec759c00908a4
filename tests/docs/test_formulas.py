"""The pages of docs/formulas: one a system, examples that are true, plots that the systems draw."""

import io
import json
import re

import pytest
from django.core.management import call_command

from bench.plots import SUBJECTS, drawing
from ranking.systems.registry import SYSTEMS, describe_params
from tests.support.paths import ROOT

FORMULAS = ROOT / "docs" / "formulas"


def page(key: str) -> str:
    return (FORMULAS / f"{key}.md").read_text()


def close(value):
    """As the pages print it: floats with four decimals, all else as it is."""
    if isinstance(value, float):
        return pytest.approx(value, abs=5.1e-5)
    if isinstance(value, dict):
        return {name: close(inner) for name, inner in value.items()}
    return [close(inner) for inner in value] if isinstance(value, list) else value


def test_the_worked_examples_are_what_rate_answers(tmp_path):
    examples = {
        key: [json.loads(block) for block in re.findall(r"```json\n(.*?)```", page(key), flags=re.DOTALL)]
        for key in SYSTEMS
    }
    assert {key: asked["system"] for key, (asked, _) in examples.items()} == {key: key for key in SYSTEMS}
    lines, out = tmp_path / "lines.jsonl", io.StringIO()
    lines.write_text("".join(json.dumps(asked) + "\n" for asked, _ in examples.values()))
    call_command("rate", str(lines), stdout=out)
    given = dict(zip(SYSTEMS, map(json.loads, out.getvalue().splitlines()), strict=True))
    assert given == {key: close(answered) for key, (_, answered) in examples.items()}


def test_every_parameter_is_told():
    told = {key: re.findall(r"^\| `(\w+)` \| .* \| (.*) \|$", page(key), flags=re.MULTILINE) for key in SYSTEMS}
    assert told == {key: [(parameter.name, parameter.meaning) for parameter in describe_params(key)] for key in SYSTEMS}


def test_the_plots_are_what_the_systems_draw():
    assert {subject.key: drawing(subject) for subject in SUBJECTS} == {
        key: (FORMULAS / f"{key}.svg").read_text() for key in SYSTEMS
    }


def test_the_overview_names_every_system_and_page():
    overview = (FORMULAS / "README.md").read_text()
    assert re.findall(r"^\| \[([\w-]+)\]\(([\w-]+)\.md\)", overview, flags=re.MULTILINE) == [
        (key, key) for key in SYSTEMS
    ]


def test_the_erratum_is_told():
    assert ("23.10" in page("team-ratio"), "22.9988" in page("team-ratio")) == (True, True)
