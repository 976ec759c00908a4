"""Boards of seasons that are over, and the list of a mode's seasons."""

import datetime as dt
import re

import pytest
import time_machine
from django.utils import timezone

from ranking.models import Ban, Mode, Player, Rating, Season
from ranking.modes.changes import change_settings
from ranking.rules.tiers import FIFTY
from ranking.seasons.strikes import strike_ratings
from ranking.standings.publishing import publish
from tests.support.factories import LATER, ban_player, make_mode, record
from tests.support.seasons import end, season_of

pytestmark = pytest.mark.django_db
HOUR, DAY = dt.timedelta(hours=1), dt.timedelta(days=1)


@pytest.fixture
def mode(_mode, db):
    """A season of a, b, c and d that is over, and the next one, in which c and e have played."""
    return Mode.objects.get()


@pytest.fixture(scope="module")
def _mode(module_db):
    with time_machine.travel(LATER, tick=False):
        make_two_seasons()


def make_two_seasons():
    began = timezone.now() - 10 * HOUR
    mode = make_mode(system="team-ratio", now=began, tier_least_listed=1)
    for winner, loser in ("ab", "ac", "ad", "bc"):
        record([winner], [loser], ended_at=began + HOUR, now=began + HOUR, region="eu")
    end(mode, at=began + 5 * HOUR)
    record(["c"], ["e"], ended_at=began + 6 * HOUR, now=began + 6 * HOUR)
    publish(mode, now=timezone.now())


def names(page):
    return [row.player.name for row in page.shown]


def test_the_board_of_a_season_that_is_over_stays(client, mode):
    answer = client.get("/boards/duel/?season=1")
    page = answer.context["page"]
    assert (names(page)[:2], {*names(page)[2:]}) == (["a", "b"], {"c", "d"})
    assert [row.movement for row in page.shown] == [None] * 4
    assert b"Season 1 is over" in answer.content
    assert names(client.get("/boards/duel/").context["page"]) == ["c", "e"]


def test_it_shows_what_it_showed_at_its_end(client, mode):
    before = client.get("/boards/duel/?season=1").context["page"]
    change_settings(mode, now=timezone.now(), tier_scheme=FIFTY, shows_rating=False)
    page = client.get("/boards/duel/?season=1").context["page"]
    assert [(row.rating, row.standing.tier) for row in page.shown] == [
        (row.rating, row.standing.tier) for row in before.shown
    ]
    assert client.get("/boards/duel/").context["page"].shown[0].rating == ""


def test_all_views_of_an_archived_board_lead_on_in_it(client, mode):
    found = {}
    for view in (
        "?season=1&region=eu",
        "?season=1&rank=2",
        "?season=1&around=d",
        "?season=1&q=b",
        "distribution/?season=1",
    ):
        answer = client.get(f"/boards/duel/{view}")
        text = answer.content.decode()
        main = text.partition("<main")[2].partition("</main>")[0]
        found[view] = answer.status_code, 'href="/boards/duel/?season=1"' in text, "/boards/duel/friends/" in main
    assert found == dict.fromkeys(found, (200, True, False))


def test_a_season_that_never_was_is_missing(client, mode):
    numbers = ("0", "3", "x", "-1", "1" * 30, "٣")
    statuses = {number: client.get(f"/boards/duel/?season={number}").status_code for number in numbers}
    assert statuses == dict.fromkeys(numbers, 404)


def test_the_viewer_is_told_of_that_season(client, mode, log_in):
    told = {}
    for key in "ea":
        log_in(key)
        own = client.get("/boards/duel/?season=1").context["page"].own
        absence = own.absence and (own.absence.reason, "Season 1" in own.absence.words)
        told[key] = absence, own.target
    assert told == {"e": (("elsewhere", True), None), "a": (None, None)}


def test_an_archived_board_costs_what_a_live_one_does(client, mode, django_assert_num_queries):
    for address in ("/boards/duel/?season=1", "/boards/duel/"):
        client.get(address)
        with django_assert_num_queries(3):
            client.get(address)


