"""docs/operating.md, "Taking data away": its commands are run as they stand."""

import re
import shlex
from io import StringIO

import pytest
from django.core.management import call_command

from ranking.models import Match, Mode, Rating
from ranking.modes.parameters import current_parameters
from tests.support.factories import NOW, make_mode, record
from tests.support.paths import ROOT
from tests.support.replay import alike
from tests.support.reratings import rate_anew

[PAGE] = re.findall(
    r"^## Taking data away\n(.*?)^## ", (ROOT / "docs/operating.md").read_text(), flags=re.DOTALL | re.MULTILINE
)
AWAY, HERE, TRIAL = re.findall(r"```sh\n(.*?)```", PAGE, flags=re.DOTALL)
KINDS = re.findall(r"^\| `export (\w+)`", PAGE, flags=re.MULTILINE)


def run(commands):
    out = StringIO()
    for command in commands.splitlines():
        name, *arguments = shlex.split(command.removeprefix("manage.py "))
        call_command(name, *arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def ratings(slug):
    return {row.player.key: row.state for row in Rating.objects.filter(mode__slug=slug).select_related("player")}


def play():
    """Three matches, the last of which is late."""
    mode = make_mode(team_size_max=1)
    for days, (winner, loser) in ((2, "ab"), (1, "bc"), (3, "ca")):
        record([winner], [loser], ended_at=NOW.replace(day=20 - days))
    return mode


@pytest.mark.django_db(transaction=True)
def test_a_history_goes_to_another_site_and_another_mode(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mode = play()
    lived = ratings("duel")
    run(AWAY)
    rate_anew(mode, chronological=True)
    rated_anew = ratings("duel")
    assert not alike(lived, rated_anew)
    said = run(TRIAL)
    assert "Made the mode trial" in said
    assert "3 rated, 0 known already, 0 in conflict, 0 refused." in said
    assert current_parameters(Mode.objects.get(slug="trial")).system == "trueskill"
    call_command("flush", interactive=False)
    make_mode(team_size_max=1)
    run(HERE)
    assert alike(ratings("duel"), rated_anew)
    assert Match.objects.filter(source__slug="elsewhere").count() == 3


@pytest.mark.django_db
def test_the_table_names_every_kind(tmp_path, monkeypatch):
    play()
    counts = {kind: len(run(f"manage.py export {kind}").splitlines()) for kind in KINDS}
    assert counts == {"results": 3, "players": 3, "conduct": 0, "boards": 1}
