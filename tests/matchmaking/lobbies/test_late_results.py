"""Results that come after their match was closed as lost; and who was behind when a server fell silent for good."""

from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

from leaderboards.models import Delivery
from matchmaking import lifecycle
from matchmaking.lobbies.silence import note_scores
from matchmaking.models import Lobby, UnreportedLoss
from matchmaking.operations.closing import close_lobby
from matchmaking.refusals import Refusal
from ranking.abuse.search import search
from ranking.models import AuditEntry, Change, Match, Void
from ranking.moderation.voids import restore
from ranking.rerating.reratings import rerate
from tests.support.factories import record
from tests.support.matchmaking import accept_all, later, make_lobby, make_queue, make_server, start, states, sweep
from tests.support.matchmaking_calls import as_server, heartbeat
from tests.support.savepoints import rolled_back
from tests.support.webhooks import make_hook

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]


def play(*, size=1, **settings):
    """A live lobby, its players, its server."""
    queue = make_queue(size=size, longest_match=600, **settings)
    server = make_server(queue.mode, name="eu1")
    lobby, people = make_lobby(queue)
    return start(accept_all(lobby)), people, server


def lost(**settings):
    lobby, people, _ = play(**settings)
    sweep(later(700))
    assert states(lobby) == [lifecycle.LOST]
    return lobby, people


def test_a_late_result_is_recorded_and_at_once_void():
    lobby, [one, other] = lost()
    answer = record([one.key], [other.key], lobby=lobby.pk, now=later(800), ended_at=later(500))
    match = Match.objects.get()
    assert (answer.state, match.event_id, answer.record.match.is_void) == ("void", None, True)
    void = Void.objects.get()
    assert (void.match, void.by, void.reason) == (match, None, "It came after the match was closed as lost.")
    assert AuditEntry.objects.get().act == "void"
    assert (Change.objects.count(), states(lobby), lobby.match) == (0, [lifecycle.LOST], None)
    again = record([one.key], [other.key], id=match.external_id, lobby=lobby.pk, now=later(900), ended_at=later(500))
    assert (again.state, Match.objects.count(), Void.objects.count()) == ("known", 1, 1)


def test_no_webhook_tells_of_a_match_that_is_void_as_it_comes():
    make_hook(events=["match.voided"])
    lobby, [one, other] = lost()
    record([one.key], [other.key], lobby=lobby.pk, now=later(800), ended_at=later(500))
    assert not Delivery.objects.exists()


def test_moderators_may_restore_it_and_it_is_rated():
    lobby, [one, other] = lost()
    record([one.key], [other.key], lobby=lobby.pk, now=later(800), ended_at=later(500))
    restore([Match.objects.get()], by=None, reason="The server was cut off.", now=later(900))
    rerate(lobby.queue.mode)
    assert Change.objects.filter(match=Match.objects.get()).count() == 2


def test_the_api_says_so():
    lobby, people = lost()
    result = {
        "id": "m1", "mode": "duel", "ended_at": later(0).isoformat(), "lobby": lobby.pk,
        "teams": [{"score": score, "players": [{"id": each.key}]} for score, each in zip((3, 1), people, strict=True)],
    }  # fmt: skip
    answer = as_server("POST", "matches/", result, scopes=("results",))
    assert (answer.status, answer.body["state"], answer.body["changes"]) == (201, "void", [])


def losses() -> set[tuple[int, float, float]]:
    return set(UnreportedLoss.objects.values_list("player", "score", "best"))


def test_who_was_behind_when_the_server_fell_silent_is_noted():
    lobby, people, server = play(size=2)
    note_scores(server, {lobby.pk: [3, 7], "nothing": [1]})
    sweep(later(20))
    assert (states(lobby), lobby.silent_at) == ([lifecycle.LIVE], None)
    sweep(later(40))
    assert (states(lobby), lobby.silent_at, losses()) == ([lifecycle.LIVE], later(0), set())
    sweep(later(700))
    assert losses() == {(each.pk, 3.0, 7.0) for each in people[:2]}
    record([each.key for each in people[:2]], [each.key for each in people[2:]], lobby=lobby.pk, now=later(800))
    assert losses() == set()


