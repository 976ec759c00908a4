"""POST matches/?dry_run=1, and matches/bulk/: the answer of the real thing, and nothing written."""

import itertools

import pytest
from django.apps import apps
from prometheus_client import REGISTRY

from matchmaking.models import Lobby
from ranking.models import Key, Match, Player
from tests.support.api import call, make_key, result
from tests.support.concurrency import at_once
from tests.support.factories import make_mode, record
from tests.support.matchmaking import accept_all, make_lobby, make_queue, start
from tests.support.savepoints import rolled_back

pytestmark = pytest.mark.django_db
ABSENT = {"players": [{"id": "b", "seconds": 0, "left_early": True}], "score": 0}


def rows():
    """Every row of every table, but for when a key was used."""
    return {
        model._meta.label: sorted(model.objects.values_list(), key=repr)
        for model in apps.get_models()
        if model is not Key and model._meta.managed
    }


def counted():
    return {sample.labels["outcome"]: sample.value for metric in REGISTRY.collect() if metric.name == "rungs_results"
            for sample in metric.samples if sample.name.endswith("_total")}  # fmt: skip


def without_number(body):
    return {name: value for name, value in body.items() if name not in ("number", "dry_run")}


def test_a_dry_run_answers_as_the_real_thing_and_writes_nothing(subtests):
    make_mode()
    make_mode("closed", least_seconds=900)
    record(["a"], ["b"], id="known")
    key = make_key()
    call("POST", "matches/", result(id="before"), key=key)
    for what, sent in [
        ("known players", result()),
        ("newcomers", result(teams=[{"score": 1, "players": [{"id": "x"}]}, {"score": 2, "players": [{"id": "y"}]}])),
        ("a leaver", result(teams=[{"score": 1, "players": [{"id": "x", "seconds": 5, "left_early": True}]},
                                   {"score": 2, "players": [{"id": "y"}]}])),
        ("a walkover", result(teams=[{"score": 1, "players": [{"id": "a"}]}, ABSENT])),
        ("no contest", result(no_contest="Fog.")),
        ("too short", result(mode="closed")),
        ("a new name", result(teams=[{"score": 1, "players": [{"id": "a", "name": "Kestrel"}]},
                                     {"score": 2, "players": [{"id": "b", "device": "d"}]}])),
        ("doubts", result(duration=801_000, teams=[{"score": 1, "players": [{"id": "a"}]},
                                                   {"score": 2, "players": [{"id": "b"}]}])),
        ("an unknown mode", result(mode="nowhere")),
        ("an unknown lobby", result(lobby="nowhere")),
        ("a bad field", result(duration=-1)),
        ("the same id, another result", result(id="before", duration=601)),
    ]:  # fmt: skip
        with subtests.test(what=what), rolled_back():
            before, outcomes = rows(), counted()
            dry = call("POST", "matches/?dry_run=1", sent, key=key)
            assert (rows(), counted()) == (before, outcomes)
            real = call("POST", "matches/", sent, key=key)
            assert dry.status == real.status
            assert without_number(dry.body) == without_number(real.body)
            if real.status < 400:
                assert (dry.body["number"], dry.body["dry_run"], "dry_run" in real.body) == (None, True, False)


def test_what_is_recorded_already_keeps_its_number():
    make_mode()
    key, sent = make_key(), result()
    first = call("POST", "matches/", sent, key=key)
    again = call("POST", "matches/?dry_run=1", sent, key=key)
    assert (again.status, again.body) == (200, {**first.body, "dry_run": True})


def test_a_dry_bulk_rates_one_result_on_top_of_the_other():
    make_mode()
    key = make_key()
    first = result(id="1")
    others = [result(id="2"), first, result(id="3", mode="nowhere"), result(id="5")]
    sent = {"matches": [first, *others]}
    before = rows()
    dry = call("POST", "matches/bulk/?dry_run=1", sent, key=key).body["matches"]
    assert rows() == before
    real = call("POST", "matches/bulk/", sent, key=key).body["matches"]
    assert [answer["status"] for answer in real] == [201, 201, 200, 400, 201]
    lists = {"alike": [], "overlaps": []}  # name numbers, which results of a dry run have none of
    assert [without_number(answer) | lists for answer in dry] == [without_number(answer) | lists for answer in real]
    assert [answer.get("number") for answer in dry] == [None] * 5


