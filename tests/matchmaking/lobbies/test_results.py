"""Results that name a lobby: a lobby is one match, and whatever comes beside it is refused, or void, or told."""

import json
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.urls import reverse

from matchmaking import lifecycle
from matchmaking.lobbies import playing
from matchmaking.lobbies.aborting import abort_lobby
from matchmaking.models import Lobby, Server, Ticket
from matchmaking.queues.queueing import find_ticket
from ranking.matches.recording import LOBBY_HAS_RESULT, Recorded, record_results
from ranking.models import Change, Forfeit, Incident, Match, Player, Rating, Rerating, Void
from ranking.moderation.corrections import correct_match
from ranking.moderation.merges import merge_players
from ranking.moderation.voids import restore, void
from ranking.rerating.reratings import request_rerating, rerate
from ranking.rules.report import PlayerReport
from tests.support.api import Answer, call, counts, make_key
from tests.support.factories import make_mode, make_report, make_source, record
from tests.support.matchmaking import (  # fmt: skip
    accept_all,
    endings,
    later,
    make_lobby,
    make_player,
    make_queue,
    make_server,
    start,
    states,
    sweep,
)
from tests.support.savepoints import rolled_back

ADVICE = "Leave it out if the match comes from no lobby of this site."
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]


def abort(lobby: Lobby) -> None:
    abort_lobby(lobby.pk, source=lobby.server.source, reason="It crashed.", now=later(5))


# How a lobby comes to a state, from one that has begun, or that is only ready.
ENDS = {
    lifecycle.LOST: (True, lambda lobby, _: sweep(later(700))),
    lifecycle.CANCELLED: (False, lambda lobby, _: sweep(later(700))),
    lifecycle.FORFEITED: (False, lambda lobby, people: playing.leave_lobby(lobby.pk, people[0], now=later(4))),
    lifecycle.ABORTED: (True, lambda lobby, _: abort(lobby)),
}


def ready(*, size: int = 1, begun: bool = True, **settings) -> tuple[Lobby, list[Player]]:
    """A lobby that is live, or ready only, and its players by team. It has a server."""
    queue = make_queue(size=size, longest_match=600, **settings)
    make_server(queue.mode)
    lobby, people = make_lobby(queue)
    accept_all(lobby)
    return (start(lobby) if begun else lobby), people


def closed(state: str) -> tuple[Lobby, list[Player]]:
    begun, end = ENDS[state]
    lobby, people = ready(begun=begun)
    end(lobby, people)
    assert states(lobby) == [state]
    return lobby, people


def send(*teams, source: str = "test", at: float = 800, **more) -> Recorded:
    """A result of these players, or parts of players."""
    rosters = [[part.key if isinstance(part, Player) else part for part in team] for team in teams]
    report = make_report(*rosters, ended_at=later(at - 1), **more)
    return record_results([report], source=make_source(source), now=later(at))[0]


# --- a lobby has one result ---------------------------------------------------------------------------


def test_a_second_result_is_refused_and_named(subtests):
    """Reports of FAF, teiserver and FIRST: a restarted server, two captains, a replayed match under another id."""
    lobby, [one, other] = ready()
    first = send([one], [other], id="lob-1", lobby=lobby.pk).record.match
    stranger = make_player()
    rows = {
        "the opposite": {"teams": ([one], [other]), "places": (2, 1), "id": "lob-2"},
        "the same again": {"teams": ([one], [other]), "id": "lob-3"},
        "another source": {"teams": ([one], [other]), "id": "lob-2", "source": "captain"},
        "another source, the same id": {"teams": ([one], [other]), "id": "lob-1", "source": "captain"},
        "another player": {"teams": ([one], [stranger]), "id": "lob-2"},
    }
    before = counts(), list(Rating.objects.order_by("pk").values())
    for name, row in rows.items():
        with subtests.test(name):
            answer = send(*row.pop("teams"), lobby=lobby.pk, **row)
            assert (answer.state, answer.record.match.pk) == (LOBBY_HAS_RESULT, first.pk)
            assert (counts(), list(Rating.objects.order_by("pk").values())) == before
    assert send([one], [other], id="lob-1", lobby=lobby.pk).state == "known"


