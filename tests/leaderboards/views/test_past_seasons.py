"""A player's archived seasons on their page: lines, the best season, medals; what hidden players keep."""

import datetime as dt

import pytest
import time_machine
from django.utils import timezone

from ranking.models import Mode, Player, Rating
from ranking.modes.changes import change_settings
from ranking.rules.tiers import FIFTY
from ranking.seasons.strikes import lift_strikes, strike_ratings
from ranking.standings.publishing import publish
from ranking.standings.snapshots import final_standings
from tests.support.factories import LATER, NOW, make_mode, record
from tests.support.seasons import end

pytestmark = pytest.mark.django_db
HOUR = dt.timedelta(hours=1)


@pytest.fixture
def mode(_mode, db):
    """Two seasons that are over, and a running one that only c has come back for.

    Final standings: a, b, c, d, then c, a.
    """
    return Mode.objects.get()


@pytest.fixture(scope="module")
def _mode(module_db):
    with time_machine.travel(LATER, tick=False):
        make_three_seasons()


def make_three_seasons():
    began = NOW - 20 * HOUR
    mode = make_mode(now=began, placement_after_reset=1)
    for hour, (winner, loser) in enumerate(("ab", "ac", "bc", "cd")):
        at = began + (hour + 1) * HOUR
        record([winner], [loser], ended_at=at, now=at)
    end(mode, at=began + 10 * HOUR)
    for hour in (11, 12, 13):
        record(["c"], ["a"], ended_at=began + hour * HOUR, now=began + hour * HOUR)
    end(mode, at=began + 15 * HOUR)
    record(["c"], ["e"], ended_at=began + 16 * HOUR, now=began + 16 * HOUR)
    publish(mode, now=NOW)


def seasons_of(client, key):
    return client.get(f"/players/{key}/?mode=duel").context["seasons"]


def lines_of(client, key):
    lines = seasons_of(client, key).lines
    return [(line.board.season.number, line.standing and line.standing.rank, line.rating_text) for line in lines]


def test_a_line_a_season(client, mode):
    ratings = {
        (rating.season.number, rating.player.key): rating.published_hundredths / 100
        for rating in Rating.objects.select_related("season", "player").filter(listed=True)
    }
    assert lines_of(client, "c") == [(2, 1, f"{ratings[2, 'c']:.2f}"), (1, 3, f"{ratings[1, 'c']:.2f}")]
    assert lines_of(client, "a") == [(2, 2, f"{ratings[2, 'a']:.2f}"), (1, 1, f"{ratings[1, 'a']:.2f}")]
    assert lines_of(client, "e") == []


def test_medals_stand_beside_the_name(client, mode):
    medals, drawn = {}, {}
    for key in "abcde":
        answer = client.get(f"/players/{key}/?mode=duel")
        medals[key] = [medal.words for medal in answer.context["seasons"].medals]
        drawn[key] = answer.text.partition("<h1>")[2].partition("</h1>")[0].count('<svg class="medal')
    assert medals == {
        "a": ["Champion of Season 1", "2nd in Season 2"], "b": ["2nd in Season 1"],
        "c": ["Champion of Season 2", "3rd in Season 1"], "d": [], "e": [],
    }  # fmt: skip
    assert drawn == {key: len(words) for key, words in medals.items()}


def test_the_best_season_and_the_ways_to_the_boards(client, mode):
    text = " ".join(client.get("/players/a/?mode=duel").content.decode().split())
    assert "Best: <b>#1</b> in Season 1" in text
    assert "/boards/duel/?season=1&amp;around=a" in text
    assert "/boards/duel/?season=2&amp;around=a" in text


def test_who_was_not_on_the_board_has_a_line_without_rank_and_rating(client, mode):
    Rating.objects.filter(player__key="d").update(listed=False)
    assert lines_of(client, "d") == [(1, None, "")]
    assert "not ranked" in client.get("/players/d/").content.decode()


def test_a_line_shows_what_the_season_showed(client, mode):
    tiers = [line.standing.tier for line in seasons_of(client, "a").lines]
    change_settings(mode, now=timezone.now(), tier_scheme=FIFTY, shows_rating=False)
    seasons = seasons_of(client, "a")
    assert [line.standing.tier for line in seasons.lines] == tiers
    assert all(line.rating_text for line in seasons.lines)


def test_hidden_players_keep_their_seasons_to_themselves(client, mode, log_in):
    Player.objects.filter(key="a").update(hidden_at=timezone.now())
    answer = client.get("/players/a/?mode=duel")
    assert (answer.context["seasons"].lines, b"medal" in answer.content) == ((), False)
    log_in("a")
    assert [number for number, *_ in lines_of(client, "a")] == [2, 1]


def test_who_was_struck_keeps_the_rank_without_a_medal(client, mode):
    (rating,) = Rating.objects.filter(player__key="a", season__number=1)
    strike_ratings([rating.pk], by=None, reason="boosted", now=NOW)
    seasons = seasons_of(client, "a")
    assert [(line.standing.rank, line.struck, line.medal) for line in seasons.lines] == [(2, False, 2), (1, True, None)]
    assert (seasons.best.board.season.number, [medal.rank for medal in seasons.medals]) == (2, [2])
    assert "struck" in client.get("/players/a/?mode=duel").content.decode()
    lift_strikes([rating.pk], by=None, reason="they didn't", now=NOW)
    assert [medal.rank for medal in seasons_of(client, "a").medals] == [1, 2]


@pytest.mark.parametrize("more", [0, 3])
def test_queries(client, mode, django_assert_num_queries, more):
    for number in range(more):
        at = NOW - (3 - number / 2) * HOUR
        end(mode, at=at)
        record(["c"], ["e"], ended_at=at + HOUR / 4, now=at + HOUR / 4)
    publish(mode, now=NOW)
    client.get("/players/c/?mode=duel")
    with django_assert_num_queries(17):
        client.get("/players/c/?mode=duel")


def test_the_first_look_reads_all_tables_at_once(client, mode, django_assert_num_queries):
    client.get("/players/c/?mode=duel")
    final_standings.cache_clear()
    with django_assert_num_queries(18):
        client.get("/players/c/?mode=duel")


def test_a_first_season_costs_no_query(client, mode, django_assert_num_queries):
    make_mode("fresh")
    record(["a"], ["b"], mode="fresh")
    client.get("/players/a/?mode=fresh")
    with django_assert_num_queries(17):
        assert client.get("/players/a/?mode=fresh").context["seasons"].lines == ()
