"""Measures work after results: entries per second of a sweep of the outbox, with all consumers, against those that 200
results per second make."""

import random
import time
from collections.abc import Callable, Iterator

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import connection
from django.utils import timezone

from bench.floors import ten_of
from bench.measuring import Row, median
from leaderboards.models import Webhook
from ranking.matches.recording import record_results
from ranking.models import OutboxEntry, Player, Source
from ranking.modes.parameters import create_mode
from ranking.operations.outbox import sweep
from ranking.rules.report import PlayerReport, Report, TeamReport

PLAYERS, RESULTS, ROUNDS = 2_000, 500, 5
PROMISED = 200  # results a second


def run(progress: Callable[[str], None]) -> Iterator[Row]:
    """5v5 of 2,000 players, every second one with an account, and one webhook that wants everything."""
    now = timezone.now()
    slug = f"followup-{now:%H%M%S}"
    create_mode(slug=slug, name="Follow-up", system="elo", team_size_min=5, team_size_max=5, now=now)
    source, _ = Source.objects.get_or_create(slug="bench", defaults={"created_at": now})
    Webhook.objects.update_or_create(
        name="bench",
        defaults={
            "kind": "game", "url": "https://example.org/", "events": ["match.rated", "player.promoted"],
            "created_at": now,
        },
    )  # fmt: skip
    OutboxEntry.objects.all().delete()  # what other benchmarks left
    rng = random.Random(7)
    taken = []
    for number in range(ROUNDS + 1):
        progress(f"work after results, {number + 1} of {ROUNDS + 1}")
        record_results([_report(slug, rng, f"{number}-{each}") for each in range(RESULTS)], source=source, now=now)
        _give_accounts(slug)
        entries = OutboxEntry.objects.count()
        start = time.perf_counter()
        done = sweep(timezone.now())
        if number:
            taken.append((time.perf_counter() - start) / done)
        assert done == entries, f"{entries - done} entries failed"
    Webhook.objects.filter(name="bench").update(disabled_at=now)
    ours, wanted = 1 / median(taken), float(PROMISED * len(settings.OUTBOX_CONSUMERS))
    what = f"work after results, {len(settings.OUTBOX_CONSUMERS)} consumers, against {PROMISED} results a second"
    yield Row(what, f"{ours:,.0f} /s", f"{wanted:,.0f} /s", f"{ours / wanted:.2f} ×", "≥ 1 ×", ours >= wanted)


def _report(slug: str, rng: random.Random, number: str) -> Report:
    keys = ten_of(rng, PLAYERS)
    teams = [tuple(PlayerReport(id=f"{slug}-{key}") for key in side) for side in (keys[:5], keys[5:])]
    scores = rng.sample(range(20), 2)
    return Report(
        id=f"{slug}-{number}", mode=slug, ended_at=timezone.now(), duration=600.0,
        teams=tuple(TeamReport(players=side, score=float(score)) for side, score in zip(teams, scores, strict=True)),
    )  # fmt: skip


def _give_accounts(slug: str) -> None:
    """An account for every second player who has none."""
    people = Player.objects.filter(key__startswith=f"{slug}-", user=None)
    fresh = [player for player in people if player.pk % 2]
    users = get_user_model().objects.bulk_create(get_user_model()(username=player.key) for player in fresh)
    for player, user in zip(fresh, users, strict=True):
        player.user = user
    Player.objects.bulk_update(fresh, ["user"])
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE ranking_player, ranking_rating, ranking_change")