@pytest.mark.parametrize("more", [0, 4])
def test_seasons_are_listed_with_their_champions(client, mode, django_assert_num_queries, more):
    for number in range(more):
        at = season_of(mode).starts_at + dt.timedelta(minutes=10 + number)
        end(mode, at=at)
    client.get("/boards/duel/seasons/")
    with django_assert_num_queries(7):
        answer = client.get("/boards/duel/seasons/")
    lines = answer.context["page"].lines
    assert [line.season.number for line in lines] == list(range(2 + more, 0, -1))
    first = lines[-1]
    assert (first.listed, first.matches) == (4, 4)
    assert [(champion.rank, champion.name) for champion in first.champions][:2] == [(1, "a"), (2, "b")]


def test_the_list_shows_the_viewers_own_results(client, mode, log_in, django_assert_num_queries):
    """Of the season that runs, too, with its leaders."""
    told = {}
    for key in "ae":
        log_in(key)
        client.get("/boards/duel/seasons/")
        with django_assert_num_queries(12):
            answer = client.get("/boards/duel/seasons/")
        told[key] = [(line.season.number, own and own.standing.rank) for line, own in answer.context["lines"]]
    assert told == {"a": [(2, None), (1, 1)], "e": [(2, 2), (1, None)]}
    running, archived = answer.context["page"].lines
    assert [[each.name for each in best][:2] for best in (running.leaders, running.champions, archived.leaders)] == [
        ["c", "e"], [], [],
    ]  # fmt: skip
    assert client.get("/boards/duel/seasons/?before=2").context["lines"][0][1] is None


def test_the_page_about_seasons_shows_champions_and_ones_own_results(client, mode, log_in):
    assert [champion.name for last in client.get("/seasons/").context["last_seasons"] for champion in last.champions][
        :2
    ] == ["a", "b"]
    log_in("c")
    results = client.get("/seasons/").context["results"]
    assert [(each.board.season.number, each.standing.rank) for each in results] == [(2, 1), (1, 3)]


def test_a_champion_who_is_hidden_has_no_name(client, mode):
    Player.objects.filter(key="a").update(hidden_at=timezone.now())
    answer = client.get("/boards/duel/seasons/")
    assert [champion.name for champion in answer.context["page"].lines[-1].champions][:2] == ["", "b"]
    assert b"A hidden player" in answer.content


def test_the_row_of_a_player_who_is_hidden_has_no_name(client, mode):
    Player.objects.filter(key__in="ac").update(hidden_at=timezone.now())
    answer = client.get("/boards/duel/?season=1")
    assert names(answer.context["page"])[:3] == ["", "b", ""]
    text = answer.content.decode()
    assert ("A hidden player" in text, "/players/a/" in text, "/players/b/" in text) == (True, False, True)


def eyebrow(client, address="/boards/duel/"):
    """The line above the board's name, without tags."""
    line = client.get(address).content.decode().partition('<p class="eyebrow">')[2].partition("</p>")[0]
    return " ".join(re.sub("<[^>]*>", "", line).split())


def test_a_running_season_tells_when_it_ends(client, mode):
    season = season_of(mode)
    assert eyebrow(client) == "Season 2 · Global"
    season.ends_at = dt.datetime(2026, 6, 1, 18, tzinfo=dt.UTC)
    season.save()
    assert eyebrow(client) == "Season 2 · ends 1 Jun, 18:00 UTC (in 12 days) · Global"
    assert 'datetime="2026-06-01T18:00:00+00:00" data-local' in client.get("/boards/duel/").content.decode()
    assert eyebrow(client, "/boards/duel/?season=1") == "Season 1 · ended 20 May, 07:01 UTC · Global"


def test_a_closing_season_tells_when_the_next_begins(client, mode):
    season, now = season_of(mode), timezone.now()
    season.ends_at, season.late_until, season.state = now, now + dt.timedelta(minutes=4), Season.CLOSING
    season.save()
    text = re.sub("<[^>]*>", "", client.get("/boards/duel/").content.decode())
    assert "Season 3 begins in 4 minutes" in text
    assert eyebrow(client) == "Season 2 · ended 20 May, 12:01 UTC · Global"


