"""The Python client's own: its thin calls, and a key that is mended while it runs."""

import json
import sys

import pytest
from django.utils import timezone

from matchmaking.lobbies.accepting import make_ready
from matchmaking.models import Lobby, Queue
from matchmaking.queues.queueing import Wish, queue_player
from matchmaking.tick.tick import tick
from ranking.models import Match, Void
from tests.support.api import make_key
from tests.support.factories import make_mode
from tests.support.matchmaking import make_player, make_queue
from tests.support.paths import ROOT
from tests.support.scripted_site import Scripted, ScriptedSite

sys.path.insert(0, str(ROOT / "clients" / "python"))
from rungs import Player, Refused, Rungs, SpoolInUse

HANGS = 600  # seconds; flush returns as soon as there is an end


def test_a_key_that_is_mended_goes_on(tmp_path):
    no = Scripted(401, '{"detail": "No."}', "application/problem+json")
    with ScriptedSite([no, Scripted(201)]) as site, Rungs(site.url, "old", tmp_path) as rungs:
        rungs.send_result({"id": "r1"})
        assert not rungs.flush(HANGS)
        assert (str(rungs.stopped), rungs.stopped.problem) == ("401: No.", {"detail": "No."})
        rungs.resume("new")
        assert rungs.flush(HANGS)
    assert len(site.calls) == 2


def test_a_refused_result_is_told_to_the_program(tmp_path):
    told = []
    problem = '{"status": 403, "code": "other-mode", "detail": "No."}'
    no = Scripted(403, problem, "application/problem+json")
    with (
        ScriptedSite([no, Scripted(201)]) as site,
        Rungs(site.url, "key", tmp_path, on_refused=lambda path, problem: told.append((path, problem))) as rungs,
    ):
        rungs.send_result({"id": "r1"})
        rungs.send_result({"id": "r2"})
        assert rungs.flush(HANGS)
    assert told == [(tmp_path / "refused" / "000000000001.json", json.loads(problem))]


def test_a_result_that_could_not_be_kept_leaves_nothing_behind(tmp_path, monkeypatch):
    def fail(_):
        raise OSError(28, "No space left on device")

    with ScriptedSite([Scripted(201)]) as site, Rungs(site.url, "key", tmp_path) as rungs:
        with monkeypatch.context() as patched:
            patched.setattr("os.fsync", fail)
            with pytest.raises(OSError, match="No space left"):
                rungs.send_result({"id": "r1"})
        assert sorted(path.name for path in tmp_path.iterdir()) == ["lock", "refused"]
        rungs.send_result({"id": "r1"})
        assert rungs.flush(HANGS)
    assert [json.loads(body) for body in site.bodies] == [{"id": "r1"}]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Scripted(200, "<h1>Welcome</h1>", "text/html"), "isn't of Rungs: b'<h1>Welcome</h1>'"),
        (Scripted(200, "[]"), "it has no 'lobby'"),
        (Scripted(204, ""), "it has no 'lobby'"),
    ],
)
def test_an_answer_of_another_site_is_not_an_answer(tmp_path, answer, said):
    with (
        ScriptedSite([answer]) as site,
        Rungs(site.url, "key", tmp_path) as rungs,
        pytest.raises(ConnectionError, match=said),
    ):
        rungs.heartbeat()


def test_a_spool_is_locked_within_one_program_too(tmp_path):
    with Rungs("http://127.0.0.1:9", "key", tmp_path), pytest.raises(SpoolInUse):
        Rungs("http://127.0.0.1:9", "key", tmp_path)


def test_what_json_cannot_say_is_the_callers_fault(tmp_path):
    with Rungs("http://127.0.0.1:9", "key", tmp_path) as rungs, pytest.raises(ValueError, match="not JSON compliant"):
        rungs.send_result({"score": float("nan")})


def test_an_address_without_a_scheme_is_refused_at_once(tmp_path):
    with pytest.raises(ValueError, match="begins with https://"):
        Rungs("rungs.example", "key", tmp_path)


