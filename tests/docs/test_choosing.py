"""What docs/choosing.md says of the form's proposals: their names and values, and the figures of its example."""

import json
import re
import shlex
from io import StringIO

import pytest
from django.core.management import call_command

from bench.ladder import ladder
from ranking.systems.registry import SYSTEMS, describe_params
from tests.support.paths import ROOT

TEXT = (ROOT / "docs" / "choosing.md").read_text()
PROPOSING = TEXT[TEXT.index("The form of a new mode proposes") :]


@pytest.mark.django_db
def test_the_example_prints_what_the_page_says(tmp_path, monkeypatch):
    makes, evaluates = re.findall(r"```\n(.*?)\n```", PROPOSING, flags=re.DOTALL)[0].splitlines()
    assert makes == ".venv/bin/python -m bench.ladder --players 200 --games 100 --team-size 1 > ladder.jsonl"
    (tmp_path / "ladder.jsonl").write_text("\n".join(map(json.dumps, ladder(200, 100, 1, 7))))
    monkeypatch.chdir(tmp_path)
    out = StringIO()
    call_command(*shlex.split(evaluates)[2:], stdout=out)
    losses = [row.split()[5] for row in out.getvalue().splitlines()[1:5]]
    assert losses == re.findall(r"0\.\d{4}", PROPOSING[: PROPOSING.index("```")])


def test_the_page_names_the_proposals():
    told = [name for name in re.findall(r"`([\w=.]+)`", PROPOSING[: PROPOSING.index("Clear")]) if name not in SYSTEMS]
    assert told == [
        parameter.name if parameter.proposed is True else f"{parameter.name}={parameter.proposed}"
        for key in ("elo", "battle-points", "two-layer")
        for parameter in describe_params(key)
        if parameter.proposed is not None
    ]