@pytest.mark.parametrize("state", ENDS)
def test_a_void_result_is_its_lobbys_result(state):
    lobby, [one, other] = closed(state)
    assert send([one], [other], id="first", lobby=lobby.pk).state == "void"
    assert send([one], [other], id="second", lobby=lobby.pk).state == LOBBY_HAS_RESULT
    assert send([one], [other], id="first", lobby=lobby.pk).state == "known"


def test_a_result_that_a_moderator_voided_is_its_lobbys_result():
    lobby, [one, other] = ready()
    match = send([one], [other], lobby=lobby.pk).record.match
    void([match], by=None, reason="Wrong.", now=later(900))
    assert send([one], [other], lobby=lobby.pk).state == LOBBY_HAS_RESULT


def test_of_a_corrected_result_the_correction_is_named():
    lobby, [one, other] = ready()
    first = send([one], [other], lobby=lobby.pk).record.match
    second = Match.objects.get(pk=first.pk)
    second.pk, second.external_id, second.event, second.season, second.replaces = None, "new", None, None, first
    second.save()
    assert send([one], [other], lobby=lobby.pk).record.match == second


def test_results_that_older_versions_took_for_another_modes_lobby_do_not_count():
    make_mode("other")
    lobby, [one, other] = ready()
    match = send([one], [other], mode="other").record.match
    Match.objects.filter(pk=match.pk).update(lobby=lobby.pk)
    assert send([one], [other], lobby=lobby.pk).state == "rated"


def test_a_lobby_that_was_deleted_keeps_its_result():
    lobby, [one, other] = closed(lifecycle.CANCELLED)
    key = lobby.pk
    first = send([one], [other], lobby=key).record.match
    lobby.delete()
    answer = send([one], [other], lobby=key)
    assert (answer.state, answer.record.match.pk) == (LOBBY_HAS_RESULT, first.pk)


# --- which lobby it is --------------------------------------------------------------------------------


def test_a_lobby_that_can_have_no_such_result(subtests):
    make_mode("other")
    accepting, [one, other] = make_lobby(make_queue())
    key = accepting.pk
    rows = {
        "unknown": ("duel", "nothing", f"lobby: There is no lobby 'nothing'. {ADVICE}"),
        "of another mode": ("other", key, f"lobby: Lobby {key!r} is of duel; this result is of other."),
        "not accepted yet": (
            "duel", key,
            f"lobby: Lobby {key!r} can't have a result yet. Not everybody has accepted, or no server is free.",
        ),
    }  # fmt: skip
    for name, (mode, lobby, sentence) in rows.items():
        with subtests.test(name):
            answer = send([one], [other], mode=mode, lobby=lobby)
            assert (answer.state, str(answer.error)) == ("refused", sentence)
    assert (Match.objects.count(), states(accepting)) == (0, [lifecycle.ACCEPTING])


# --- lobbies that were closed before ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "reason", "incidents"),
    [
        (lifecycle.LOST, "It came after the match was closed as lost.", []),
        (lifecycle.CANCELLED, "It came after the lobby fell through.", []),
        (lifecycle.FORFEITED, "It came after the lobby was forfeited.", ["dropout"]),
        (lifecycle.ABORTED, "It came after the match was called off.", []),
    ],
)
def test_a_result_of_a_closed_lobby_is_void_and_punishes_nobody_again(state, reason, incidents):
    lobby, [one, other] = closed(state)
    before = Change.objects.count(), Forfeit.objects.count()
    for seconds in (0, 5):  # who never came, and who left
        with rolled_back():
            left = [PlayerReport(id=one.key, seconds=seconds, left_early=True)]
            match = send([other], left, lobby=lobby.pk, duration=9.0).record.match
            told = reason if seconds else "A walkover: only one side ever played."
            assert (match.is_void, match.event_id, Void.objects.get().reason) == (True, None, told)
            assert [incident.kind for incident in Incident.objects.all()] == incidents
            assert (Change.objects.count(), Forfeit.objects.count()) == before
            assert (states(lobby), lobby.match) == ([state], None)


