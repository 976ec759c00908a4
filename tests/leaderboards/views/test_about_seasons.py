"""The page that explains seasons to players, and what targets say."""

import datetime as dt
import re

import pytest

from leaderboards.seasons.rules import reset_words
from ranking.models import Season
from ranking.standings.publishing import publish
from ranking.systems.base import HARD, KEEP, SOFT, ResetRule
from tests.support.factories import NOW, make_mode, record
from tests.support.page_tree import read_page

pytestmark = pytest.mark.django_db


def text_of(answer):
    return " ".join(re.sub("<[^>]*>", " ", answer.content.decode()).split())


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (ResetRule(KEEP), "At the end, ratings stay as they are."),
        (ResetRule(SOFT, 1.0), "At the end, ratings stay as they are."),
        (ResetRule(HARD), "At the end, everybody goes back to the start."),
        (ResetRule(SOFT, 0.0), "At the end, everybody goes back to the start."),
        (ResetRule(SOFT, 0.5), "At the end, ratings move halfway back to the start."),
        (ResetRule(SOFT, 0.25), "At the end, ratings move 75 % of the way back to the start."),
    ],
)
def test_resets_in_words(rule, words):
    assert reset_words(rule) == words


@pytest.mark.parametrize("modes", [0, 1, 3])
def test_each_ranked_mode_with_its_rules(client, django_assert_num_queries, modes):
    make_mode("fun", ranked=False)
    for number in range(modes):
        make_mode(f"mode-{number}", placement_matches=10, placement_after_reset=3)
    Season.objects.filter(mode__slug="mode-0").update(ends_at=NOW + dt.timedelta(days=12), reset=HARD)
    client.get("/seasons/")
    with django_assert_num_queries(2):  # the header's boards, the rules
        answer = client.get("/seasons/")
    assert [(rule.mode.slug, rule.placement) for rule in answer.context["rules"]] == [
        (f"mode-{number}", 3 if number else 10) for number in range(modes)
    ]
    assert [f"/boards/mode-{number}/seasons/" in answer.text for number in range(modes)] == [True] * modes
    lines = [line for rules in read_page(answer.text).all("section.rules") for line in rules.all("li")]
    ends = [{time.attributes["datetime"] for time in line.all("time")} for line in lines]
    assert ends == [{"2026-06-01T12:00:00+00:00"}, set(), set()][:modes]
    assert [re.findall(r"in \d+ days", line.text) for line in lines] == [["in 12 days"], [], []][:modes]
    assert "Fun" not in text_of(answer)


def test_what_several_modes_do_at_the_end_is_said_once(client):
    for number in range(3):
        make_mode(f"mode-{number}", placement_matches=10, placement_after_reset=3)
    Season.objects.update(reset=SOFT, reset_factor=0.5)
    rule = re.compile(r"(halfway back|everybody goes back)[^.]*\. (\d+ matches)")
    assert rule.findall(text_of(client.get("/seasons/"))) == [("halfway back", "3 matches")]
    Season.objects.filter(mode__slug="mode-0").update(reset=HARD)
    assert rule.findall(text_of(client.get("/seasons/"))) == [
        ("everybody goes back", "10 matches"), ("halfway back", "3 matches"), ("halfway back", "3 matches"),
    ]  # fmt: skip


@pytest.fixture
def board(crowd, log_in):
    def make(key, **season):
        mode = crowd()
        Season.objects.filter(mode=mode).update(**season)
        log_in(key)

    return make


@pytest.mark.parametrize("ends_in", [None, 12])
def test_targets_say_how_far_behind_the_next_rank_one_is(client, board, ends_in):
    board("p0-55", ends_at=ends_in and NOW + dt.timedelta(days=ends_in))
    own = client.get("/boards/crowd/").context["page"].own.target
    for address in ("/boards/crowd/", "/"):
        assert f"{own.points} behind rank 55" in text_of(client.get(address))


def test_who_is_in_placement_sees_how_long_the_season_goes_on(client, log_in):
    mode = make_mode(placement_matches=3)
    record(["me"], ["b"])
    publish(mode, now=NOW)
    Season.objects.filter(mode=mode).update(ends_at=NOW + dt.timedelta(days=2, minutes=1))
    log_in("me")
    for address in ("/", "/boards/duel/"):
        text = text_of(client.get(address))
        assert ("Play 2 more" in text, "ends in 2 days" in text) == (True, True)
