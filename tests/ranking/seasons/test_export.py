"""The standings of a season as a CSV file: in order, nameless where a player is, and safe in a spreadsheet."""

import csv
import datetime as dt
import io

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from ranking.models import Mode, Player, Rating, Season
from ranking.modes.changes import change_settings
from ranking.seasons.final_standings import load_standings
from ranking.seasons.strikes import strike_ratings
from ranking.standings.publishing import publish
from tests.support.api import walk
from tests.support.factories import make_mode, record
from tests.support.seasons import end, season_of

pytestmark = pytest.mark.django_db
HOUR = dt.timedelta(hours=1)


@pytest.fixture(scope="module", autouse=True)
def _mode(module_db):
    """A season that is over, of a, b, c and =d, and one that runs, in which c has beaten a."""
    began = timezone.now() - 10 * HOUR
    mode = make_mode(system="team-ratio", now=began)
    for winner, loser in (("a", "b"), ("a", "c"), ("a", "=d"), ("b", "c")):
        record([winner], [loser], ended_at=began + HOUR, now=began + HOUR)
    end(mode, at=began + 2 * HOUR)
    record(["c"], ["a"], ended_at=began + 3 * HOUR, now=began + 3 * HOUR)
    publish(mode, now=timezone.now())


@pytest.fixture
def mode(db):
    return Mode.objects.get()


def export(*arguments):
    out, err = io.StringIO(), io.StringIO()
    call_command("export_season", *arguments, stdout=out, stderr=err)
    return list(csv.DictReader(io.StringIO(out.getvalue()))), err.getvalue()


def test_the_last_season_that_is_over_in_order(mode):
    lines, said = export("duel")
    assert [(line["rank"], line["player"], line["rating"]) for line in lines] == [
        ("1", "a", "1.15"), ("2", "b", "1.05"), ("3", "c", "1.00"), ("3", "'=d", "1.00")]  # fmt: skip
    assert lines[0] == {
        "rank": "1", "player": "a", "name": "a", "rating": "1.15", "percentile": "100", "tier": "Master",
        "matches": "3", "wins": "3", "draws": "0", "losses": "0", "leaves": "0", "struck": "",
        "state": "final",
    }  # fmt: skip
    assert said == ""


def test_its_order_is_that_of_the_pages_of_the_api(mode):
    lines, _ = export("duel", "1")
    assert [line["player"].lstrip("'") for line in lines] == [
        row["player"]["id"] for row in walk("boards/duel/?season=1")
    ]


def test_a_running_season_is_preliminary(mode):
    lines, said = export("duel", "--season", "2")
    assert [(line["rank"], line["player"], line["state"]) for line in lines] == [
        ("1", "c", "preliminary"), ("2", "a", "preliminary")]  # fmt: skip
    assert said.startswith("Season 2 of duel ")


def test_a_hidden_player_keeps_the_rank_without_id_and_name(mode):
    Player.objects.filter(key="a").update(hidden_at=timezone.now())
    line = export("duel")[0][0]
    assert (line["rank"], line["player"], line["name"], line["rating"]) == ("1", "", "", "1.15")


def test_who_is_struck_keeps_the_rank_and_is_marked(mode):
    rating = Rating.objects.get(player__key="a", season__number=1)
    strike_ratings([rating.pk], by=None, reason="Bought.", now=timezone.now())
    assert [(line["rank"], line["struck"]) for line in export("duel")[0]][:2] == [("1", "yes"), ("2", "")]


def test_it_shows_what_the_mode_showed_and_ratings_always(mode):
    before = export("duel", "1")
    change_settings(mode, now=timezone.now(), shows_rating=False, shows_tier=False)
    assert export("duel", "1") == before


def test_into_a_file(mode, tmp_path):
    target = tmp_path / "rewards.csv"
    assert export("duel", "--output", str(target)) == ([], "")
    assert len(target.read_text().splitlines()) == 5
    with pytest.raises(CommandError, match=r"rewards\.csv"):
        export("duel", "--output", str(tmp_path / "missing" / "rewards.csv"))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [(("chess",), "There is no mode 'chess'."), (("duel", "7"), "duel has no season 7."),
     (("new",), "new has no season that is over."), (("duel", "1", "--season", "1"), "Give the season's number once.")],
)  # fmt: skip
def test_what_is_refused(mode, arguments, sentence):
    make_mode("new")
    with pytest.raises(CommandError) as refused:
        export(*arguments)
    assert (str(refused.value), refused.value.returncode) == (sentence, 2)


def test_a_query_for_each_chunk_and_nobody_twice(mode, django_assert_num_queries):
    standings = load_standings(Season.objects.select_related("mode").get(number=1))
    whole = list(standings.rows())
    assert (len(whole), len({row.key for row in whole})) == (4, 4)
    for chunk, queries in ((1, 5), (2, 3), (3, 2), (5, 1)):
        with django_assert_num_queries(queries):
            assert list(standings.rows(chunk=chunk)) == whole
    with django_assert_num_queries(1):
        assert list(standings.rows(2)) == whole[:2]


def test_the_button_downloads_the_same_file(admin_client, mode):
    season = Season.objects.get(number=1)
    page = admin_client.get(reverse("admin:ranking_season_change", args=[season.pk])).content.decode()
    address = reverse("admin:ranking_season_standings", args=[season.pk])
    assert f'href="{address}"' in page
    assert (
        f'href="{address}"' in admin_client.get(reverse("admin:ranking_mode_change", args=[mode.pk])).content.decode()
    )
    answer = admin_client.get(address)
    assert answer.streaming
    assert answer["Content-Disposition"] == 'attachment; filename="duel-season-1-final.csv"'
    assert list(csv.DictReader(io.StringIO(answer.getvalue().decode()))) == export("duel", "1")[0]
    running = admin_client.get(reverse("admin:ranking_season_standings", args=[season_of(mode).pk]))
    assert running["Content-Disposition"] == 'attachment; filename="duel-season-2-preliminary.csv"'