def test_a_server_that_comes_back_without_the_match_has_lost_it():
    """A server that is started again within thirty seconds after a crash was never silent for long."""
    lobby, people, server = play()
    note_scores(server, {lobby.pk: [0, 9]})
    make_server(lobby.queue.mode, name="eu1", at=20)
    sweep(later(21))
    assert (states(lobby), lobby.silent_at) == ([lifecycle.LIVE], None)
    note_scores(make_server(lobby.queue.mode, name="eu1", at=22), {})
    sweep(later(700))
    assert losses() == {(people[0].pk, 0.0, 9.0)}


def test_nobody_is_noted_for():
    noted = {}
    for why in ("a draw", "no score", "a server that comes back", "a server that is there", "a result"):
        with rolled_back():
            end_match(*play(), why)
            noted[why] = losses()
    assert {why: found for why, found in noted.items() if found} == {}


def end_match(lobby, people, server, why):
    one, other = people
    if why != "no score":
        note_scores(server, {lobby.pk: [4, 4] if why == "a draw" else [0, 9]})
    if why != "a server that is there":
        sweep(later(40))
    if why == "a server that comes back":
        note_scores(server, {lobby.pk: [1, 9]})
    if why == "a result":
        record([one.key], [other.key], lobby=lobby.pk, now=later(60))
    else:
        close_lobby(Lobby.objects.get(), by=None, reason="It hangs.", now=later(60))


def test_a_score_for_each_team():
    lobby, _, server = play()
    with pytest.raises(Refusal, match="has 2 teams"):
        note_scores(server, {lobby.pk: [3, 4, 5]})
    assert heartbeat(matches=[{"lobby": lobby.pk, "scores": [3]}]).status == 400


def test_a_server_tells_the_scores_in_its_heartbeat():
    queue = make_queue()
    heartbeat()
    lobby, people = make_lobby(queue)
    accept_all(lobby)
    assert as_server("POST", f"lobbies/{lobby.pk}/start/", {"players": [each.key for each in people]}).status == 200
    assert heartbeat(matches=[{"lobby": lobby.pk, "scores": [3, 4.5]}]).status == 200
    lobby.refresh_from_db()
    assert lobby.scores == [3, 4.5]


def test_a_server_signs_off_and_the_lobby_that_it_should_host_falls_through():
    queue = make_queue()
    heartbeat(name="eu 1")
    lobby, _ = make_lobby(queue)
    accept_all(lobby)
    assert as_server("DELETE", "servers/me/?name=eu2").status == 404
    assert as_server("DELETE", "servers/me/?name=eu%201").status == 204
    sweep(later(3))
    assert (states(lobby), lobby.ending_code) == ([lifecycle.CANCELLED], "server-gone")


def test_losses_that_are_never_reported_again_and_again_are_a_report_of_abuse(client, settings):
    """In the search, in the command and on the report's page, until the results come after all."""
    lobby, people, server = play()
    settings.ABUSE = {**settings.ABUSE, "unreported": 1.0}  # one match is enough here
    for number in range(100):  # others' matches say what is usual
        record([f"p{number}"], [f"q{number}"])
    note_scores(server, {lobby.pk: [-3, 7]})
    sweep(later(40))
    assert search(lobby.queue.mode, now=later(50)) == []
    sweep(later(700))
    [finding] = search(lobby.queue.mode, now=later(800))
    assert (finding.kind, finding.player, finding.other) == ("unreported", people[0], None)
    out = StringIO()
    call_command("report_abuse", stdout=out)
    line = out.getvalue().split("\n")[0]
    assert line.partition("unreported")[2].split()[:2] == ["duel:", people[0].key]
    assert "1 of 1 successive matches" in line
    client.force_login(User.objects.create_superuser("boss"))
    page = client.get(f"/admin/ranking/finding/{finding.pk}/change/").content.decode()
    for text in (lobby.pk, str(server), "−3 : 7", "Matches that were never reported"):
        assert text in page
    record([people[0].key], [people[1].key], lobby=lobby.pk, now=later(900), ended_at=later(500))
    assert search(lobby.queue.mode, now=later(1000)) == []
