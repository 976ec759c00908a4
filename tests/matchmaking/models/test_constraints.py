"""Every rule of the database that matters is a constraint, and each refuses what it is there to refuse."""

import pytest
from django.apps import apps

from matchmaking.models import (
    Invitation,
    Lobby,
    Party,
    PartyMember,
    Queue,
    Server,
    Ticket,
    TicketMember,
    UnreportedLoss,
)
from ranking.models import Match
from tests.support.factories import NOW, record
from tests.support.matchmaking import make_lobby, make_player, make_queue, make_server, queue_up
from tests.support.rows import first, refusal

pytestmark = pytest.mark.django_db


def waiting():
    return Ticket.objects.filter(state="waiting")


def unreported(score):
    UnreportedLoss.objects.create(
        lobby_key="x", mode=Queue.objects.get().mode, player=PartyMember.objects.get().player, server="eu1",
        score=score, best=7, silent_at=NOW, closed_at=NOW,
    )  # fmt: skip


CASES = {
    "queue_strategy_known": lambda: Queue.objects.update(strategy="luck"),
    "queue_split_known": lambda: Queue.objects.update(split="odd"),
    "queue_widens_after_a_while": lambda: Queue.objects.update(widen_every=0),
    "queue_bound_relaxes": lambda: Queue.objects.update(favourite=0.8, favourite_end=0.7),
    "ticket_state_known": lambda: waiting().update(state="bored"),
    "ticket_of_somebody": lambda: waiting().update(size=0),
    "ticket_waited_not_negative": lambda: waiting().update(waited=-1),
    "ticket_matched_has_a_lobby": lambda: waiting().update(state="matched"),
    "ticket_waiting_has_no_lobby": lambda: waiting().update(lobby=Lobby.objects.get(), team=0, matched_at=NOW),
    "ticket_ended_at_some_time": lambda: waiting().update(state="cancelled"),
    "ticket_one_live_a_player": lambda: first(TicketMember, ticket=waiting().get()),
    "ticket_each_player_once": lambda: first(TicketMember, live=False),
    "ticket_percentile_is_one": lambda: TicketMember.objects.update(percentile=0),
    "ticket_width_within_bounds": lambda: TicketMember.objects.update(width=101),
    "ticket_accepted_what_was_seen": lambda: TicketMember.objects.update(accepted_at=NOW),
    "party_one_leader": lambda: PartyMember.objects.create(
        party=Party.objects.get(), player=make_player(), leads=True, joined_at=NOW),
    "invitation_once_a_party": lambda: [Invitation.objects.create(
        party=Party.objects.get(), player=PartyMember.objects.get().player, by=PartyMember.objects.get().player,
        invited_at=NOW) for _ in range(2)],
    "server_once_a_source": lambda: first(Server),
    "server_address_given": lambda: Server.objects.update(address=""),
    "server_busy_not_negative": lambda: Server.objects.update(busy=-1),
    "server_rests_after_failures": lambda: Server.objects.update(failed_starts=1),
    "lobby_server_failed_at_some_time": lambda: Lobby.objects.update(failed_server=Server.objects.get()),
    "lobby_not_on_failed_server": lambda: Lobby.objects.update(
        state="ready", blind=False, ready_at=NOW, server=Server.objects.get(), failed_server=Server.objects.get(),
        failed_at=NOW),
    "lobby_state_known": lambda: Lobby.objects.update(state="noisy", blind=False),
    "lobby_key_given": lambda: Lobby.objects.create(
        key="", queue=Queue.objects.get(), teams=[], places=[], difference=0, formed_at=NOW),
    "lobby_ready_at_some_time": lambda: Lobby.objects.update(state="ready", blind=False),
    "lobby_live_has_started": lambda: Lobby.objects.update(state="live", blind=False),
    "lobby_closed_at_some_time": lambda: Lobby.objects.update(state="cancelled"),
    "lobby_server_once_accepted": lambda: Lobby.objects.update(server=Server.objects.get()),
    "lobby_blind_until_accepted": lambda: Lobby.objects.update(state="ready", ready_at=NOW),
    "queue_accepting_known": lambda: Queue.objects.update(accepting="half"),
    "queue_servers_known": lambda: Queue.objects.update(servers="maybe"),
    "queue_rematches_known": lambda: Queue.objects.update(rematches="two"),
    "unreported_once_a_lobby": lambda: [unreported(3) for _ in range(2)],
    "unreported_was_behind": lambda: unreported(7),
    "lobby_played_finished": lambda: Lobby.objects.update(match=Match.objects.get()),
}  # fmt: skip


def test_there_is_a_case_for_every_constraint():
    named = {constraint.name for model in apps.get_app_config("matchmaking").get_models()
             for constraint in model._meta.constraints}  # fmt: skip
    assert set(CASES) == named


def test_the_database_refuses():
    queue = make_queue()
    make_server(queue.mode)
    make_lobby(queue)
    queue_up(queue, at=2)
    record(["x"], ["y"])
    party = Party.objects.create(created_at=NOW)
    PartyMember.objects.create(party=party, player=make_player(), leads=True, joined_at=NOW)
    said = {name: refusal(write) for name, write in CASES.items()}
    # SQLite names the columns of a unique constraint, and Django has one of its own for `busy`.
    named = {name: (name, "busy" if name == "server_busy_not_negative" else "UNIQUE") for name in CASES}
    assert {name: text for name, text in said.items() if not any(word in text for word in named[name])} == {}
