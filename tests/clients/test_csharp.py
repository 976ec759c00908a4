"""The C# client's thin calls against a real site: heartbeat, queue, token, lobby, start and sign-off."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from matchmaking.models import Lobby, Queue, Server, Ticket
from matchmaking.queues.queueing import Wish, queue_player
from matchmaking.tick.tick import tick
from tests.support.api import make_key
from tests.support.game_servers import compile_csharp
from tests.support.matchmaking import make_player, make_queue
from tests.support.scripted_site import Scripted, ScriptedSite

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return compile_csharp("Calling.cs", tmp_path_factory.mktemp("calling"))


def run(program: list[str], *given: str) -> list[str]:
    done = subprocess.run([*program, *given], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_the_calls_of_a_server_and_of_a_player(live_server: Any, tmp_path: Path, program: list[str]) -> None:
    make_queue()
    make_player("a/b")
    key = make_key("servers", "results", "players")
    said = run(program, live_server.url, key, str(tmp_path), "a/b")
    assert said == [
        "lobby null", "ticket waiting waiting", "found", "ticket cancelled", *["refused 404"] * 8, "tried rated",
        "signed off",
    ]  # fmt: skip
    assert Ticket.objects.get().state == "cancelled"
    server = Server.objects.get()
    assert (server.name, server.address, server.signed_off_at is None) == ("eu 1", "127.0.0.1:7", False)


def test_a_page_of_another_site_is_not_an_answer(tmp_path: Path, program: list[str]) -> None:
    with ScriptedSite([Scripted(200, "<h1>Welcome</h1>", "text/html")]) as site:
        assert run(program, site.url, "key", str(tmp_path)) == ["The answer isn't of Rungs: <h1>Welcome</h1>"]


def test_a_part_of_an_answer_is_not_an_answer(tmp_path: Path, program: list[str]) -> None:
    for status in (200, 400):
        with ScriptedSite([Scripted(status, '{"lobby":', missing=99)]) as site:
            assert run(program, site.url, "key", str(tmp_path)) == ["The answer was cut off."]


def test_two_players_accept_and_the_server_starts_and_calls_it_off(
    live_server: Any, tmp_path: Path, program: list[str]
) -> None:
    make_queue(servers=Queue.NONE)
    key, now = make_key("servers", "results", "players"), timezone.now()
    for name in ("a", "b"):
        queue_player(make_player(name), Queue.objects.get(), wish=Wish(width=100), now=now)
    tick(Queue.objects.get(), now=now)
    lobby = Lobby.objects.get()
    assert run(program, live_server.url, key, str(tmp_path), "a", lobby.pk, "b") == ["state live", "state aborted"]
    assert (Lobby.objects.get().state, Ticket.objects.filter(state="done").count()) == ("aborted", 2)
    assert Lobby.objects.get().ending_values == {"reason": 'The "map" crashed.'}
