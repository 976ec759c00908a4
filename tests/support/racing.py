"""What moderators and jobs do to a site while results come in and connections break: run inside the site's own
processes, by `manage.py shell`.

Matches of `duel` are rated in one season, so that its ledger can be told again; the seasons of `squad` end.
"""

import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from io import StringIO

from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection
from django.utils import timezone

from ranking.abuse.complaints import MayNotReport, report_player
from ranking.matches.records import is_void
from ranking.models import Ban, Match, Merge, Mode, OutboxEntry, Participation, Player, Rating, Rerating
from ranking.moderation.merges import MergeRefused, merge_players
from ranking.moderation.sanctions import ban_players, lift_bans
from ranking.moderation.splits import split_players
from ranking.moderation.voids import restore, void
from ranking.players.administration import anonymise_players
from ranking.seasons.dates import EndRefused, EndRequest, request_end
from ranking.seasons.taking_back import TakingBackRefused, take_back_end
from ranking.standings.publishing import publish
from ranking.systems.base import KEEP, ResetRule
from tests.support.replay import alike, replayed_states

REFUSALS = (MayNotReport, MergeRefused, EndRefused, TakingBackRefused, CommandError)
WHY = {"by": None, "reason": "A race."}


def act(seconds: float, seed: int) -> None:
    """Print how often each act was done, refused, or broken off with its connection, as JSON."""
    rng, done = random.Random(seed), Counter[str]()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        name = rng.choice(list(ACTS))
        try:
            ACTS[name](rng)
            done[name] += 1
        except REFUSALS:
            done[f"{name} refused"] += 1
        except DatabaseError:
            done["broken"] += 1
            connection.close()
        except IndexError:  # nobody is there yet, or no longer
            done["nobody"] += 1
        time.sleep(0.2)
    sys.stdout.write(json.dumps(done) + "\n")


def _some_matches(rng: random.Random) -> list[Match]:
    matches = list(Match.objects.order_by("-pk")[:60])
    return rng.sample(matches, min(3, len(matches)))


def _somebody(rng: random.Random) -> Player:
    return rng.choice(list(Player.objects.filter(merged_into=None, anonymised_at=None).order_by("pk")[:60]))


def _merge(rng: random.Random) -> None:
    merge_players(_somebody(rng), _somebody(rng), **WHY, now=timezone.now())


def _split(rng: random.Random) -> None:
    split_players(rng.choice(list(Merge.objects.filter(lifted_at=None))), **WHY, now=timezone.now())


def _end(rng: random.Random) -> None:
    request = EndRequest(ResetRule(KEEP), skip_late=rng.random() < 0.5)
    request_end(Mode.objects.get(slug="squad"), request, **WHY, now=timezone.now())


def _take_back(_: random.Random) -> None:
    take_back_end(Mode.objects.get(slug="squad"), **WHY, now=timezone.now())


def _bring_along(rng: random.Random) -> None:
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        file.writelines(f"brought-{rng.randrange(10**9)},,{rng.randint(800, 2_000)}\n" for _ in range(20))
        file.flush()
        call_command("import_ratings", "duel", file.name, stdout=StringIO())


def _ban_and_lift(rng: random.Random) -> None:
    bans = ban_players([_somebody(rng)], scope=Ban.BOTH, **WHY, now=timezone.now())
    lift_bans([ban.pk for ban in bans], **WHY, now=timezone.now())


def _report(rng: random.Random) -> None:
    match = rng.choice(list(Match.objects.order_by("-pk")[:60]))
    players = [part.player for part in Participation.objects.filter(match=match).select_related("player")]
    reporter, reported = rng.sample(players, 2)
    report_player(match, reporter, reported, reason="cheating", now=timezone.now())


def _erase(rng: random.Random) -> None:
    if rng.random() < 0.2:
        anonymise_players([_somebody(rng).pk], **WHY, now=timezone.now())


ACTS: dict[str, Callable[[random.Random], object]] = {
    "void": lambda rng: void(_some_matches(rng), **WHY, now=timezone.now()),
    "restore": lambda rng: restore(_some_matches(rng), **WHY, now=timezone.now()),
    "merge": _merge,
    "split": _split,
    "end": _end,
    "take back": _take_back,
    "bring along": _bring_along,
    "ban and lift": _ban_and_lift,
    "publish": lambda rng: publish(rng.choice(list(Mode.objects.all())), now=timezone.now()),
    "report": _report,
    "erase": _erase,
}


def tell() -> None:
    """Print what is still to be done, and whether the ratings of `duel` are what its facts say, as JSON."""
    mode = Mode.objects.get(slug="duel")
    waiting = {
        "results": Match.objects.filter(~is_void(), event=None).count(),
        "outbox": OutboxEntry.objects.count(),
        "reratings": Rerating.objects.exclude(state=Rerating.DONE).count(),
    }
    lived = {rating.player_id: rating.state for rating in Rating.objects.filter(mode=mode)}
    told = {"waiting": waiting, "rated": len(lived), "same": not any(waiting.values()) and _same(mode, lived)}
    sys.stdout.write(json.dumps(told) + "\n")


def _same(mode: Mode, lived: dict[int, object]) -> bool:
    replayed = replayed_states(mode)
    return alike({player: lived.get(player) for player in replayed}, replayed)
