"""The example of docs/fitting.md prints what the page shows, and the page names all parameters that are fitted."""

import json
import re
import shlex
from io import StringIO

import pytest
from django.core.management import call_command

from bench.ladder import ladder
from ranking.systems.registry import SYSTEMS
from ranking.systems.shared.fit_scales import ShareOfDraws
from tests.support.paths import ROOT

TEXT = (ROOT / "docs" / "fitting.md").read_text()
BLOCKS = re.findall(r"```\n(.*?)\n```", TEXT, flags=re.DOTALL)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("block", "options", "made"),
    [
        (1, "--players 60 --games 60 --team-size 1", (60, 60, 1, 7)),
        (3, "--players 160 --games 80 --team-size 1 --sides 8", (160, 80, 1, 7, False, 8)),
    ],
)
def test_the_examples_print_what_the_page_shows(block, options, made, tmp_path, monkeypatch):
    makes, fits = BLOCKS[block].splitlines()
    assert makes == f".venv/bin/python -m bench.ladder {options} > ladder.jsonl"
    (tmp_path / "ladder.jsonl").write_text("\n".join(map(json.dumps, ladder(*made))))
    monkeypatch.chdir(tmp_path)
    out = StringIO()
    call_command(*shlex.split(fits)[2:], stdout=out)
    assert out.getvalue().split("\n\nThe last third")[0] == BLOCKS[block + 1]


def test_the_page_names_what_is_fitted():
    rows = dict(re.findall(r"^\| `([a-z0-9-]+)` \| (.*?) \|", TEXT, flags=re.MULTILINE))
    assert {key: re.findall(r"`(\w+)`", cell) for key, cell in rows.items()} == {
        key: names for key, names in ((key, fitted_always(system)) for key, system in SYSTEMS.items()) if names
    }


def fitted_always(system):
    """The parameters that a fit tries in any history, and what follows them."""
    return [
        each
        for name, scale in system.fits.items()
        if not isinstance(scale, ShareOfDraws) and not getattr(scale, "needs", "")
        for each in (name, *getattr(scale, "along", ()))
    ]
