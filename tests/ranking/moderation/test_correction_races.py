"""Moderators correct matches while others void them, modes are rated anew and seasons end, each with a connection of
their own; only PostgreSQL lets them.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.db.models import Count

from ranking.matches.invariants import violations
from ranking.matches.recording import record_results
from ranking.matches.records import is_void
from ranking.matches.replacing import chains_of
from ranking.models import Match, Mode, Rating, Season
from ranking.moderation.corrections import CorrectionRefused, correct_match
from ranking.moderation.invariants import violations as conduct_violations
from ranking.moderation.restoring import RestoreRefused
from ranking.moderation.voids import restore, void
from ranking.rerating.reratings import request_rerating, rerate
from ranking.seasons.ending import end_season
from tests.support.concurrency import at_once
from tests.support.factories import NOW, make_mode, make_report, make_source
from tests.support.replay import alike, replayed_states
from tests.support.seasons import end

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time"),
]
LATER = NOW + dt.timedelta(hours=1)
WHY: dict[str, Any] = {"by": None, "reason": "A race.", "now": LATER}
ROUNDS = 6


@pytest.fixture
def matches() -> list[Match]:
    make_mode(team_size_max=1)
    pairs = [("ab", "bc", "ca", "cd")[number % 4] for number in range(40)]
    reports = [
        make_report([one], [two], id=f"m{number}", ended_at=NOW - dt.timedelta(minutes=50 - number))
        for number, (one, two) in enumerate(pairs)
    ]
    record_results(reports, source=make_source(), now=NOW)
    return list(Match.objects.order_by("pk"))


def turned(match: Match) -> Callable[[], str]:
    """Corrects the match: who lost, won."""

    def correct() -> str:
        keys = list(match.participations.order_by("-team").values_list("player__key", flat=True))
        try:
            correct_match(match, make_report(*([key] for key in keys), ended_at=match.ended_at), **WHY)
        except CorrectionRefused as refused:
            return str(refused)
        return ""

    return correct


def settle() -> Mode:
    while rerate(Mode.objects.get()) is not None:
        pass
    return Mode.objects.get()


def check() -> None:
    """The ledger is what the facts say, and each chain has one place in the history."""
    mode = settle()
    found = [*violations(LATER), *conduct_violations(LATER)]
    assert [one for one in found if one.code.partition(".")[0] not in ("board", "standings", "outbox", "places")] == []
    if Season.objects.count() == 1:  # an archived season's ratings stay as they were
        lived = {own.player_id: own.state for own in Rating.objects.all()}
        assert alike(lived, replayed_states(mode))


def test_two_moderators_correct_and_void(matches: list[Match]) -> None:
    for match in matches[:ROUNDS]:
        refusals = at_once([turned(match), lambda match=match: void([match], **WHY), turned(match)])
        chain = Match.objects.filter(external_id__startswith=f"{match.external_id} corrected")
        voided = bool(refusals[1])
        assert chain.count() == (0 if voided else 1)
        assert Match.objects.filter(~is_void(), pk__in=[match.pk, *chain.values_list("pk", flat=True)]).count() == int(
            not voided
        )
        assert voided or "" in (refusals[0], refusals[2])
    check()


def test_corrections_are_voided_and_the_old_ones_restored(matches: list[Match]) -> None:
    for match in matches[:ROUNDS]:
        turned(match)()
        new = Match.objects.get(replaces=match)

        def back(match: Match = match) -> str:
            try:
                restore([match], **WHY)
            except RestoreRefused as refused:
                return str(refused)
            return ""

        at_once([lambda new=new: void([new], **WHY), back, turned(new)])
        chain = [one.pk for one in chains_of([match.pk])[0]]
        assert Match.objects.filter(~is_void(), pk__in=chain).count() <= 1
    check()


def test_corrections_while_the_mode_is_rated_anew(matches: list[Match]) -> None:
    mode = Mode.objects.get()
    for match in matches[:ROUNDS]:
        request_rerating(mode, reason="x", now=NOW, chronological=True)
        refusals = at_once([turned(match), lambda: rerate(mode, block=5) and ""])
        assert refusals[0] == ""
    check()
    assert Match.objects.filter(replaces__isnull=False, event__isnull=False).count() == ROUNDS


def test_corrections_while_results_come_in(matches: list[Match]) -> None:
    sent = [[make_report(["a"], ["d"], ended_at=NOW)] for _ in range(ROUNDS)]
    jobs = [turned(match) for match in matches[:ROUNDS]]
    more = [lambda reports=reports: record_results(reports, source=make_source(), now=NOW) for reports in sent]
    at_once([job for pair in zip(jobs, more, strict=True) for job in pair], workers=4)
    check()
    assert Match.objects.filter(~is_void()).aggregate(number=Count("pk")) == {"number": 40 + ROUNDS}


def test_corrections_while_the_season_ends(matches: list[Match]) -> None:
    mode = Mode.objects.get()
    done = at_once([turned(matches[1]), lambda: end(mode, at=LATER), turned(matches[2])])
    assert {refusal for refusal in (done[0], done[2]) if "ending its season" not in refusal} <= {""}
    end_season(mode)
    check()