def test_the_page_of_a_player_who_has_not_come_back_shows_where_they_ended(client, mode):
    answer = client.get("/players/a/?mode=duel")
    profile = answer.context["profile"]
    assert (profile.standing.rank, profile.board.season.number, profile.absence) == (1, 1, None)
    assert b"Season 1 is over" in answer.content
    assert b"/boards/duel/?season=1&amp;around=a" in answer.content
    assert client.get("/players/a/").context["board"].season.number == 1
    assert client.get("/players/c/?mode=duel").context["board"].season.number == 2
    assert client.get("/players/e/?mode=nonsense").status_code == 404


def test_the_page_of_who_hides_says_so(client, mode):
    Player.objects.filter(key="a").update(hidden_at=timezone.now())
    profile = client.get("/players/a/").context["profile"]
    assert (profile.absence.reason, profile.live_rating) == ("hidden", "")


def test_pages_say_why_somebody_is_not_on_the_final_board(client, mode):
    """Who was placed and then stayed away shows a rating as before; who wasn't placed or was hidden shows none."""
    began = timezone.now() - 10 * DAY
    other = make_mode("teams", now=began, placement_matches=2, activity_days=1, activity_matches=1)
    for winner, loser, days in [*[("away", "x", 0)] * 2, *[("x", "banned", 4)] * 2, ("x", "new", 4)]:
        at = began + days * DAY + HOUR
        record([winner], [loser], mode="teams", ended_at=at, now=at)
    ban_player(Player.objects.get(key="banned"), scope=Ban.BOARDS, by=None, reason="Boosted.", now=began + 4 * DAY)
    end(other, at=began + 5 * DAY)
    told = {}
    for key in ("x", "new", "away", "banned"):
        profile = client.get(f"/players/{key}/?mode=teams").context["profile"]
        summary = client.get(f"/players/{key}/seasons/teams/1/").context["summary"]
        assert profile.absence == summary.place.absence
        told[key] = profile.absence and profile.absence.reason, profile.live_rating != "", summary.story is not None
    assert told == {
        "x": (None, True, True),
        "new": ("unplaced", False, False),
        "away": ("inactive", True, True),
        "banned": ("hidden", False, False),
    }


@pytest.fixture
def struck(mode):
    """The champion of the first season, a, is struck from it."""
    strike_ratings(
        [Rating.objects.get(player__key="a", season__number=1).pk], by=None, reason="Cheating.", now=timezone.now()
    )


def test_a_struck_player_is_shown_so_and_no_rank_moves(client, mode, struck):
    for address in ("", "&around=a", "&region=eu", "&rank=1"):
        answer = client.get(f"/boards/duel/?season=1{address}")
        rows = [(row.player.name, row.rank, row.struck) for row in answer.context["page"].shown][:2]
        assert (address, rows) == (address, [("a", 1, True), ("b", 2, False)])
        text = answer.content.decode()
        marks = text.count('class="struck"'), "medal-1" in text, "medal-2" in text
        assert (address, marks) == (address, (1, False, True))


def test_a_search_tells_who_is_struck(client, mode, struck):
    assert client.get("/boards/duel/?season=1&q=a").context["hits"].hits[0].struck
    assert not client.get("/boards/duel/?season=1&q=b").context["hits"].hits[0].struck
    assert b'class="struck"' in client.get("/boards/duel/?season=1&q=a").content


def test_a_struck_champion_is_listed_as_struck(client, mode, struck):
    answer = client.get("/boards/duel/seasons/")
    assert [(each.name, each.rank, each.struck) for each in answer.context["page"].lines[-1].champions][:2] == [
        ("a", 1, True), ("b", 2, False),
    ]  # fmt: skip
    assert answer.content.count(b'class="struck"') == 1


def test_struck_players_see_so_on_their_own_row(client, mode, struck, log_in):
    for number in range(60):
        rating = Rating.objects.get(player__key="b", season__number=1)
        name = f"x{number}"
        rating.pk, rating.player = None, Player.objects.create(key=name, name=name, created_at=timezone.now())
        rating.published_hundredths = rating.display_hundredths = 10**6
        rating.save()
    log_in("a")
    own = client.get("/boards/duel/?season=1").context["page"].own
    assert (own.row.player.name, own.row.struck) == ("a", True)
