"""A match of a long history is voided while results keep coming and boards are read: nothing lost, nothing mixed."""

import datetime as dt
import logging
import random
import threading
import time
from collections import Counter

import pytest
from django.db import connection

from leaderboards.boards.boards import get_board
from leaderboards.boards.pages import load_page
from leaderboards.boards.positions import Top
from ranking.matches import invariants
from ranking.matches.recording import record_results
from ranking.models import Change, Event, Match, Mode, Participation, Player, Rating, Season
from ranking.moderation.voids import void
from ranking.rerating.reratings import request_rerating, rerate
from ranking.standings.publishing import publish
from tests.support import api
from tests.support.concurrency import at_once
from tests.support.factories import NOW, make_mode, make_report, make_source
from tests.support.replay import alike, replayed_states

pytestmark = pytest.mark.django_db(transaction=True)

PEOPLE = [f"p{number}" for number in range(60)]
SENT, SENDERS = 15, 3

log = logging.getLogger(__name__)


def live_history(rng, mode, matches):
    """Thousands of matches, lived."""
    source = make_source("history")
    for start in range(0, matches, 500):
        reports = []
        for number in range(start, start + 500):
            chosen = rng.sample(PEOPLE, 4)
            ended_at = NOW - dt.timedelta(days=1) + dt.timedelta(seconds=number)
            reports.append(make_report(chosen[:2], chosen[2:], id=f"h{number}", ended_at=ended_at))
        record_results(reports, source=source, now=NOW)


def write_history(rng, mode, matches):
    """Very many duels, written as facts and rated at once: living them would take a quarter of an hour."""
    source = make_source("history")
    season = Season.objects.get(mode=mode)
    players = Player.objects.bulk_create(Player(key=key, name=key, search_name=key, created_at=NOW) for key in PEOPLE)
    Rating.objects.bulk_create(
        Rating(player=player, mode=mode, season=season, reached_at=NOW, display_hundredths=2500, mu=25.0)
        for player in players
    )
    teams = [{"name": "", "place": place, "score": None} for place in (1, 2)]
    for start in range(0, matches, 5_000):
        events = Event.objects.bulk_create(Event(mode=mode, kind=Event.MATCH, happened_at=NOW) for _ in range(5_000))
        written = Match.objects.bulk_create(
            Match(
                source=source, external_id=f"h{number}", digest=str(number), mode=mode, event=event, season=season,
                ended_at=NOW - dt.timedelta(days=1) + dt.timedelta(seconds=number / 2), teams=teams, received_at=NOW,
            )
            for number, event in enumerate(events, start)
        )  # fmt: skip
        Participation.objects.bulk_create(
            Participation(match=match, player=player, team=team, slot=0, place=team + 1, places=2)
            for match in written
            for team, player in enumerate(rng.sample(players, 2))
        )
    request_rerating(mode, reason="written", now=NOW)
    assert rerate(mode).error == ""


def told(mode):
    return dict(Rating.objects.filter(mode=mode).values_list("player", "mu"))


@pytest.mark.parametrize("matches", [2_000, pytest.param(100_000, marks=pytest.mark.long)])
def test_a_void_in_the_middle_of_a_long_history_while_results_come(matches):
    rng = random.Random(5)
    mode = make_mode(team_size_max=2)
    (live_history if matches < 10_000 else write_history)(rng, mode, matches)
    publish(mode, now=NOW)
    voided = Match.objects.get(external_id=f"h{matches // 2}")
    void([voided], by=None, reason="Cheated.", now=NOW)
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

    def rate_anew():
        start = time.perf_counter()
        try:
            return rerate(mode).error
        finally:
            over.set()
            log.info("%.1f s to rate %s matches anew", time.perf_counter() - start, f"{matches - matches // 2:,}")

    error, board, *senders = at_once([rate_anew, look, *(lambda s=s: send(s) for s in range(SENDERS))], SENDERS + 2)
    connection.close()
    assert error == ""
    assert len(set(board)) <= 1
    assert {status for _, answers in senders for status in answers} <= {200, 201, 202}
    statuses = Counter(status for _, answers in senders for status in answers)
    log.info("answers meanwhile: %s; boards read: %s", dict(statuses), len(board))
    assert statuses[202] > 0 or matches < 10_000
    assert Match.objects.count() == matches + sum(count for count, _ in senders)
    assert not Match.objects.filter(event=None).exists()
    assert not Change.objects.live().filter(match=voided).exists()
    publish(Mode.objects.get(), now=NOW)
    assert list(invariants.violations(NOW)) == []
    if matches < 10_000:
        lived = told(mode)
        assert alike(replayed_states(mode), {rating.player_id: rating.state for rating in Rating.objects.all()})
        request_rerating(mode, reason="once more", now=NOW)
        rerate(mode)
        assert alike(told(mode), lived)


def teams_of(keys):
    return [{"place": place, "players": [{"id": key}]} for place, key in enumerate(keys, 1)]
