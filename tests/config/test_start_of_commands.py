"""Commands start without what they don't need: URLs, pages of the admin, the API's schema."""

import os
import subprocess
import sys

from django.core.management import get_commands, load_command_class

from tests.support.paths import ROOT

APPS = ("config", "ranking", "leaderboards", "matchmaking")
# These start the site, or fill it: a fault of the settings stops them.
CHECKED = {"createsuperuser", "demo", "jobs", "migrate", "run", "serve", "web"}
NOT_NEEDED = ("config.urls", "config.admin", "ranking.admin", "rest_framework.views", "drf_spectacular.openapi")


def run(code):
    """The words that a process of its own prints."""
    given = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"}
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=given, text=True, check=True, stdout=subprocess.PIPE
    ).stdout.split()


def test_only_what_starts_the_site_checks_it_first():
    commands = {name: load_command_class(app, name) for name, app in get_commands().items() if app in APPS}
    checked = {name for name, command in commands.items() if tuple(command.requires_system_checks) != ()}
    assert checked == CHECKED


def test_the_start_loads_no_pages():
    code = f"import django, sys; django.setup(); print(*[name for name in {NOT_NEEDED} if name in sys.modules])"
    assert run(code) == []


def test_the_check_looks_at_the_pages_of_the_admin():
    code = (
        "import django, sys; django.setup(); from django.core import checks; checks.run_checks(tags=['admin']);"
        "print('ranking.admin' in sys.modules, 'config.urls' in sys.modules)"
    )
    assert run(code) == ["True", "False"]
