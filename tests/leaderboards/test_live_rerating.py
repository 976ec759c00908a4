"""A match of a long history is voided while results keep coming and boards are read: nothing lost, nothing mixed."""

import datetime as dt
import random
import threading

import pytest
from django.db import connection

from leaderboards.boardpages import load_page
from leaderboards.boards import get_board
from leaderboards.positions import Top
from ranking import invariants
from ranking.models import Change, Match, Mode, Rating
from ranking.rerating import rerate
from ranking.results import record_results
from ranking.standings import publish
from ranking.voids import void_match
from tests import api
from tests.factories import NOW, make_mode, make_report, make_source
from tests.ranking.test_concurrency import at_once
from tests.replay import replayed_states

pytestmark = pytest.mark.django_db(transaction=True)

PEOPLE = [f"p{number}" for number in range(60)]
LONG, SENT, SENDERS = 2_000, 15, 3


def live_history(rng):
    """Thousands of matches, lived."""
    source = make_source("history")
    for start in range(0, LONG, 500):
        reports = []
        for number in range(start, start + 500):
            chosen = rng.sample(PEOPLE, 4)
            ended_at = NOW - dt.timedelta(days=1) + dt.timedelta(seconds=number)
            reports.append(make_report(chosen[:2], chosen[2:], id=f"h{number}", ended_at=ended_at))
        record_results(reports, source=source, now=NOW)


def test_a_void_in_the_middle_of_a_long_history_while_results_come():
    rng = random.Random(5)
    mode = make_mode(team_size_max=2)
    live_history(rng)
    publish(mode, now=NOW)
    voided = Match.objects.get(external_id=f"h{LONG // 2}")
    void_match(voided, by=None, reason="Cheated.", now=NOW)
    key, over = api.make_key(), threading.Event()

    def send(sender):
        """Post results, some of them twice, until the mode is rated anew and a few more."""
        own, answers = random.Random(sender), []
        for number in range(10_000):
            if over.is_set() and number >= SENT:
                break
            sent = api.result(id=f"s{sender}-{number}", teams=teams_of(own.sample(PEOPLE, 2)))
            answers += [api.post_match(sent, key=key).status for _ in range(1 + number % 2)]
        return number, answers

    def look():
        """Read the board until the mode is rated anew: every page is one publication's."""
        seen = []
        while not over.is_set():
            page = load_page(get_board("duel"), Top(), viewer=None, now=NOW)
            seen.append((page.listed, tuple((row.rank, row.player.key) for row in page.shown)))
        return seen

    def void():
        try:
            return rerate(mode).error
        finally:
            over.set()

    error, board, *senders = at_once([void, look, *(lambda s=s: send(s) for s in range(SENDERS))], SENDERS + 2)
    connection.close()
    assert error == ""
    assert len(set(board)) <= 1
    assert {status for _, answers in senders for status in answers} <= {200, 201, 202}
    assert Match.objects.count() == LONG + sum(count for count, _ in senders)
    assert not Match.objects.filter(event=None).exists()
    assert not Change.objects.live().filter(match=voided).exists()
    assert replayed_states(mode) == {rating.player_id: rating.state for rating in Rating.objects.all()}
    publish(Mode.objects.get(), now=NOW)
    assert list(invariants.findings(NOW)) == []


def teams_of(keys):
    return [{"place": place, "players": [{"id": key}]} for place, key in enumerate(keys, 1)]
