"""The README's way to connect a server, run as it stands, in a shell."""

import datetime as dt
import json
import os
import re
import subprocess
import sys

import pytest
from django.core.management import call_command
from django.utils import timezone

from config.management.commands.demo import make_modes
from config.management.demo import DAYS
from ranking.models import Match, Participation
from tests.support.databases import database_url
from tests.support.paths import ROOT

README = (ROOT / "README.md").read_text()


def commands(section: str) -> str:
    """The commands of a section, in order."""
    _, _, text = README.partition(f"\n## {section}\n")
    text, _, _ = text.partition("\n## ")
    return "\n".join(re.findall(r"```sh\n(.*?)```", text, flags=re.DOTALL))


@pytest.mark.django_db(transaction=True)
def test_connecting_a_server_works_as_written(live_server):
    make_modes(timezone.now() - dt.timedelta(days=DAYS))
    script = commands("Connect your first game server").replace("http://127.0.0.1:8000", live_server.url)
    script = script.replace(".venv/bin/python", sys.executable)
    assert script.count("curl") == 1
    shell = ["bash", "-euc", script]
    environment = {**os.environ, "RUNGS_DATABASE_URL": database_url()}
    done = subprocess.run(shell, cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
    answer = json.loads(done.stdout)
    assert (answer["id"], answer["state"]) == ("eu1-48213", "rated")
    (first, second) = answer["changes"]
    assert (first["player"], first["outcome"], first["rating"]) == ("p1", "win", {"before": "1100", "after": "1174"})
    assert '"rating": {"before": "1100", "after": "1174"}' in README
    assert (second["player"], second["outcome"]) == ("p2", "left")
    assert Match.objects.get().source.slug == "my-servers"
    assert Participation.objects.get(player__key="p2").left_early


@pytest.mark.django_db
def test_results_in_a_file_make_their_modes(tmp_path, monkeypatch):
    [command] = re.findall(r"^\.venv/bin/python manage\.py (import_matches .+)$", README, flags=re.MULTILINE)
    [result] = re.findall(r"-d '(\{.*?\})'", README, flags=re.DOTALL)
    (tmp_path / "results.jsonl").write_text(json.dumps(json.loads(result)) + "\n")
    monkeypatch.chdir(tmp_path)
    call_command(*command.split())
    assert (Match.objects.get().external_id, Match.objects.get().mode.slug) == ("eu1-48213", "duel")


def test_every_page_the_readme_names_is_there():
    for path in re.findall(r"\]\(((?:docs/|[A-Z])[^)#]*)\)", README):
        assert (ROOT / path).exists(), path
