import datetime as dt
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import escape
from pytest_django import DjangoAssertNumQueries

from leaderboards.profiles.profiles import Past, Profile
from ranking.matches.forfeits import record_forfeit
from ranking.models import Match, Mode, Player
from ranking.moderation.voids import restore, void
from ranking.players.players import hide_player
from ranking.rerating.reratings import rerate
from ranking.rules.report import PlayerReport
from ranking.standings.publishing import publish
from tests.support.factories import NOW, make_mode, record

pytestmark = pytest.mark.django_db


def play(times: int, mode: str = "duel", **more: Any) -> None:
    """`me` wins so many duels, the last at NOW."""
    for number in range(times):
        record(["me"], [f"rival-{number}"], mode=mode, ended_at=NOW - dt.timedelta(minutes=times - 1 - number), **more)


def profile_of(client: Client, key: str = "me", **query: str) -> Profile:
    response = client.get(reverse("leaderboards:player", args=[key]), query)
    assert response.status_code == 200
    profile: Profile = response.context["profile"]
    return profile


def past_of(client: Client, **query: str) -> Past:
    past = profile_of(client, **query).past
    assert past is not None
    return past


@pytest.fixture
def duel() -> Mode:
    return make_mode("duel", team_size_max=1)


@pytest.mark.parametrize("matches", [1, 30])
def test_queries(client: Client, duel: Mode, django_assert_num_queries: DjangoAssertNumQueries, matches: int) -> None:
    play(matches)
    publish(duel, now=NOW)
    profile_of(client)
    with django_assert_num_queries(12):
        profile_of(client)


def test_published_standing_with_the_live_rating_beside(client: Client, duel: Mode) -> None:
    play(1)
    publish(duel, now=NOW)
    play(1)
    profile = profile_of(client)
    assert profile.standing is not None
    assert (profile.standing.rank, profile.standing.listed, profile.published_rating) == (1, 2, "25.26")
    assert (profile.live_rating, profile.live_change and profile.live_change.text) == ("25.50", "+0.24")
    assert "live 25.50" in client.get("/players/me/").content.decode()


@pytest.mark.parametrize(
    "key", ["a/b", "a//b", "/a", "a/", "a b", "ä€😀", "a%2Fb", "a?b=c", "a#b", "a&b;c", "'\"<b>", "a+b", "..a", "~:@"]
)
def test_any_key_has_a_page_and_links_lead_there(client: Client, duel: Mode, key: str) -> None:
    record([key], ["rival"])
    publish(duel, now=NOW)
    assert profile_of(client, key).player.key == key
    home = client.get("/").content.decode()
    assert f'href="{escape(reverse("leaderboards:player", args=[key]))}?mode=duel"' in home
    around = client.get(f"/boards/duel/?around={quote(key, safe='')}")
    assert around.context["page"].sought.player.key == key


@pytest.mark.parametrize(
    "url", ["/players/nobody/", "/players/%00/", "/players/me/?mode=other", "/players/me/?mode=%00"]
)
def test_not_found(client: Client, duel: Mode, url: str) -> None:
    play(1)
    assert client.get(url).status_code == 404


@pytest.mark.parametrize("before", ["x", "-1", "0", "9" * 18, "9" * 30, "%00", "²"])
def test_a_bad_cursor_is_no_error(client: Client, duel: Mode, before: str) -> None:
    play(1)
    assert client.get(f"/players/me/?before={before}").status_code == 200


def test_the_mode_played_last_comes_first(client: Client, duel: Mode) -> None:
    make_mode("other")
    play(1)
    record(["me"], ["x"], mode="other", ended_at=NOW - dt.timedelta(hours=1))
    profile = profile_of(client)
    assert [rating.mode.slug for rating in profile.ratings] == ["duel", "other"]
    assert profile.rating.mode.slug == "duel"
    assert profile_of(client, mode="other").rating.mode.slug == "other"


def test_an_unranked_mode_shows_matches_and_no_numbers(client: Client) -> None:
    make_mode("casual", ranked=False, team_size_max=1)
    play(2, mode="casual")
    profile = profile_of(client)
    body = client.get("/players/me/").content.decode()
    past = past_of(client)
    assert [(line.word, line.change, line.rating, line.rank) for line in past.recent.lines] == [
        ("Won", None, "", None),
        ("Won", None, "", None),
    ]
    assert (profile.standing, profile.live_rating, past.rating_chart, past.rank_chart) == (None, "", None, None)
    assert not any(word in body for word in ("25.", "#1", "Top ", "tier-"))


@pytest.mark.parametrize(
    ("given", "nowhere"),
    [
        ({"shows_rating": False}, ["25.", "Rating"]),
        ({"shows_percentile": False}, ["Top ", "Percentile", "meter"]),
        ({"shows_tier": False}, ["tier-", "Tier"]),
    ],
)
def test_what_the_mode_does_not_show_is_nowhere(client: Client, given: dict[str, bool], nowhere: list[str]) -> None:
    mode = make_mode("duel", **given)
    play(3)
    publish(mode, now=NOW)
    body = client.get("/players/me/").content.decode()
    assert [word for word in nowhere if word in body] == []
    assert "#1" in body


@pytest.mark.parametrize(
    ("given", "days_ago", "words"),
    [
        ({"placement_matches": 10}, 0, "1 of 10 placement matches"),
        ({}, 31, "Hidden: no match in 30 days"),
        ({"activity_days": 1}, 2, "Hidden: no match in 1 day"),
    ],
)
def test_why_there_is_no_rank(client: Client, given: dict[str, Any], days_ago: int, words: str) -> None:
    mode = make_mode("duel", **given)
    record(["me"], ["rival"], ended_at=NOW - dt.timedelta(days=days_ago))
    publish(mode, now=NOW)
    profile = profile_of(client)
    assert (profile.standing, profile.absence and profile.absence.words) == (None, words)


