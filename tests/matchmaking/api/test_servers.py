"""`/servers/me/` and the start of a match: register, heartbeat, host, start with those present."""

import pytest

from matchmaking.lobbies.sweep import sweep
from matchmaking.models import Server
from ranking.models import Change, Match
from tests.support.api import call, make_key
from tests.support.factories import NOW, make_mode
from tests.support.matchmaking import accept_all, later, make_lobby, make_queue
from tests.support.matchmaking_calls import as_server, errors, heartbeat

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]


def start(key, players, name=None, **more):
    body = {"players": players} if name is None else {"players": players, "name": name}
    return as_server("POST", f"lobbies/{key}/start/", body, **more)


def ready():
    """A lobby that a registered server is to host."""
    queue = make_queue()
    assert heartbeat().body["lobby"] is None
    lobby, people = make_lobby(queue)
    return accept_all(lobby), [player.key for player in people]


def test_registering_and_going_on(clock):
    make_queue()
    make_mode("other")
    said = {"name": "eu1", "region": "eu", "address": "203.0.113.5:7777", "modes": ["duel"]}
    assert heartbeat().body == {**said, "capacity": 1, "heartbeat_seconds": 10, "lobby": None, "lobbies": []}
    clock(10)
    assert heartbeat(capacity=4, modes=["other", "duel", "other"], state="idle").body["modes"] == ["other", "duel"]
    server = Server.objects.get()
    assert (server.heard_at, server.registered_at, server.capacity, server.state) == (later(10), NOW, 4, "idle")
    heartbeat(name="eu2")
    assert Server.objects.count() == 2


def test_it_learns_what_to_host_begins_it_and_reports():
    lobby, players = ready()
    told = heartbeat().body
    assert (told["lobby"]["id"], told["lobby"]["state"], told["lobby"]["you"]) == (lobby.pk, "ready", None)
    assert [player["id"] for team in told["lobby"]["teams"] for player in team["players"]] == players
    begun = start(lobby.pk, players)
    assert (begun.status, begun.body["state"]) == (200, "live")
    assert start(lobby.pk, players).body["state"] == "live"
    assert heartbeat().body["lobby"]["state"] == "live"
    result = {
        "id": "m1", "mode": "duel", "ended_at": NOW.isoformat(), "lobby": lobby.pk,
        "teams": [{"score": score, "players": [{"id": key}]} for score, key in zip((3, 1), players, strict=True)],
    }  # fmt: skip
    assert as_server("POST", "matches/", result, scopes=("results",)).status == 201
    assert heartbeat().body["lobby"] is None
    lobby.refresh_from_db()
    assert (lobby.state, lobby.match) == ("finished", Match.objects.get())


def test_who_is_not_there_has_dropped_out():
    lobby, players = ready()
    answer = start(lobby.pk, players[:1])
    assert (answer.status, answer.body["state"]) == (200, "forfeited")
    assert Change.objects.get(kind=Change.FORFEIT).player.key == players[1]
    assert start(lobby.pk, players).status == 409


def test_what_is_not_to_be_started():
    lobby, people = make_lobby(make_queue())
    players = [player.key for player in people]
    early = start(lobby.pk, players)
    assert (early.status, early.body["detail"]) == (409, "Not everybody has accepted yet.")
    accept_all(lobby)
    strange = start(lobby.pk, [*players, "nobody"])
    assert errors(strange) == [("players", "'nobody' isn’t in this lobby.")]
    assert start("nothing", players).status == 404
    assert start(lobby.pk, players, modes=[make_mode("other")]).status == 403


def test_another_sources_lobby_is_nothing_to_a_server():
    lobby, players = ready()
    assert start(lobby.pk, players, source="somebody-else").status == 404


def test_a_start_with_nobody_is_cancelled():
    lobby, players = ready()
    answer = start(lobby.pk, [])
    assert (answer.status, answer.body["state"], Change.objects.count()) == (200, "cancelled", 0)
    assert start(lobby.pk, players).status == 409


def test_a_lobby_that_has_moved_is_begun_by_its_new_server_which_says_its_name(clock):
    lobby, players = ready()
    heartbeat(name="eu2")
    lobby.queue.start_seconds = 10
    lobby.queue.save()
    sweep(later(12))
    assert [heartbeat(name=name).body["lobby"] is None for name in ("eu1", "eu2")] == [True, False]
    late, unnamed = start(lobby.pk, players, name="eu1"), start(lobby.pk, players)
    assert (late.status, late.body["type"].rsplit("/", 2)[-2]) == (409, "moved")
    assert (unnamed.status, [field for field, _ in errors(unnamed)]) == (400, ["name"])
    assert start(lobby.pk, players, name="eu2").body["state"] == "live"


WRONG = [
    ({"region": None}, [("region", "This field is required.")]),
    ({"address": None}, [("address", "This field is required.")]),
    ({"address": " "}, [("address", "This can't be empty.")]),
    ({"address": "x" * 201}, [("address", "This has 201 characters; at most 200 fit.")]),
    ({"capacity": 0}, [("capacity", "This must be at least 1.")]),
    ({"capacity": 1e9}, [("capacity", "This must be a whole number.")]),
    ({"modes": []}, [("modes", "Send at least 1; these are 0.")]),
    ({"modes": ["duel", "nope"]}, [("modes[1]", "There is no mode 'nope'. The only mode is duel.")]),
    ({"modes": "duel"}, [("modes", "This must be a list.")]),
    ({"region": 7}, [("region", "This must be a string.")]),
    ({"x": 1},
     [("x", "There is no such field here; known are name, region, address, capacity, modes, state, matches.")]),
]  # fmt: skip


def test_what_is_wrong_is_named():
    make_queue()
    answers = [heartbeat(**said) for said, _ in WRONG]
    assert [(answer.status, errors(answer)) for answer in answers] == [(400, faults) for _, faults in WRONG]
    assert not Server.objects.exists()


def test_nonsense_starts_nothing():
    lobby, _ = ready()
    key, bodies = make_key("servers"), (b"nonsense", b"[]", b'{"players": "all"}', b'{"players": [1]}', b"{}")
    statuses = {body: call("POST", f"lobbies/{lobby.pk}/start/", body, key=key).status for body in bodies}
    assert statuses == dict.fromkeys(bodies, 400)
    lobby.refresh_from_db()
    assert lobby.state == "ready"


def test_a_key_is_for_its_modes():
    make_queue()
    other = make_mode("other")
    body = {"region": "eu", "address": "x", "modes": ["duel"]}
    answer = call("PUT", "servers/me/", body, key=make_key("servers", modes=[other]))
    assert (answer.status, answer.body["detail"]) == (403, "This key isn't for the mode 'duel'.")


def test_query_counts(django_assert_num_queries):
    for modes in (["duel"], ["duel", "two", "three"]):
        for slug in modes:
            if slug not in ("duel",):
                make_mode(slug)
        if modes == ["duel"]:
            make_queue()
        heartbeat(modes=modes)
        key = make_key("servers")
        body = {"name": "eu1", "region": "eu", "address": "203.0.113.5:7777", "modes": modes}
        with django_assert_num_queries(11):
            call("PUT", "servers/me/", body, key=key)