def test_a_dry_bulk_is_one_batch():
    make_mode()
    key = make_key()
    walkover = result(id="w", teams=[{"score": 1, "players": [{"id": "a"}]}, ABSENT])
    many = [result(id=str(number)) for number in range(101)]
    for what, matches, status in [
        ("the most", many[1:], 200), ("more", many, 400), ("a walkover", [walkover], 200),
        ("a walkover and another", [walkover, many[0]], 400), ("nothing that can be read", [{}], 200),
    ]:  # fmt: skip
        answer = call("POST", "matches/bulk/?dry_run=1", {"matches": matches}, key=key)
        assert answer.status == status, what
        if status == 400:
            sentence = "matches: A dry run takes up to 100 results, and one with an absent team alone."
            assert answer.body["detail"] == sentence
    assert not Match.objects.exists()


def test_a_dry_run_names_no_match_that_it_didnt_record():
    lobby, (one, other) = make_lobby(make_queue())
    accept_all(lobby)
    start(lobby)
    teams = [{"score": 1, "players": [{"id": one.key}]}, {"score": 0, "players": [{"id": other.key}]}]
    matches = [result(id=key, lobby=lobby.key, teams=teams) for key in ("1", "2")]
    answer = call("POST", "matches/bulk/?dry_run=1", {"matches": matches}, key=make_key())
    assert answer.body["matches"][1]["detail"] == (
        f"Lobby '{lobby.key}' has a result: a match, recorded as '1'. Nothing was changed."
    )


def test_a_dry_run_of_a_lobbys_result_leaves_the_lobby_as_it_is():
    lobby, (one, other) = make_lobby(make_queue())
    accept_all(lobby)
    start(lobby)
    key = make_key()
    teams = [{"score": 1, "players": [{"id": one.key}]}, {"score": 0, "players": [{"id": other.key}]}]
    sent = result(lobby=lobby.key, teams=teams)
    dry = call("POST", "matches/?dry_run=1", sent, key=key)
    assert (dry.status, Lobby.objects.get().state, Match.objects.count()) == (201, "live", 0)
    real = call("POST", "matches/", sent, key=key)
    assert without_number(dry.body) == without_number(real.body)
    assert Lobby.objects.get().state == "finished"


def test_a_dry_run_uses_up_no_idempotency_key():
    make_mode()
    key, sent = make_key(), result()
    statuses = [
        call("POST", f"matches/{query}", sent, key=key, **{"Idempotency-Key": "k"}).status
        for query in ("?dry_run=1", "?dry_run=true", "", "?dry_run=0")
    ]
    assert statuses == [201, 201, 201, 422]  # the last is another request by the same header
    assert Player.objects.count() == 2


def test_who_may_not_send_may_not_rehearse_and_other_values_are_refused():
    mode = make_mode()
    assert call("POST", "matches/?dry_run=1", result(), key=make_key("read")).status == 403
    other = make_key(modes=[make_mode("other")])
    assert call("POST", "matches/?dry_run=1", result(mode=mode.slug), key=other).body["code"] == "other-mode"
    answer = call("POST", "matches/?dry_run=perhaps", result(), key=make_key())
    assert (answer.status, answer.body["detail"]) == (400, "dry_run: Send 1 for a dry run, or leave it out.")


@pytest.mark.django_db(transaction=True)
def test_dry_runs_among_real_results_all_end_and_record_nothing():
    make_mode()
    key = make_key()
    duels = [
        result(id="".join(pair), teams=[{"score": score, "players": [{"id": name}]} for score, name in enumerate(pair)])
        for pair in itertools.combinations("abcdef", 2)
    ]
    dry = [*duels[::-1], *({**duel, "id": f"{duel['id']}-2"} for duel in duels)]
    jobs = [lambda duel=duel: call("POST", "matches/", duel, key=key).status for duel in duels]
    jobs += [lambda: call("POST", "matches/bulk/?dry_run=1", {"matches": dry}, key=key).status] * 4
    assert sorted(at_once(jobs)) == [200] * 4 + [201] * len(duels)
    assert set(Match.objects.values_list("external_id", flat=True)) == {duel["id"] for duel in duels}
