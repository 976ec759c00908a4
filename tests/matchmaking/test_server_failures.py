"""Servers whose starts fail rest, come last, and are named."""

import datetime as dt

import pytest

from matchmaking import servers
from matchmaking.models import Server
from matchmaking.operations import invariants
from matchmaking.queues.waits import find_server_problem
from matchmaking.server_failures import end_rest, find_failing, note_failed_start, note_start, rest_after
from tests.support.caches import forget_waits
from tests.support.matchmaking import form, later, make_queue, make_server, queue_up

pytestmark = pytest.mark.django_db


def rests(server):
    """How many starts have failed in a row, and until when it rests, in seconds from the tests' now."""
    server.refresh_from_db()
    until = server.rests_until
    return server.failed_starts, until and (until - later(0)).total_seconds()


def test_a_rest_doubles_up_to_half_an_hour():
    assert [rest_after(failures) / dt.timedelta(minutes=1) for failures in (1, 2, 3, 4, 5, 6, 7, 10_000)] == [
        1, 2, 4, 8, 16, 30, 30, 30
    ]  # fmt: skip


def test_each_failure_in_a_row_rests_longer_and_a_success_ends_it():
    server = make_server(make_queue().mode)
    note_failed_start(server.pk, later(0))
    assert rests(server) == (1, 60)
    note_failed_start(server.pk, later(30))  # of a match that it was given before
    assert rests(server) == (1, 60)
    note_failed_start(server.pk, later(60))
    assert rests(server) == (2, 60 + 120)
    note_start(server.pk)
    assert rests(server) == (0, None)
    note_failed_start(server.pk, later(400))
    assert rests(server) == (1, 460)
    assert end_rest(server)
    assert not end_rest(server)
    assert rests(server) == (0, None)


def test_matches_without_a_server_count_against_none():
    make_server(make_queue().mode)
    note_failed_start(None, later(0))
    note_start(None)
    assert Server.objects.get().failed_starts == 0


@pytest.mark.parametrize(("at", "claimed"), [(59, None), (60, "a")])
def test_a_server_that_rests_gets_no_match_and_the_tick_forms_none(at, claimed):
    queue = make_queue()
    note_failed_start(make_server(queue.mode, name="a", at=50).pk, later(0))
    for _ in range(2):
        queue_up(queue)
    assert servers.count_idle(queue, later(at)) == {"eu": 1 if claimed else 0}
    assert len(form(queue, at=at)) == (1 if claimed else 0)
    server = servers.claim_server(queue, "eu", later(at))
    assert (server and server.name) == claimed


def test_the_order_in_which_servers_are_claimed():
    """Without a recent failure, of the region, the least busy, the one that has been idle for longest."""
    queue = make_queue()
    rows = {
        "failed": {"failed_starts": 1, "rests_until": later(-1)},
        "any": {"region": ""},
        "busier": {"busy": 1, "claimed_at": later(-900)},
        "idle": {"claimed_at": later(-60)},
        "idle for longer": {"claimed_at": later(-90)},
        "never": {},
        "failed long ago": {"failed_starts": 1, "rests_until": later(-1_800), "claimed_at": later(-30)},
        "resting": {"failed_starts": 1, "rests_until": later(1)},
    }
    for name, changed in rows.items():
        make_server(queue.mode, name=name, capacity=2)
        Server.objects.filter(name=name).update(**changed)
    claimed = []
    while server := servers.claim_server(queue, "eu", later(0)):
        Server.objects.filter(pk=server.pk).update(busy=2)
        claimed.append(server.name)
    assert claimed == ["never", "idle for longer", "idle", "failed long ago", "busier", "any", "failed"]
    assert Server.objects.get(name="never").claimed_at == later(0)


def test_one_server_may_be_left_out():
    queue = make_queue()
    server = make_server(queue.mode)
    assert servers.claim_server(queue, "eu", later(0), apart_from=server.pk) is None
    assert servers.claim_server(queue, "eu", later(0), apart_from=server.pk + 1) == server


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ([{"failed_starts": 1, "rests_until": later(60)}] * 2, "The game servers didn’t begin their last matches."),
        ([{"failed_starts": 1, "rests_until": later(60)}, {"busy": 1}], "Every game server has a match"),
        ([{"failed_starts": 1, "rests_until": later(60)}, {}], ""),
        ([{"failed_starts": 1, "rests_until": later(0)}] * 2, ""),
    ],
)
@pytest.mark.parametrize("need", ["auto", "required"])
def test_a_queue_whose_servers_all_rest_says_so_and_waits(need, changed, said):
    queue = make_queue(servers=need)
    for number, row in enumerate(changed):
        server = make_server(queue.mode, name=str(number))
        Server.objects.filter(pk=server.pk).update(**row)
    forget_waits()
    sentence = find_server_problem(queue, later(0))
    assert sentence.startswith(said)
    assert bool(sentence) == bool(said)
    assert servers.needs_server(queue, later(0))


def test_servers_whose_last_five_starts_failed_are_named():
    mode = make_queue().mode
    for name, failures, heard in (("well", 0, 0), ("so so", 4, 0), ("bad", 5, 0), ("worse", 9, 0), ("gone", 9, -3600)):
        server = make_server(mode, name=name, at=heard)
        for failure in range(failures):  # an hour apart, so that each is one of its own
            note_failed_start(server.pk, later(3_600 * (failure - failures)))
    signed_off = make_server(mode, name="signed off")
    Server.objects.filter(pk=signed_off.pk).update(failed_starts=5, rests_until=later(1), signed_off_at=later(0))
    assert [server.name for server in find_failing(later(0))] == ["worse", "bad"]
    [found] = [broken for broken in invariants.violations(later(0)) if broken.code == "server.starts"]
    named = found.sentence.partition(": ")[2].removesuffix(".").split(", ")
    assert named == ["test · worse (9 in a row)", "test · bad (5 in a row)"]