def test_hidden_by_a_moderator(client: Client, duel: Mode) -> None:
    play(1)
    hide_player(Player.objects.get(key="me"), now=NOW)
    publish(duel, now=NOW)
    assert "Hidden by a moderator" in client.get("/players/me/").content.decode()


def test_counts_and_form(client: Client, duel: Mode) -> None:
    leaver = [PlayerReport(id="me", left_early=True)]
    record(["me"], ["a"])
    record(["me"], ["a"], places=[1, 1])
    record(["a"], ["me"])
    record(leaver, ["a"])
    profile = profile_of(client)
    rating = profile.rating
    assert (rating.wins, rating.draws, rating.losses, rating.leaves) == (1, 1, 1, 1)
    assert [result.kind for result in past_of(client).form] == ["win", "draw", "loss", "left"]


def test_recent_matches_page_by_page(client: Client, duel: Mode) -> None:
    play(45)
    seen, before, sizes = [], "", []
    while True:
        recent = past_of(client, **({"before": before} if before else {})).recent
        seen += [line.opponent.key for line in recent.lines if line.opponent]
        sizes.append(len(recent.lines))
        if recent.more is None:
            break
        before = str(recent.more)
    assert (seen, sizes) == ([f"rival-{number}" for number in reversed(range(45))], [20, 20, 5])


def test_a_line_tells_the_match(client: Client, duel: Mode) -> None:
    play(1)
    recent = past_of(client).recent
    line = recent.lines[0]
    assert line.match is not None
    assert (line.word, line.change and line.change.text, line.rating) == ("Won", "+0.26", "25.26")
    assert f'href="/matches/{line.match.pk}/"' in client.get("/players/me/").content.decode()


def test_htmx_gets_the_older_lines_only(client: Client, duel: Mode) -> None:
    play(25)
    recent = past_of(client).recent
    body = client.get("/players/me/", {"before": str(recent.more)}, HTTP_HX_REQUEST="true").content.decode()
    assert "<html" not in body
    assert body.count('class="line line-win"') == 5
    assert "5 older matches shown" in body


def test_the_chart_has_a_point_for_each_match(client: Client, duel: Mode) -> None:
    play(12)
    chart = past_of(client).rating_chart
    assert chart is not None
    assert len(chart.dots) == 12
    assert chart.dots[0].title.startswith("25.26 · win · 20 May 2026")


def test_a_forfeit_is_a_line_and_a_point_with_its_rank(client: Client, duel: Mode) -> None:
    play(1)
    publish(duel, now=NOW)
    me, rival = Player.objects.get(key="me"), Player.objects.get(key="rival-0")
    for number in range(2):
        record_forfeit(duel, lobby=f"L{number}", teams=[[me], [rival]], player=me, reason="Left.", now=NOW)
    past = past_of(client)
    lines = [(line.word, line.change and line.change.text, line.rating, line.rank) for line in past.recent.lines]
    assert lines == [
        ("Forfeit", "−0.26", "24.72", 2),
        ("Forfeit", "−0.28", "24.98", 1),
        ("Won", "+0.26", "25.26", None),
    ]
    assert past.rank_chart is not None
    titles = [dot.title.split(" · ")[:2] for dot in past.rank_chart.dots]
    assert titles == [["Rank 1", "forfeit"], ["Rank 2", "forfeit"], ["Rank 1", "now"]]
    page = client.get(reverse("leaderboards:player", args=["me"])).content.decode()
    assert '<span class="chip chip-forfeit">Forfeit</span>' in page
    assert '<span class="line-rank">#2</span>' in page


def test_a_player_without_matches(client: Client, log_in: Callable[[str], Player]) -> None:
    Player.objects.create(key="me", name="Me", search_name="me", created_at=NOW)
    assert profile_of(client).rating is None
    assert "No match yet" in client.get("/players/me/").content.decode()


def test_a_void_match_is_struck_out_with_a_word_and_in_no_curve(client: Client, duel: Mode) -> None:
    play(3)
    match = Match.objects.order_by("pk")[1]
    void([match], by=None, reason="Cheated.", now=NOW)
    for rated_anew in (False, True):
        if rated_anew:
            rerate(duel)
        past = past_of(client)
        assert [(line.word, line.match and line.match.pk == match.pk) for line in past.recent.lines] == [
            ("Won", False), ("Void", True), ("Won", False)]  # fmt: skip
        line = past.recent.lines[1]
        assert (line.outcome, line.change, line.rating, line.rank) == ("void", None, "", None)
        assert line.opponent is not None
        assert line.opponent.key == "rival-1"
        assert [result.kind for result in past.form] == ["win", "win"]
        assert past.rating_chart is not None
        assert len(past.rating_chart.dots) == 2
    page = client.get(reverse("leaderboards:player", args=["me"])).content.decode()
    assert page.count("line-void") == 1
    assert '<span class="chip chip-void">Void</span>' in page
    restore([match], by=None, reason="Mistaken.", now=NOW)
    rerate(duel)
    assert [line.word for line in past_of(client).recent.lines] == ["Won"] * 3


def test_void_matches_are_paged_with_the_others(client: Client, duel: Mode) -> None:
    play(30)
    void(Match.objects.order_by("pk")[5:15], by=None, reason="Cheated.", now=NOW)
    rerate(duel)
    first = past_of(client).recent
    older = past_of(client, before=str(first.more)).recent
    assert [line.word for line in first.lines] == ["Won"] * 15 + ["Void"] * 5
    assert ([line.word for line in older.lines], older.more) == (["Void"] * 5 + ["Won"] * 5, None)
