"""The audit log's acts: lists can be filtered by each that the code records."""

import re

from ranking.operations.audit import ACTS
from tests.support.paths import ROOT


def test_every_act_that_is_recorded_can_be_asked_for():
    sources = [
        path.read_text() for app in ("ranking", "leaderboards", "matchmaking") for path in (ROOT / app).rglob("*.py")
    ]
    recorded = {act for source in sources for act in re.findall(r'record_acts?\(\s*"([^"]+)"', source)}
    assert recorded >= {"sort", "close lobby", "end ticket", "remove picture", "warn"}  # the pattern finds them
    assert recorded - set(ACTS) == set()
