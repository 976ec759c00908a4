"""docs/odd-games.md: each example's mode is made, its results are tried and sent, and become what the page says."""

import json
import re

import pytest
from django.utils import timezone

from ranking.models import Match
from ranking.modes.parameters import create_mode
from tests.support.api import call, make_key
from tests.support.paths import ROOT
from tests.support.savepoints import rolled_back

PAGE = (ROOT / "docs" / "odd-games.md").read_text()
GAMES = dict(re.findall(r"^### (.+?)\n(.*?)(?=^### |\Z)", PAGE, flags=re.DOTALL | re.MULTILINE))

pytestmark = pytest.mark.django_db


def outcomes(answer):
    """What the page says of an answer: of each player's outcome and place, or of a match that counts for nothing."""
    if answer["state"] == "void":
        return {name: answer[name] for name in ("state", "notes")}
    return {one["player"]: f"{one['outcome']}, {one['place']} of {one['places']}" for one in answer["changes"]}


def test_each_example_is_taken_and_becomes_what_the_page_says(subtests):
    for game, section in GAMES.items():
        with subtests.test(game=game), rolled_back():
            mode, *blocks = (json.loads(block) for block in re.findall(r"```json\n(.*?)```", section, flags=re.DOTALL))
            create_mode(slug="game", name="Game", now=timezone.now(), **mode)
            key = make_key()
            for sent, expected in zip(blocks[::2], blocks[1::2], strict=True):
                reports = sent if isinstance(sent, list) else [sent]
                for report in reports:
                    rehearsed, answer = (
                        call("POST", f"matches/{query}", report, key=key) for query in ("?dry_run=1", "")
                    )
                    assert (answer.status, rehearsed.status) == (201, 201)
                    assert outcomes(answer.body) == outcomes(rehearsed.body)
                    assert answer.body["notes"] == expected.get("notes", [])
                assert outcomes(answer.body) == expected
            assert Match.objects.filter(late=True).count() == 0


def test_there_are_ten_at_least():
    assert len(GAMES) >= 10