@pytest.mark.django_db(transaction=True)
def test_the_calls_of_a_server_and_of_a_player(live_server, tmp_path):
    make_queue()
    make_player("a/b")
    with Rungs(live_server.url, make_key("servers", "results", "players"), tmp_path) as rungs:
        assert rungs.heartbeat(name="eu 1", region="eu", address="127.0.0.1:7", modes=["duel"], capacity=1) is None
        player = Player(live_server.url, rungs.token("a/b"))
        ticket = player.join_queue("duel", width=100)
        assert (player.ticket(ticket["id"])["state"], rungs.ticket(ticket["id"])["state"]) == ("waiting", "waiting")
        assert [found["id"] for found in (player.live_ticket(), rungs.live_ticket("a/b"))] == [ticket["id"]] * 2
        player.leave_queue(ticket["id"])
        assert (player.live_ticket(), rungs.live_ticket("a/b")) == (None, None)
        assert player.ticket(ticket["id"])["state"] == "cancelled"
        with pytest.raises(Refused, match="404: ") as refused:
            player.lobby("1")
        assert refused.value.problem["status"] == 404
        rungs.sign_off("eu 1")
        with pytest.raises(Refused, match="404: "):
            rungs.start("1", ["a/b"])
        with pytest.raises(Refused, match="404: "):
            rungs.abort("1", "It crashed.")
    for call in (player.seen, player.accept, player.decline, player.leave_lobby):
        with pytest.raises(Refused, match="404: "):
            call("1")


@pytest.mark.django_db(transaction=True)
def test_a_result_is_tried_and_taken_back(live_server, tmp_path):
    make_mode("duel", withdraw_seconds=600)
    teams = [{"score": 3, "players": [{"id": "a"}]}, {"score": 1, "players": [{"id": "b"}]}]
    sent = {"id": "m-1", "mode": "duel", "ended_at": "2026-01-20T18:00:00Z", "teams": teams}
    with Rungs(live_server.url, make_key(), tmp_path) as rungs:
        assert (rungs.try_result(sent)["state"], Match.objects.count()) == ("rated", 0)
        rungs.send_result(sent)
        assert rungs.flush(30)
        rungs.withdraw("m-1", "A test.")
    assert Void.objects.get().reason == "A test."


@pytest.mark.django_db(transaction=True)
def test_two_players_accept_and_the_server_starts_and_calls_it_off(live_server, tmp_path):
    queue = make_queue(servers=Queue.NONE)
    for name in ("a", "b"):
        queue_player(make_player(name), queue, wish=Wish(width=100), now=timezone.now())
    tick(queue, now=timezone.now())
    lobby = Lobby.objects.get()
    with Rungs(live_server.url, make_key("servers", "results", "players"), tmp_path) as rungs:
        for name in ("a", "b"):
            player = Player(live_server.url, rungs.token(name))
            player.seen(lobby.pk)
            player.accept(lobby.pk)
            assert player.lobby(lobby.pk)["you"]["accepted"]
        assert rungs.start(lobby.pk, ["a", "b"])
        assert Lobby.objects.get().state == "live"
        rungs.abort(lobby.pk, "It crashed.")
    assert (Lobby.objects.get().state, Lobby.objects.get().ending_values) == ("aborted", {"reason": "It crashed."})


@pytest.mark.django_db(transaction=True)
def test_a_second_result_of_a_lobby_lies_beside_its_reason(live_server, tmp_path):
    queue, told = make_queue(accept_seconds=0, servers=Queue.NONE), []
    for name in ("a", "b"):
        queue_player(make_player(name), queue, wish=Wish(width=100), now=timezone.now())
    tick(queue, now=timezone.now())
    make_ready(Lobby.objects.get(), timezone.now())
    teams = [{"score": score, "players": [{"id": name}]} for score, name in enumerate("ab")]
    result = {"mode": "duel", "ended_at": timezone.now().isoformat(), "lobby": Lobby.objects.get().pk, "teams": teams}
    with Rungs(live_server.url, make_key(), tmp_path, lambda _, problem: told.append(problem["code"])) as rungs:
        for name in ("m1", "m2"):
            rungs.send_result({**result, "id": name})
        assert rungs.flush(HANGS)
    assert (told, Lobby.objects.get().match.external_id) == (["lobby-has-result"], "m1")
