"""Finds leavers and who is locked out: the database's choice against what is computed of each player."""

import datetime as dt
import random

import pytest
from django.utils import timezone

from ranking.models import Incident, Player
from ranking.moderation import leavers
from ranking.moderation.incidents import find_lapses
from ranking.moderation.leavers import Wanted, find_leavers, find_locked, summarise
from ranking.rules.conduct import find_lockout
from tests.support.factories import make_mode

pytestmark = pytest.mark.django_db


def make_players(number):
    now = timezone.now()
    return Player.objects.bulk_create(
        Player(key=f"p{index}", name=f"p{index}", search_name=f"p{index}", created_at=now) for index in range(number)
    )


def drop_out(player, mode, *times, kind="dropout"):
    start = Incident.objects.count()
    Incident.objects.bulk_create(
        Incident(player=player, mode=mode, kind=kind, occasion=f"lobby {start + index}", happened_at=at)
        for index, at in enumerate(times)
    )


def test_points_of_many_leaves_lock_out_though_none_would_alone():
    (player, other), mode, now = make_players(2), make_mode(), timezone.now()
    drop_out(player, mode, *[now - dt.timedelta(hours=5)] * 4)  # 12 points: half a day
    drop_out(other, mode, now - dt.timedelta(hours=5))
    assert find_locked(now) == {player.pk}
    assert find_locked(now, [other.pk]) == set()
    found = {locked: [*find_leavers(now, Wanted(locked=locked))[:9]] for locked in (None, True, False)}
    assert found == {None: [player.pk, other.pk], True: [player.pk], False: [other.pk]}


@pytest.mark.parametrize("seed", range(6))
def test_the_lists_hold_whom_the_rules_lock_out(seed, monkeypatch):
    monkeypatch.setattr(leavers, "SPARE", 0)
    chance, now, players = random.Random(seed), timezone.now(), make_players(40)
    own = {"points": 1, "decay_percent": 40, "lockouts": [[1, 30], [3, 3000]], "missed_minutes": [60]}
    modes = [make_mode("duel"), make_mode("other"), *([make_mode("strict", conduct=own)] if seed % 2 else [])]
    for player in players:
        for _ in range(chance.choice((0, 1, 2, 6))):
            at = now - dt.timedelta(minutes=chance.choice((5, 50, 500, 3000, 30_000)) * chance.random())
            drop_out(player, chance.choice(modes), at, kind=chance.choice(("dropout", "dropout", "missed")))
    lapses = find_lapses([player.pk for player in players], now)
    locked = {player for player, own in lapses.items() if find_lockout(own, now)}
    assert find_locked(now) == locked
    assert 0 < len(locked) < len([player for player, own in lapses.items() if own])
    points = {player: summary.points for player, summary in summarise(lapses, now).items()}
    everybody = [*find_leavers(now)[:99]]
    assert [points[player] for player in everybody] == sorted((points[player] for player in everybody), reverse=True)
    rest = [player for player in everybody if player not in locked]
    assert [find_leavers(now, Wanted(locked=False))[start : start + 4] for start in (0, 3, 38)] == [
        rest[start : start + 4] for start in (0, 3, 38)
    ]
    assert {*find_leavers(now, Wanted(locked=True))[:99]} == locked
