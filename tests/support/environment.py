"""The site as environment variables configure it: its settings, read anew in this process, and its commands."""

import os
import runpy
import subprocess
import sys
from typing import Any
from unittest.mock import patch

from tests.support.paths import ROOT

SECRET = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
SCALED_SITE = {
    "RUNGS_PROFILE": "scaled",
    "RUNGS_SECRET_KEY": SECRET,
    "RUNGS_DATABASE_URL": "postgres://rungs:secret@db/rungs",
    "RUNGS_REDIS_URL": "redis://redis/0",
    "RUNGS_HOSTS": "ranks.example.org,.example.net",
}


def _environment(variables: dict[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RUNGS_")}
    return {**kept, **variables}


def read_settings(**variables: str) -> dict[str, Any]:
    """The names that config/settings.py defines under these variables and no others of ours."""
    with patch.dict(os.environ, _environment(variables), clear=True):
        return runpy.run_path(str(ROOT / "config" / "settings.py"))


def manage(*command: str, **variables: str) -> tuple[int, str]:
    """The exit code and the output of a command of manage.py, run under these variables and no others of ours."""
    return run(sys.executable, "manage.py", *command, **variables)


def run(*command: str, **variables: str) -> tuple[int, str]:
    """The exit code and the output of any command in the checkout, likewise."""
    done = subprocess.run(command, cwd=ROOT, env=_environment(variables), capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr
