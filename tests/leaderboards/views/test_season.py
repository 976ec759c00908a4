"""A player's season on one page: what it shows, to whom, at which cost; its picture and link preview."""

import datetime as dt
import io
from dataclasses import replace

import pytest
import time_machine
from django.utils import timezone
from django.utils.translation import override
from PIL import Image

from leaderboards.achievements.reading import read_mode
from leaderboards.display.numbers import rating_delta
from leaderboards.display.player_card import CardWriter
from leaderboards.profiles.cards import load_card
from leaderboards.summaries.sharing import load_season_card
from leaderboards.views.pictures import _font
from ranking.matches.forfeits import record_forfeit
from ranking.models import Change, Match, Mode, Player, Rating
from ranking.modes.changes import change_settings
from ranking.seasons.strikes import strike_ratings
from ranking.standings.publishing import publish
from tests.support.factories import LATER, NOW, make_mode, make_report, make_source, record, record_result
from tests.support.seasons import bring_along, end

pytestmark = pytest.mark.django_db
HOUR = dt.timedelta(hours=1)
PAGE, PICTURE = "/players/a/seasons/duel/1/", "/players/a/seasons/duel/1/card.png"


def make_seasons(slug="duel", **settings):
    """Season 1: a beats b twice, loses to c three times, beats b twice and c once. Running: b beats a three times."""
    began = NOW - 20 * HOUR
    mode = make_mode(slug, "elo", now=began, placement_after_reset=1, **settings)
    for hour, (winner, loser) in enumerate(("ab", "ab", "ca", "ca", "ca", "ab", "ab", "ac")):
        at = began + (hour + 1) * HOUR
        record([winner], [loser], mode=slug, ended_at=at, now=at, variant="Aerie" if hour < 6 else "Cellar")
        publish(mode, now=at)
    end(mode, at=began + 10 * HOUR)
    for hour in (11, 12, 13):
        record(["b"], ["a"], mode=slug, ended_at=began + hour * HOUR, now=began + hour * HOUR)
    publish(mode, now=NOW)


@pytest.fixture(scope="module")
def _mode(module_db):
    with time_machine.travel(LATER, tick=False):
        make_seasons()


@pytest.fixture
def mode(_mode, db):
    return Mode.objects.get(slug="duel")


def summary_of(client, address=PAGE):
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.context["summary"]


def test_the_final_standing_is_that_of_the_archive(client, mode):
    rating = Rating.objects.get(player__key="a", season__number=1)
    place = summary_of(client).place
    assert (place.standing.rank, place.standing.listed, place.medal) == (1, 3, 1)
    assert place.rating_text == f"{rating.published_hundredths / 100:.2f}"
    Rating.objects.filter(pk=rating.pk).update(display_hundredths=1, mu=0.0)
    assert summary_of(client).place.rating_text == place.rating_text


def test_the_moments_of_the_season_stand_in_the_order_of_time(client, mode):
    """The first match, what was earned in the season, the peaks, and where it ended."""
    read_mode(mode, NOW)
    numbers = {match.pk: number for number, match in enumerate(Match.objects.order_by("ended_at"))}
    summary = summary_of(client)
    moments = [(moment.title, numbers.get(moment.match_id)) for moment in summary.story.moments]
    assert (moments[0], moments[-1]) == (("First match", 0), ("End of the season", None))
    assert {("First win", 0), ("Placed", 0), ("Best rank", 1)} < set(moments)
    times = [moment.at for moment in summary.story.moments]
    assert times == sorted(times)
    assert ("Peak rating", numbers[summary.story.peak_rating.match_id]) in moments
    running = summary_of(client, PAGE.replace("/1/", "/2/"))
    titles = {moment.title for moment in running.story.moments}
    assert not titles & {"First win", "Placed", "End of the season"}
    assert [season.number for season in running.seasons] == [2, 1]
    assert (summary.place.won_percent, running.place.won_percent) == (62, 0)
    assert (summary.story.change.direction, running.story.change.direction) == ("up", "down")


def test_ranks_are_drawn_beside_ratings(client, mode):
    curve = summary_of(client).story.curve
    assert curve.ranks is not None
    assert [row.rank for row in curve.rows if row.rank][-1] == "#1"


def test_what_stands_out(client, mode):
    story = summary_of(client).story
    numbers = {match.pk: number for number, match in enumerate(Match.objects.order_by("ended_at"))}
    assert [(best.title, numbers[best.match.pk], best.against) for best in story.matches] == [
        ("Largest gain, least likely win", 7, "against c")
    ]
    assert (story.most_met.player.key, story.most_met.matches, story.most_met.wins) == ("b", 4, 4)
    assert (story.hardest.player.key, story.hardest.losses, story.hardest.matches) == ("c", 3, 4)
    assert [(each.name, each.matches, each.wins) for each in story.maps] == [("Aerie", 6, 3), ("Cellar", 2, 2)]
    assert (story.streak, numbers[story.peak_rating.match_id], story.limit) == (3, 1, None)
    assert story.curve is not None
    assert len(story.curve.rows) == 8


