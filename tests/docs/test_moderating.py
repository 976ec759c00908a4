"""The moderator's guide says what the program does: prices, bounds, roles, and each act."""

import importlib
import re

from django.conf import settings

from config.storage.upgrades import FIRST
from ranking.admin.base.acts import chosen_rows
from ranking.admin.conduct.appeals import AppealAdmin
from ranking.admin.conduct.ban_proposals import BanProposalAdmin
from ranking.admin.conduct.leavers import LeaverAdmin
from ranking.admin.conduct.sanctions import BanAdmin, IncidentAdmin
from ranking.admin.matches.matches import MatchAdmin
from ranking.models import Mode
from ranking.moderation import voids
from ranking.moderation.appeals import APPEALABLE
from ranking.rules.conduct import DEFAULTS
from tests.support.paths import ROOT

GUIDE = (ROOT / "docs" / "moderating.md").read_text()
ROLES = importlib.import_module(f"ranking.migrations.{FIRST['ranking']}").ROLES
UNITS = {"minutes": 1, "hours": 60}


def test_prices_are_the_defaults():
    steps = re.findall(r"^\| ([\d.]+) \| (\d+) (minutes|hours) \|$", GUIDE, re.MULTILINE)
    assert tuple((float(bound), int(length) * UNITS[unit]) for bound, length, unit in steps) == DEFAULTS.lockouts
    decay = re.search(r"gets (\d+) points .*\n?.*shrink by (\d+) % a\s+day", GUIDE)
    assert decay is not None
    assert (float(decay[1]), float(decay[2])) == (DEFAULTS.points, DEFAULTS.decay_percent)
    grace = re.search(r"away for up to (\d+) seconds", GUIDE)
    assert grace is not None
    assert int(grace[1]) == Mode._meta.get_field("reconnect_grace").default


def test_bounds():
    assert f"up to {chosen_rows.MOST_PREVIEWED:,} at once" in GUIDE
    assert f"up to {voids.MOST:,} at once" in GUIDE
    assert f"up to {APPEALABLE.days} days after the lockout began" in GUIDE


def test_roles_are_those_of_the_migrations():
    assert re.findall(r"^\| `([\w ]+)` \|", GUIDE, re.MULTILINE) == list(settings.ROLES)
    assert {*ROLES, *importlib.import_module("ranking.migrations.0037_junior_moderators").ROLES} == set(settings.ROLES)


def test_every_act_is_told():
    admins = (LeaverAdmin, MatchAdmin, IncidentAdmin, BanAdmin, BanProposalAdmin, AppealAdmin)
    acts = {act.name for admin in admins for act in admin.actions}
    assert len(acts) > 10
    assert [name for name in sorted(acts) if not re.search(rf"\b{name}\b", GUIDE, re.IGNORECASE)] == []
