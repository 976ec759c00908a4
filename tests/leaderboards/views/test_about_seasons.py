"""The page that explains seasons to players, and what targets say of the season's end."""

import datetime as dt
import re

import pytest

from leaderboards.seasons.rules import reset_words
from ranking.models import Season
from ranking.standings.publishing import publish
from ranking.systems.base import HARD, KEEP, SOFT, ResetRule
from tests.support.factories import NOW, make_mode, record

pytestmark = pytest.mark.django_db


def text_of(answer):
    return " ".join(re.sub("<[^>]*>", " ", answer.content.decode()).split())


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (ResetRule(KEEP), "Your rating stays as it was."),
        (ResetRule(SOFT, 1.0), "Your rating stays as it was."),
        (ResetRule(HARD), "You begin anew, with a newcomer’s rating."),
        (ResetRule(SOFT, 0.0), "You begin anew, with a newcomer’s rating."),
        (ResetRule(SOFT, 0.25), "Your rating keeps 25 % of its distance from a newcomer’s rating."),
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
    text = text_of(answer)
    assert ("Season 1 ends 1 Jun, 12:00 UTC ( in 12 days )" in text) is (modes > 0)
    assert ("Fun" in text, "Season 1 has no end yet." in text) == (False, modes > 1)


@pytest.fixture
def board(crowd, log_in):
    def make(key, **season):
        mode = crowd()
        Season.objects.filter(mode=mode).update(**season)
        log_in(key)

    return make


def test_targets_say_until_when_they_count(client, board):
    board("p0-55", ends_at=NOW + dt.timedelta(days=12))
    own = client.get("/boards/crowd/").context["page"].own.target
    assert f"{own.points} to rank 55 by 1 Jun" in text_of(client.get("/boards/crowd/"))
    home = text_of(client.get("/"))
    assert (f"{own.points} to rank 55 by 1 Jun" in home, "Season 1 ends in 12 days" in home) == (True, True)


@pytest.mark.parametrize("state", [Season.RUNNING, Season.CLOSING])
def test_targets_without_an_end_ahead(client, board, state):
    at = NOW + dt.timedelta(seconds=30)
    closing = {"ends_at": at, "late_until": at, "state": state} if state == Season.CLOSING else {}
    board("p0-55", **closing)
    own = client.get("/boards/crowd/").context["page"].own.target
    text = text_of(client.get("/boards/crowd/"))
    assert (f"{own.points} to rank 55" in text, f"{own.points} to rank 55 by" in text) == (True, False)
    assert f"{own.points} to rank 55" in text_of(client.get("/"))


def test_who_is_in_placement_sees_how_long_the_season_goes_on(client, log_in):
    mode = make_mode(placement_matches=3)
    record(["me"], ["b"])
    publish(mode, now=NOW)
    Season.objects.filter(mode=mode).update(ends_at=NOW + dt.timedelta(days=2, minutes=1))
    log_in("me")
    for address in ("/", "/boards/duel/"):
        text = text_of(client.get(address))
        assert ("Play 2 more to be placed." in text, "Season 1 ends in 2 days" in text) == (True, True)