def test_a_leaver_of_a_lobby_that_goes_on_has_an_incident():
    lobby, [one, other] = ready()
    send([one], [PlayerReport(id=other.key, seconds=1, left_early=True)], lobby=lobby.pk, duration=9.0)
    assert Incident.objects.values_list("player", "kind").get() == (other.pk, "leave")


# --- what a result does to its lobby ------------------------------------------------------------------


@pytest.mark.parametrize("begun", [True, False])
def test_a_result_finishes_its_lobby_in_its_own_transaction(begun):
    lobby, [one, other] = ready(begun=begun)
    record([one.key], [other.key], lobby=lobby.pk, now=later(60))
    assert (states(lobby), lobby.closed_at, lobby.match) == ([lifecycle.FINISHED], later(60), Match.objects.get())
    assert (set(states(*Ticket.objects.all())), Server.objects.get().busy) == ({lifecycle.DONE}, 0)


@pytest.mark.parametrize("begun", [True, False])
def test_a_result_without_contest_calls_its_lobby_off(begun):
    """Its players are free, also if nobody said that the match had begun: they may play it again at once."""
    lobby, [one, other] = ready(begun=begun)
    sent = send([one], [other], lobby=lobby.pk, no_contest="It crashed.", places=[None, None])
    assert sent.state == "void"
    lobby.refresh_from_db()
    assert (states(lobby), lobby.match_id) == ([lifecycle.ABORTED], sent.record.match.pk)
    mine = Ticket.objects.get(members__player=one)
    assert (mine.state, Server.objects.get().busy) == (lifecycle.DONE, 0)
    assert endings(lobby, mine) == [("called-off", {"reason": "It crashed."})] * 2


def test_a_result_that_waits_to_be_rated_ends_the_lock_in_too():
    lobby, [one, other] = ready()
    mode = lobby.queue.mode
    request_rerating(mode, since=None, reason="x", by=None, now=later(5))
    held = Rerating.objects.get()
    type(mode).objects.update(lease=held)
    assert record([one.key], [other.key], lobby=lobby.pk).state == "recorded"
    assert states(lobby) == [lifecycle.FINISHED]
    type(mode).objects.update(lease=None)
    rerate(mode)


def test_results_without_a_lobby_cost_no_query_more(django_assert_num_queries, settings):
    make_queue()
    record(["a"], ["b"])
    wanted = 14 + (connection.vendor == "postgresql")  # its lock
    with django_assert_num_queries(wanted) as without:
        record(["a"], ["b"])
    settings.RESULT_FOLLOWERS = settings.LOBBIES = []
    with django_assert_num_queries(wanted):
        record(["a"], ["b"])
    assert not any("matchmaking" in query["sql"] for query in without.captured_queries)


# --- who played ---------------------------------------------------------------------------------------


def body_of(*teams: list[str], **more) -> dict:
    rosters = [
        {"score": 9 - place, "players": [{"id": key} for key in team]} for place, team in enumerate(teams)
    ]  # fmt: skip
    return {"id": "m", "mode": "duel", "ended_at": later(60).isoformat(), "teams": rosters, **more}


def post(*results: dict, key: str = "") -> list[tuple[int, dict]]:
    answer = call("POST", "matches/bulk/", {"matches": list(results)}, key=key or make_key())
    return [(item.pop("status"), item) for item in answer.body["matches"]]


def roster_of(body: dict) -> tuple[list[str], list[str]]:
    return body["strangers"], body["missing"]


