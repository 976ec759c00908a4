"""The example client and the example server: run as the guide says, and through what may go wrong."""

import re
import sys
import time
from collections.abc import Callable

import pytest
from django.utils import timezone

from matchmaking.models import Lobby, Queue, Server, Ticket
from matchmaking.servers import needs_server
from matchmaking.tasks import sweep_lobbies, tick_queues
from ranking.models import Change, Match
from tests.support.api import make_key
from tests.support.matchmaking import make_player, make_queue
from tests.support.paths import ROOT
from tests.support.programs import PATIENCE, Program, example

GUIDE = (ROOT / "docs" / "integrating.md").read_text()

pytestmark = pytest.mark.django_db(transaction=True)


def do_jobs_until(true: Callable[[], bool]) -> None:
    """Do the queues' jobs, as the jobs process does, until something is so."""
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline
        tick_queues()
        sweep_lobbies()
        time.sleep(0.2)


def said_by(*programs: Program) -> list[str]:
    """What they printed, once they have ended."""
    try:
        do_jobs_until(lambda: all(program.process.poll() is not None for program in programs))
    except AssertionError:
        pytest.fail("\n".join(program.said for program in programs))
    return [program.said for program in programs]


@pytest.mark.long
def test_the_guides_commands_work_as_written(live_server, run):
    make_queue()
    for key in ("player-001", "player-002"):
        make_player(key)
    _, _, section = GUIDE.partition("\n## Matchmaking\n")
    [script] = re.findall(r"```sh\n(.*?)```", section, flags=re.DOTALL)
    script = script.replace("http://127.0.0.1:8000", live_server.url)
    script = script.replace(".venv/bin/python", sys.executable).replace("python3 ", f"{sys.executable} ")
    [said] = said_by(run("bash", "-euc", script))
    assert Match.objects.count() == 1, said
    match = Match.objects.get()
    lobby = Lobby.objects.get()
    assert (lobby.state, lobby.match, match.variant) == ("finished", match, lobby.variant)
    assert Ticket.objects.filter(state="done").count() == 2
    for line in (
        f"lobby {lobby.pk} starts with ", f"match {match.pk} is recorded", "you are ranked 1 of 2; beat that",
        f"lobby {lobby.pk} is ready on 127.0.0.1:7777", "a win +0.26, a draw 0.00, a loss -0.26",
    ):  # fmt: skip
        assert line in said
    assert said.count(f"match {match.pk}: ") == 2
    scores = [team["score"] for team in match.teams]
    assert (max(scores), min(scores) < 15, len(lobby.scores)) == (15, True, 2)
    assert Server.objects.get().signed_off_at is not None
    assert not needs_server(lobby.queue, timezone.now())  # so nobody waits for a server that won't come back


def test_a_server_that_is_told_to_end_signs_off(live_server, run):
    make_queue()
    server = run(*example("server", live_server.url, make_key("servers", "results"), "--mode", "duel"))
    do_jobs_until(lambda: Server.objects.exists())
    assert needs_server(Queue.objects.get(), timezone.now())
    server.process.terminate()
    said_by(server)
    assert not needs_server(Queue.objects.get(), timezone.now())


def test_who_never_connects_has_dropped_out_and_the_other_plays_on_against_a_leaver(live_server, run):
    make_queue(rematch_after=0)
    key = make_key("servers", "results", "players")
    for player in ("a", "b", "c"):
        make_player(player)
    about = ("--mode", "duel", "--seconds", "0.2", "--matches", "2", "--absent", "b", "--leaves", "c")
    server = run(*example("server", live_server.url, key, *about))
    first, second = (
        run(*example("client", live_server.url, key, "--width", "100", "--player", player)) for player in "ab"
    )
    do_jobs_until(lambda: Lobby.objects.filter(state="forfeited").exists())
    third = run(*example("client", live_server.url, key, "--width", "100", "--player", "c"))
    said = said_by(server, first, second, third)
    assert Change.objects.get(kind=Change.FORFEIT).player.key == "b"
    assert "back in the queue, in the old place" in said[1]
    changes = Change.objects.filter(match=Match.objects.get())
    assert {change.player.key: change.outcome for change in changes} == {"a": "win", "c": "left"}


def test_a_match_that_its_server_calls_off_counts_for_nothing(live_server, run):
    make_queue()
    key = make_key("servers", "results", "players")
    for player in ("a", "b"):
        make_player(player)
    about = ("--mode", "duel", "--seconds", "0.4", "--matches", "1", "--aborts")
    server = run(*example("server", live_server.url, key, *about))
    clients = [run(*example("client", live_server.url, key, "--width", "100", "--player", name)) for name in "ab"]
    said = said_by(server, *clients)
    assert (Lobby.objects.get().state, Match.objects.count(), Change.objects.count()) == ("aborted", 0, 0)
    assert said[0].endswith("is called off\n")
    why = "The match was called off: The example server calls its matches off.\n"
    assert [words.endswith(why) for words in said[1:]] == [True, True]


def test_a_refusal_is_said_in_its_sentence(live_server, run):
    make_queue(open=False)
    make_player("a")
    key = make_key("servers", "players")
    [said] = said_by(run(*example("client", live_server.url, key, "--player", "a")))
    assert said == "409: The queue for Duel is closed at the moment.\n"