def test_matches_are_against_players_not_against_the_names_of_teams(client, mode):
    make_mode("team", now=NOW - HOUR)
    report = make_report(["a", "x"], ["b", "c", "d"], mode="team")
    own, other = report.teams
    teams = replace(own, name="Blue", score=3), replace(other, name="Amber", score=1)
    record_result(replace(report, teams=teams), source=make_source(), now=NOW)
    [best] = summary_of(client, "/players/a/seasons/team/1/").story.matches
    assert best.against == "3–1 against b and 2 others"


def test_the_curve_shows_what_was_no_match_too(client, mode):
    a, b = (Player.objects.get(key=key) for key in "ab")
    record_forfeit(mode, lobby="one", teams=[[a], [b]], player=a, reason="left", now=NOW)
    story = summary_of(client, "/players/a/seasons/duel/2/").story
    assert [row.words for row in story.curve.rows] == ["Reset", "Lost", "Lost", "Lost", "Forfeit"]
    live = Change.objects.live().filter(player=a, season__number=2).order_by("event", "pk")
    assert [row.rating for row in story.curve.rows] == [
        f"{after / 100:.2f}" for after in live.values_list("display_after", flat=True)
    ]
    first = live.filter(kind="match").first()
    assert story.change == rating_delta(first.display_before, live.last().display_after, 2)
    assert len(load_season_card("a", "duel", 2, LATER).curve) == 5


def test_the_curve_begins_with_what_was_brought_along(client, mode):
    new = make_mode("new", now=NOW - HOUR)
    bring_along(new, "a,,40\n", now=NOW - HOUR)
    record(["a"], ["b"], mode="new")
    publish(new, now=NOW)
    story = summary_of(client, "/players/a/seasons/new/1/").story
    assert [row.words for row in story.curve.rows] == ["Brought along", "Won"]


def test_more_than_two_teams_have_places_and_never_win_or_lose(client, mode):
    crowd = make_mode("crowd", team_count=3, team_size_max=1, params={"alpha": 1}, now=NOW - HOUR)
    for number, rosters in enumerate(("axy", "xay", "xya")):
        at = NOW - HOUR + dt.timedelta(minutes=number)
        record(*[[key] for key in rosters], mode="crowd", ended_at=at, now=at)
    publish(crowd, now=NOW)
    story = summary_of(client, "/players/a/seasons/crowd/1/").story
    assert story.curve is not None
    assert [row.words for row in story.curve.rows] == ["1st of 3", "2nd of 3", "3rd of 3"]
    assert [best.title for best in story.matches] == ["Largest gain"]


def test_the_running_season_so_far(client, mode):
    answer = client.get("/players/a/seasons/duel/2/")
    place = answer.context["place"]
    assert (place.standing.rank, place.medal) == (2, None)
    assert "so far" in answer.content.decode()


def test_what_is_not_there(client, mode):
    make_mode("fun", ranked=False)
    record(["a"], ["b"], mode="fun")
    addresses = [
        "/players/a/seasons/duel/3/", "/players/c/seasons/duel/2/", "/players/x/seasons/duel/1/",
        "/players/a/seasons/nope/1/", "/players/a/seasons/fun/1/", f"/players/a/seasons/duel/{10**12}/",
        "/players/a%00/seasons/duel/1/",
    ]  # fmt: skip
    pages = [address + more for address in addresses for more in ("", "card.png")]
    assert {page: client.get(page).status_code for page in pages} == dict.fromkeys(pages, 404)


def test_hidden_players_have_no_season_but_for_themselves(client, mode, log_in):
    Player.objects.filter(key="a").update(hidden_at=timezone.now())
    assert [client.get(address).status_code for address in (PAGE, PICTURE)] == [404, 404]
    log_in("a")
    assert [client.get(address).status_code for address in (PAGE, PICTURE)] == [200, 404]


def test_who_hides_their_matches_shows_where_they_ended_and_no_more(client, mode, log_in):
    Player.objects.filter(key="a").update(hides_matches=True)
    summary = summary_of(client)
    assert (summary.place.standing.rank, summary.story) == (1, None)
    assert load_season_card("a", "duel", 1, LATER).curve == ()
    log_in("a")
    assert summary_of(client).story is not None


def test_who_was_not_placed_has_no_rating(client, mode):
    own = Rating.objects.filter(player__key="a", season__number=1)
    own.update(listed=False, wins=0, draws=0, losses=0, placed_at=None)
    answer = client.get(PAGE)
    summary = answer.context["summary"]
    assert (summary.place.absence.reason, summary.place.rating_text, summary.story) == ("unplaced", "", None)


def test_a_mode_that_shows_no_ratings(client, mode):
    make_seasons("quiet", shows_rating=False)
    story = summary_of(client, "/players/a/seasons/quiet/1/").story
    assert (story.curve, story.peak_rating, list(story.matches)) == (None, None, [])
    assert story.peak_rank.text == "#1"


def test_it_shows_what_the_season_showed(client, mode):
    before = summary_of(client).place
    change_settings(mode, now=timezone.now(), shows_rating=False, shows_tier=False)
    place = summary_of(client).place
    assert (place.rating_text, place.standing) == (before.rating_text, before.standing)


