"""What goes on at a queue while its workers are killed: run inside a site's own processes, by `manage.py shell`.

Servers come by and by, so that each tick has lobbies to form; players cancel at random; some matches are played.
"""

import json
import random
import sys
import time
from collections import Counter

from django.utils import timezone

from bench.ticking import fill
from matchmaking import lifecycle, servers
from matchmaking.lobbies import playing
from matchmaking.models import Formed, Lobby, Queue, Ticket, TicketMember
from matchmaking.operations import invariants
from matchmaking.queues import queueing
from matchmaking.refusals import Refusal
from ranking.models import Player, Source
from tests.support.factories import make_report, record_result

PLAYERS, CANCELLED, HOSTS = 10_000, 1_000, 6


def begin() -> None:
    queue = fill("parties", PLAYERS, timezone.now(), accept_seconds=0, start_seconds=3_600, longest_wait=86_400)
    Source.objects.get_or_create(slug="hosts", defaults={"created_at": timezone.now()})
    _hear(queue, 0.0)


def drive(seconds: float) -> None:
    """Print what was done, as JSON."""
    queue, rng = Queue.objects.select_related("mode").get(), random.Random(7)
    waiting = list(Ticket.objects.values_list("pk", flat=True))
    chosen = rng.sample(waiting, min(CANCELLED, len(waiting)))
    done: Counter[str] = Counter()
    started = time.monotonic()
    passed, heard = 0.0, 0.0
    while passed < 1 or done["asked"] < len(chosen):
        passed = min(1.0, (time.monotonic() - started) / seconds)
        if time.monotonic() - heard > 2:
            heard = time.monotonic()
            _hear(queue, passed)
        for ticket in chosen[done["asked"] : min(done["asked"] + 20, round(len(chosen) * passed))]:
            done["asked"] += 1
            try:
                queueing.cancel_ticket(Ticket.objects.get(pk=ticket), by=None, now=timezone.now())
                done["cancelled"] += 1
            except Refusal:
                done["too late"] += 1
        done["played"] += _play(rng)
        time.sleep(0.05)
    sys.stdout.write(json.dumps(done) + "\n")


def _hear(queue: Queue, passed: float) -> None:
    """Heartbeats of servers that take more matches as time goes by."""
    source = Source.objects.get(slug="hosts")
    most = PLAYERS / 8 / HOSTS
    for number, region in enumerate(queue.regions):
        servers.register_server(
            source, name=f"host{number}", region=region, address="10.0.0.1:7000", capacity=1 + round(most * passed),
            modes=[queue.mode], now=timezone.now(),
        )  # fmt: skip


def _play(rng: random.Random) -> int:
    """Play one of the matches that are ready, now and then one that somebody drops out of."""
    lobby = Lobby.objects.filter(state=lifecycle.READY).select_related("queue__mode").order_by("ready_at").first()
    if lobby is None:
        return 0
    now, keys = timezone.now(), dict(Player.objects.filter(pk__in=lobby.players).values_list("pk", "key"))
    present = [keys[player] for player in lobby.players]
    if rng.random() < 0.1:
        present.remove(rng.choice(present))
    begun = playing.start_match(lobby.pk, source=Source.objects.get(slug="hosts"), present=present, now=now)
    if begun.state == lifecycle.LIVE:
        teams = [[keys[player] for player in team] for team in lobby.teams]
        made = make_report(*teams, mode=lobby.queue.mode.slug, id=lobby.pk, lobby=lobby.pk, ended_at=now)
        record_result(made, source=Source.objects.get(slug="hosts"), now=now)
    return 1


def tell() -> None:
    """Print what became of everybody, as JSON."""
    lobbies = Lobby.objects.filter(state__in=lifecycle.LOBBY.going_on)
    seats = Counter(player for lobby in lobbies for player in lobby.players)
    matched = TicketMember.objects.filter(ticket__state__in=(lifecycle.MATCHED, lifecycle.PLAYING))
    found = {
        "states": Counter(Ticket.objects.values_list("state", flat=True)),
        "players": TicketMember.objects.count(),
        "twice": sum(times > 1 for times in seats.values()),
        "astray": len(set(seats) ^ set(matched.values_list("player", flat=True))),
        "lobbies": Counter(Lobby.objects.values_list("state", flat=True)),
        "formed": Formed.objects.count(),
        "violations": [violation.sentence for violation in invariants.violations(timezone.now())],
    }
    sys.stdout.write(json.dumps(found) + "\n")
