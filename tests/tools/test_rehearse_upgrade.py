"""An upgrade and the way back under load: the rehearsal runs whole, and what it counts as a failure is one."""

import os
import subprocess
import sys

import pytest

from tests.support.paths import ROOT
from tests.support.servers import SCALED
from tools.rehearse_upgrade import Phase, check_out, show

WORDS = ["-m", "tools.rehearse_upgrade", "--from", "HEAD", "--clients", "4", "--drain", "3"]


@pytest.mark.long
@pytest.mark.skipif(not SCALED, reason="of the scaled profile")
def test_no_request_fails_on_the_way_there_and_back():
    done = subprocess.run([sys.executable, *WORDS], cwd=ROOT, env=os.environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "\n0 requests failed; " in done.stdout


def test_a_commit_that_is_not_there_is_named(tmp_path):
    with pytest.raises(SystemExit, match="v0\\.0\\.1 can't be checked out: "):
        check_out("v0.0.1", tmp_path / "old")


def test_failures_and_lost_results_are_counted(capsys):
    assert show([Phase("before", taken=3), Phase("after", taken=2, read=9)], recorded=5) == 0
    assert show([Phase("before", taken=3, failures=["GET /: 502"]), Phase("after", taken=2)], recorded=4) == 2
    assert "GET /: 502" in capsys.readouterr().out