def test_a_merged_player_leads_on(client, mode):
    kept = Player.objects.get(key="a")
    Player.objects.create(key="old", name="old", search_name="old", created_at=NOW, merged_into=kept, hidden_at=NOW)
    assert client.get("/players/old/seasons/duel/1/").headers["Location"] == PAGE


def test_who_was_struck_has_no_medal(client, mode):
    (rating,) = Rating.objects.filter(player__key="a", season__number=1)
    strike_ratings([rating.pk], by=None, reason="boosted", now=NOW)
    answer = client.get(PAGE)
    assert (answer.context["place"].standing.rank, answer.context["place"].medal) == (1, None)
    assert "earns no medal and no reward" in answer.content.decode()
    assert (load_season_card("a", "duel", 1, LATER).medal, load_card("a", "duel", LATER).medal) == (0, 0)


@pytest.mark.parametrize("more", [0, 30])
def test_queries(client, mode, django_assert_num_queries, more):
    began, page = NOW - 20 * HOUR, "/players/a/seasons/many/1/"
    many = make_mode("many", now=began)
    for number in range(1 + more):
        at = began + dt.timedelta(minutes=number)
        record(["a", "x"], [f"b{number}", "c"], mode="many", ended_at=at, now=at)
    end(many, at=began + HOUR)
    client.get(page)
    # player, rating, matches, two of companions, other steps, best matches, two of achievements, seasons, header
    with django_assert_num_queries(11):
        client.get(page)


def test_queries_of_the_picture(client, mode, django_assert_num_queries):
    client.get(PICTURE)
    with django_assert_num_queries(4):
        client.get(PICTURE)


def test_the_picture_and_the_preview(client, mode):
    text = client.get(PAGE).content.decode()
    assert f'<meta property="og:image" content="http://testserver{PICTURE}">' in text
    assert '<meta property="og:title" content="a · Duel · Season 1">' in text
    assert '<meta property="og:description" content="Rank 1 of 3, ' in text
    drawn = Image.open(io.BytesIO(client.get(PICTURE).content))
    assert (drawn.format, drawn.size) == ("PNG", (1200, 630))
    card = load_season_card("a", "duel", 1, LATER)
    assert (card.mode, card.rank, card.medal, card.medal_words) == ("Duel · Season 1", "#1", 1, "Season 1")
    assert len(card.curve) == 8


def test_the_picture_speaks_the_language_that_is_asked_for(client, mode):
    english, german = client.get(PICTURE), client.get(PICTURE + "?lang=de")
    assert german["ETag"] != english["ETag"]
    assert german.content != english.content
    with override("de"):
        card = load_season_card("a", "duel", 1, LATER)
        assert CardWriter(Image.new("RGB", (9, 9)), _font()).facts(card)[0][:2] == ("Rang unter 3", "#1")


def test_the_card_and_badge_of_the_running_season_show_the_best_medal(client, mode):
    card = load_card("a", "duel", LATER)
    assert (card.rank, card.medal, card.medal_words) == ("#2", 1, "Season 1")
    badge = client.get("/players/a/badge.svg").content.decode()
    assert "1st in Season 1" in badge
    assert 'fill="#e3b53a"' in badge
    Player.objects.filter(key="b").update(hidden_at=NOW)
    Rating.objects.filter(player__key="a", season__number=1).update(listed=False)
    assert load_card("a", "duel", LATER).medal == 0


def test_the_mark_stands_on_the_peak_and_not_on_a_rating_before_placement(client, mode):
    began = NOW - 20 * HOUR
    make_mode("slow", "elo", now=began, placement_matches=3)
    for hour, (winner, loser) in enumerate(("ab", "ba", "ba", "ab")):
        at = began + (hour + 1) * HOUR
        record([winner], [loser], mode="slow", ended_at=at, now=at)
    publish(Mode.objects.get(slug="slow"), now=NOW)
    story = summary_of(client, PAGE.replace("duel", "slow")).story
    ratings = [row.rating for row in story.curve.rows]
    assert max(ratings) == ratings[0] != story.peak_rating.text
    assert story.peak_rating.outdone
    drawn = story.curve.chart
    assert drawn.best == drawn.curves[0][ratings.index(story.peak_rating.text)]


def test_a_rank_that_others_changed_since_the_last_match_says_so(client, mode):
    page = PAGE.replace("/1/", "/2/").replace("/a/", "/b/")
    record(["b"], ["a"], mode="duel")
    publish(mode, now=NOW)
    assert summary_of(client, page).story.rank_after_last is None
    for _ in range(8):
        record(["x"], ["y"], mode="duel")
    publish(mode, now=NOW)
    summary = summary_of(client, page)
    assert (summary.place.standing.rank, summary.story.rank_after_last) == (2, 1)
    assert "#1 right after" in client.get(page).text


def test_the_page_says_whose_season_it_is_and_belongs_to_the_career(client, mode):
    text = client.get(PAGE).text
    heading = text.partition("<h1>")[2].partition("</h1>")[0]
    assert "/players/a/?mode=duel" in heading
    assert "Season 1" in heading
    assert '/players/a/career/?mode=duel" aria-current="true"' in text