def test_strangers_and_missing_players_are_told_and_the_missing_are_free(clock, subtests):
    lobby, [a, b, c, d] = ready(size=2)
    clock(90)
    stranger, key = make_player("stranger"), make_key()
    rows = {
        "all": ([a.key, b.key], [c.key, d.key], [], []),
        "sides exchanged": ([d.key, b.key], [c.key, a.key], [], []),
        "one exchanged": ([a.key, "stranger"], [c.key, d.key], ["stranger"], [b.key]),
        "one missing": ([a.key, b.key], [d.key], [], [c.key]),
        "a newcomer": ([a.key, b.key], ["new", d.key], ["new"], [c.key]),
        "nobody of it": (["x", "y"], ["stranger", "z"], ["x", "y", "stranger", "z"], [a.key, b.key, c.key, d.key]),
    }
    for name, (first, second, strangers, missing) in rows.items():
        with subtests.test(name), rolled_back():
            sent = body_of(first, second, lobby=lobby.pk)
            answer = call("POST", "matches/", sent, key=key)
            assert (answer.status, roster_of(answer.body)) == (201, (strangers, missing))
            assert post(sent, key=key) == [(200, answer.body)]
            assert [find_ticket(player) for player in (a, b, c, d, stranger)] == [None] * 5
            assert (Incident.objects.count(), Forfeit.objects.count()) == (0, 0)


def test_a_merged_player_counts_as_who_was_kept(clock):
    lobby, [a, b] = ready()
    clock(90)
    alt = make_player("alt")
    merge_players(a, alt, by=None, reason="One person.", now=later(10))
    answer = call("POST", "matches/", body_of(["alt"], [b.key], lobby=lobby.pk), key=make_key())
    assert (answer.status, roster_of(answer.body)) == (201, ([], []))
    lobby.refresh_from_db()
    lobby.teams = [[alt.pk], [b.pk]]  # as in lobbies whose tickets were deleted before the merge
    lobby.save()
    again = call("POST", "matches/", body_of(["alt"], [b.key], lobby=lobby.pk), key=make_key())
    assert (again.status, roster_of(again.body)) == (200, ([], []))


def test_the_admins_page_tells_them(client):
    lobby, [a, b] = ready()
    match = send([a], ["stranger"], lobby=lobby.pk).record.match
    same = send([a], [b]).record.match
    client.force_login(User.objects.create_superuser("boss"))
    pages = [client.get(reverse("admin:ranking_match_change", args=[each.pk])).text for each in (match, same)]
    assert ["Not as in its lobby" in page for page in pages] == [True, False]
    ways = [f'href="/admin/ranking/player/{player.pk}/change/"' for player in (Player.objects.get(key="stranger"), b)]
    section = pages[0].split("Not as in its lobby")[1].split("</section>")[0]
    assert [way in section for way in ways] == [True, True]


@pytest.mark.parametrize("number", [1, 3])
def test_as_many_queries_for_any_number_of_results(django_assert_num_queries, clock, number):
    """Beside the update of each lobby."""
    queue = make_queue()
    made = [make_lobby(queue) for _ in range(4)]
    for lobby, _ in made:
        start(accept_all(lobby))
    clock(90)
    key = make_key()
    sent = [
        body_of([one.key], [other.key], lobby=lobby.pk, id=f"m{index}")
        for index, (lobby, [one, other]) in enumerate(made)
    ]
    post(sent[3], key=key)
    with django_assert_num_queries(39 + number + 2 * (connection.vendor == "postgresql")):  # its locks
        post(*sent[:number], key=key)


# --- ways in ------------------------------------------------------------------------------------------


def conflict_of(answer: Answer | dict) -> tuple[str, str]:
    body = answer if isinstance(answer, dict) else answer.body
    return body["code"], body["detail"]


