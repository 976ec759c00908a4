"""Two moderators decide about proposed bans at once, and juniors propose at once; only PostgreSQL lets them."""

from __future__ import annotations

import datetime as dt
from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection

from ranking.models import AuditEntry, Ban, BanProposal, Player
from ranking.moderation.ban_proposals import confirm_proposals, propose_bans, refuse_proposals
from tests.support.concurrency import at_once
from tests.support.factories import NOW, make_mode, record

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time"),
]
BAN: dict[str, Any] = {"scope": Ban.BOTH, "hours": 168, "reason": "Left.", "now": NOW}
ROUNDS = 5


def test_one_decision_wins_for_each_proposal() -> None:
    make_mode()
    mia, *moderators = [User.objects.create_superuser(name) for name in ("mia", "mo", "max")]
    for number in range(8):
        record([f"a{number}"], [f"b{number}"])
    players = list(Player.objects.all())
    for index in range(ROUNDS):
        proposed = propose_bans(players, by=mia, **BAN)
        numbers = [row.pk for row in proposed]
        later = NOW + dt.timedelta(hours=index + 1)
        decided = at_once(
            [
                partial(act, ids, by=by, reason="At once.", now=later)
                for act, ids, by in (
                    (confirm_proposals, numbers, moderators[0]),
                    (refuse_proposals, numbers[::-1], moderators[1]),
                    (confirm_proposals, numbers[:3], moderators[1]),
                )
            ]
        )
        assert sorted(row.pk for rows in decided for row in rows) == sorted(numbers)
        confirmed = BanProposal.objects.filter(pk__in=numbers, decision="confirmed")
        assert Ban.objects.filter(starts_at=later).count() == confirmed.count()
        assert AuditEntry.objects.filter(at=later).exclude(act="ban").count() == len(numbers)


def test_juniors_who_propose_at_once_make_one_proposal_a_player() -> None:
    make_mode()
    record(["a"], ["b"])
    users = [User.objects.create_superuser(f"junior{number}") for number in range(4)]
    players = list(Player.objects.order_by("pk"))
    made = at_once(
        [
            partial(propose_bans, players[:: 1 if number % 2 else -1], by=user, **BAN)
            for number, user in enumerate(users)
        ]
    )
    assert sorted(row.player.key for rows in made for row in rows) == ["a", "b"]
