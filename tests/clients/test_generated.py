"""A Python client that a public tool generates from the schema of a running site, used as a studio would."""

import importlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from django.utils import timezone

from ranking.models import Match, Mode
from ranking.standings.publishing import publish
from tests.support.api import make_key, result
from tests.support.factories import make_mode
from tests.support.matchmaking import Queue

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def module(live_server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Imports a module of the client that openapi-python-client makes of the live schema."""
    schema = tmp_path / "schema.json"
    with urlopen(f"{live_server.url}/api/schema/?format=json") as answer:
        schema.write_bytes(answer.read())
    tools = Path(sys.executable).parent  # the generator calls ruff, as in an activated environment
    command = [
        str(tools / "openapi-python-client"),
        "generate",
        "--path",
        str(schema),
        "--output-path",
        "generated",
        "--meta",
        "none",
        "--fail-on-warning",
    ]
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(command, cwd=tmp_path, check=True, env={**os.environ, "PATH": path})
    monkeypatch.syspath_prepend(tmp_path)
    yield lambda name: importlib.import_module(f"generated.{name}")
    for name in [name for name in sys.modules if name.partition(".")[0] == "generated"]:
        del sys.modules[name]


def test_it_records_a_match_reads_a_board_and_queues_a_player(module: Any, live_server: Any) -> None:
    make_mode("duel", placement_matches=1)
    Queue.objects.create(mode=Mode.objects.get(), team_size=1, open=True)
    models = module("models")
    with module("client").AuthenticatedClient(
        base_url=live_server.url, token=make_key("results", "players", "servers")
    ) as server:
        sent = models.MatchResult.from_dict(result(id="eu1-1"))
        recorded = module("api.matches.record_match").sync(client=server, body=sent)
        assert (recorded.id, recorded.state) == ("eu1-1", models.MatchState.RATED)
        assert [(change.player, change.outcome) for change in recorded.changes] == [("a", "win"), ("b", "loss")]
        again = module("api.matches.record_match").sync_detailed(client=server, body=sent)
        assert (again.status_code, again.parsed, Match.objects.count()) == (200, recorded, 1)
        other = models.MatchResult.from_dict(result(id="eu1-1", rounds=9))
        problem = module("api.matches.record_match").sync(client=server, body=other)
        assert isinstance(problem, models.Problem)
        assert problem.status == 409
        publish(Mode.objects.get(), now=timezone.now())
        board = module("api.boards.get_board").sync("duel", client=server)
        assert [(row.rank, row.player.id) for row in board.items] == [(1, "a"), (2, "b")]
        token = module("api.players.issue_token").sync("a", client=server).token
    with module("client").AuthenticatedClient(base_url=live_server.url, token=token) as player:
        ticket = module("api.tickets.create_ticket").sync(client=player, body=models.NewTicket(mode="duel", width=20))
        assert (ticket.mode, ticket.state, ticket.width) == ("duel", models.TicketState.WAITING, 20)
        assert module("api.tickets.get_ticket").sync(ticket.id, client=player).state == "waiting"
        assert module("api.tickets.cancel_ticket").sync_detailed(ticket.id, client=player).status_code == 204