def test_the_api_names_the_recorded_match(clock):
    lobby, [one, other] = ready()
    clock(90)
    first = body_of([one.key], [other.key], id="lob-1", lobby=lobby.pk)
    assert call("POST", "matches/", first, key=make_key()).status == 201
    second = call("POST", "matches/", {**first, "id": "lob-2"}, key=make_key(source="captain"))
    sentence = f"Lobby '{lobby.pk}' has a result: match {Match.objects.get().pk}, recorded as 'lob-1'."
    assert (second.status, *conflict_of(second)) == (409, "lobby-has-result", f"{sentence} Nothing was changed.")
    unknown = call("POST", "matches/", {**first, "id": "lob-2", "lobby": "nonexistent123"}, key=make_key())
    assert (unknown.status, unknown.fields) == (400, ["lobby"])


def test_within_one_request_the_first_sound_one_is_the_result(clock, subtests):
    lobby, [one, other] = ready()
    clock(90)
    first = body_of([one.key], [other.key], id="lob-1", lobby=lobby.pk)
    second, bad = {**first, "id": "lob-2"}, {**first, "id": "bad", "teams": first["teams"][:1]}
    rows = {
        "two": ([first, second], [201, 409]),
        "the first is bad": ([bad, second, first], [400, 201, 409]),
        "again": ([first, second, first, second], [201, 409, 200, 409]),
    }
    for name, (sent, statuses) in rows.items():
        with subtests.test(name), rolled_back():
            answers = post(*sent)
            assert [status for status, _ in answers] == statuses
            match = Match.objects.get()
            named = f"match {match.pk}, recorded as '{match.external_id}'"
            conflicts = [body["detail"] for status, body in answers if status == 409]
            assert all(named in detail for detail in conflicts)


def test_two_of_one_id_for_one_lobby_by_two_sources_are_not_mixed_up(clock):
    """The conflict names the other source's match, even beside a new result under the same id."""
    lobby, [one, other] = ready()
    clock(90)
    first = body_of([one.key], [other.key], id="1", lobby=lobby.pk)
    [(_, recorded)] = post(first)
    key = make_key(source="captain")
    answers = post({**first, "id": "2"}, {**first, "id": "1", "lobby": ""}, key=key)
    assert [status for status, _ in answers] == [409, 201]
    assert f"match {recorded['number']}, recorded as '1'" in answers[0][1]["detail"]


def test_an_import_passes_over_lobbies_of_other_sites(tmp_path):
    """They may have had several results there. Lobbies of this site are one match here, too."""
    make_mode("other")
    lobby, [one, other] = ready()
    send([one], [other], id="first", lobby=lobby.pk)
    sent = [
        body_of([one.key], [other.key], id="1", lobby="elsewhere"),
        body_of([one.key], [other.key], id="2", lobby="elsewhere"),
        body_of([one.key], [other.key], id="3", lobby=lobby.pk),
        body_of([one.key], [other.key], id="4", lobby=lobby.pk, mode="other"),
    ]
    path = tmp_path / "matches.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in sent))
    out = StringIO()
    with pytest.raises(CommandError, match="not imported"):
        call_command("import_matches", path, keep_alike=True, stdout=out)
    counts = "2 rated, 0 known already, 0 in conflict, 1 for a lobby that has a result, 1 refused."
    assert out.getvalue().splitlines()[0] == counts
    assert set(Match.objects.values_list("external_id", flat=True)) == {"first", "1", "2"}


def test_the_lobby_names_the_corrected_match():
    lobby, [one, other] = ready()
    old = send([one], [other], lobby=lobby.pk).record.match
    new = correct_match(
        old, make_report([other.key], [one.key], ended_at=old.ended_at), by=None, reason="Typed wrong.", now=later(900)
    )
    lobby.refresh_from_db()
    assert (lobby.match_id, new.lobby) == (new.pk, lobby.pk)
    void([new], by=None, reason="It was right.", now=later(901))
    restore([old], by=None, reason="It was right.", now=later(902))
    lobby.refresh_from_db()
    assert lobby.match_id == old.pk
