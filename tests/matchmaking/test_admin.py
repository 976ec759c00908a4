"""Matchmaking in the admin: settings refused with sentences, rows looked at, lobbies closed with a reason."""

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from matchmaking import lifecycle
from matchmaking.models import Formed, Lobby, Party, Queue, Server, Ticket, UnreportedLoss
from matchmaking.queues.queueing import find_ticket
from matchmaking.server_failures import note_failed_start
from ranking.models import AuditEntry
from tests.support.factories import NOW, make_mode, make_source
from tests.support.matchmaking import (  # fmt: skip
    accept_all,
    endings,
    later,
    make_lobby,
    make_player,
    make_queue,
    make_server,
    queue_up,
    start,
    states,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def boss():
    client = Client()
    client.force_login(User.objects.create_superuser("boss"))
    return client


def page(model, name, *args):
    return reverse(f"admin:matchmaking_{model._meta.model_name}_{name}", args=args)


def form(queue, **changed):
    fields = {field.name: getattr(queue, field.attname) for field in Queue._meta.fields if field.editable}
    fields |= {"regions": "[]", "variants": "[]", "open": "on"} | changed
    return {name: value for name, value in fields.items() if value is not None and name != "id"}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"favourite": 0.8, "favourite_end": 0.7}, "The bound relaxes: at least what it begins with."),
        ({"team_size": 9}, "Teams of Duel have 1 to 2 players."),
        ({"largest_party": 3}, "A party of more than 2 fits into no team."),
        ({"regions": '["eu", "eu"]'}, "At most 62 names, each of them once."),
        ({"variants": '"Foundry"'}, "Write a list of names, such as"),
        ({"default_width": 101}, "Ensure this value is less than or equal to 100."),
    ],
)
def test_settings_that_make_no_sense_are_refused(boss, changed, said):
    queue = make_queue(size=2)
    assert said in boss.post(page(Queue, "change", queue.pk), form(queue, **changed)).text


def test_a_queue_is_made_and_changed(boss):
    mode = make_mode("new")
    boss.post(page(Queue, "add"), form(Queue(mode=mode)))
    queue = Queue.objects.get()
    boss.post(page(Queue, "change", queue.pk), form(queue, variants='["Foundry"]', accept_seconds=0))
    queue.refresh_from_db()
    assert (queue.mode, queue.variants, queue.accept_seconds) == (mode, ["Foundry"], 0)


def test_lists_may_be_emptied(boss):
    queue = make_queue(regions=["eu"], variants=["Foundry"])
    boss.post(page(Queue, "change", queue.pk), form(queue, regions="", variants="null"))
    queue.refresh_from_db()
    assert (queue.regions, queue.variants) == ([], [])


def test_every_page_opens(boss):
    queue = make_queue()
    make_server(queue.mode)
    make_lobby(queue)
    Party.objects.create(created_at=NOW)
    for model in (Queue, Ticket, Lobby, Party, Server, Formed):
        addresses = [page(model, "changelist"), page(model, "change", model.objects.first().pk)]
        assert [boss.get(address).status_code for address in addresses] == [200, 200], model
    assert boss.get(page(Lobby, "changelist"), {"q": Lobby.objects.get().pk, "state": "accepting"}).status_code == 200


def act(client, action, row, **more):
    address = page(type(row), "changelist")
    return client.post(address, {"action": action, "index": 0, "_selected_action": [row.pk], **more})


def test_a_lobby_that_is_not_accepted_yet_falls_through_and_its_players_wait_again(boss):
    lobby, people = make_lobby(make_queue())
    act(boss, "abort", lobby, confirmed="yes")
    assert states(lobby) == [lifecycle.ACCEPTING]
    act(boss, "abort", lobby, confirmed="yes", reason="Stuck", note="See the log.")
    assert states(lobby, *map(find_ticket, people)) == [lifecycle.CANCELLED, lifecycle.WAITING, lifecycle.WAITING]
    noted = AuditEntry.objects.get()
    told = noted.act, noted.subject, noted.reason, noted.note
    assert told == ("close lobby", f"lobby {lobby.pk}", "Stuck", "See the log.")


def test_a_running_match_is_called_off(boss):
    queue = make_queue()
    make_server(queue.mode)
    lobby, people = make_lobby(queue)
    start(accept_all(lobby))
    act(boss, "abort", lobby, confirmed="yes", reason="<b>Stuck</b>")
    assert (states(lobby), find_ticket(people[0]), Server.objects.get().busy) == ([lifecycle.ABORTED], None, 0)
    assert endings(lobby) == [("called-off-by-moderator", {"reason": "<b>Stuck</b>"})]
    assert "&lt;b&gt;Stuck" in boss.get(page(Lobby, "change", lobby.pk)).text


def test_a_ticket_is_taken_out_with_a_reason(boss):
    ticket = queue_up(make_queue())
    act(boss, "end", ticket, confirmed="yes", reason="Asked us to")
    assert (states(ticket), ticket.ending_code) == ([lifecycle.CANCELLED], "moderator")
    assert AuditEntry.objects.get().act == "end ticket"


def test_a_servers_matches_are_counted_again(boss):
    server = make_server(make_queue().mode)
    Server.objects.update(busy=1)
    act(boss, "count", server)
    assert Server.objects.get().busy == 0


def test_a_mended_servers_rest_is_ended(boss):
    server = make_server(make_queue().mode)
    note_failed_start(server.pk, timezone.now())
    assert "Rests until" in boss.get(page(Server, "changelist")).text
    assert "End its rest" in boss.get(page(Server, "change", server.pk)).text
    act(boss, "end_rest", server)
    assert Server.objects.values_list("failed_starts", "rests_until").get() == (0, None)
    assert LogEntry.objects.get().change_message == "Ended the rest of"
    act(boss, "end_rest", server)
    assert LogEntry.objects.count() == 1


def test_unreported_losses_stand_by_how_often_they_happened(boss):
    mode = make_queue().mode
    once, twice = make_player("once"), make_player("twice")
    for number, player in enumerate((twice, once, twice)):
        UnreportedLoss.objects.create(
            lobby_key=f"x{number}", mode=mode, player=player, server="eu1", score=1, best=2, silent_at=NOW,
            closed_at=later(number),
        )  # fmt: skip
    rows = boss.get("/admin/matchmaking/unreportedloss/").context["cl"].result_list
    assert [(row.player.key, row.times) for row in rows] == [("twice", 2), ("twice", 2), ("once", 1)]


@pytest.mark.parametrize("term", ["itter6", "quitter69"])
def test_tickets_and_parties_are_found_by_their_players(boss, term):
    queue = make_queue("duel")
    player, other = make_player("quitter69"), make_player("stayer")
    found = [queue_up(queue, player), Party.objects.create(created_at=NOW)]
    queue_up(queue, other)
    for party, member in ((found[1], player), (Party.objects.create(created_at=NOW), other)):
        party.members.create(player=member, leads=True, joined_at=NOW)
    for row in found:
        assert list(boss.get(page(type(row), "changelist"), {"q": term}).context["cl"].result_list) == [row]


@pytest.mark.parametrize(("term", "names"), [("eu-1", ["eu-1"]), ("us", ["us-1"]), ("eu", [])])
def test_a_server_is_found_by_its_whole_name_or_its_source(boss, term, names):
    mode = make_queue("duel").mode
    make_server(mode, name="eu-1")
    Server.objects.filter(name=make_server(mode, name="us-1").name).update(source=make_source("us"))
    rows = boss.get(page(Server, "changelist"), {"q": term}).context["cl"].result_list
    assert [server.name for server in rows] == names
