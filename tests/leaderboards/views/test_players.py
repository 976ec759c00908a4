import datetime as dt
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape
from pytest_django import DjangoAssertNumQueries

from leaderboards.achievements.counting import count_achievements
from leaderboards.boards.boards import get_board
from leaderboards.profiles._rating_curves import POINTS, RatingPoint, find_peak, make_curves
from leaderboards.profiles.matches.recent_matches import Recent
from leaderboards.profiles.profiles import Past, Profile
from ranking.matches.forfeits import record_forfeit
from ranking.models import Match, Mode, Player
from ranking.moderation.voids import restore, void
from ranking.operations.outbox import sweep
from ranking.rerating.reratings import rerate
from ranking.rules.report import PlayerReport
from ranking.standings.publishing import publish
from tests.support.factories import NOW, hide_player, make_mode, record
from tests.support.savepoints import rolled_back

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


def matches_of(client: Client, **query: str) -> Recent:
    listed = client.get("/players/me/matches/", query).context["listed"]
    assert listed.recent is not None
    recent: Recent = listed.recent
    return recent


@pytest.fixture
def duel() -> Mode:
    return make_mode("duel", team_size_max=1)


@pytest.mark.parametrize("matches", [1, 30])
def test_queries(client: Client, duel: Mode, django_assert_num_queries: DjangoAssertNumQueries, matches: int) -> None:
    play(matches)
    publish(duel, now=NOW)
    profile_of(client)
    with django_assert_num_queries(16):
        profile_of(client)


def test_the_way_to_the_next_tier(client: Client, duel: Mode) -> None:
    play(3)
    publish(duel, now=NOW)
    assert profile_of(client).tier_target is None  # nothing is above the highest tier
    target = profile_of(client, "rival-2").tier_target
    assert target is not None
    assert (target.points, target.tier.text, target.percent) == ("0.99", "Master", 1)
    assert "<b>0,99</b> bis Meister" in client.get("/players/rival-2/?lang=de").text
    Mode.objects.update(shows_rating=False)
    assert profile_of(client, "rival-2").tier_target is None


def test_a_rank_that_others_changed_since_the_last_match_says_so(client: Client, duel: Mode) -> None:
    record(["a"], ["b"], mode="duel", ended_at=NOW - dt.timedelta(hours=2))
    publish(duel, now=NOW)
    play(1)
    publish(duel, now=NOW)
    assert profile_of(client).rank_after_last is None
    for _ in range(2):
        record(["a"], ["b"], mode="duel")
    publish(duel, now=NOW)
    profile = profile_of(client)
    assert profile.standing is not None
    assert (profile.standing.rank, profile.rank_after_last) == (2, 1)
    assert "#1 right after" in client.get("/players/me/").text


def test_published_standing_with_the_live_rating_beside(client: Client, duel: Mode) -> None:
    play(1)
    publish(duel, now=NOW)
    play(1)
    profile = profile_of(client)
    assert profile.standing is not None
    assert (profile.standing.rank, profile.standing.listed, profile.published_rating) == (1, 2, "25.26")
    assert (profile.live_rating, profile.live_change and profile.live_change.text) == ("25.50", "+0.24")
    assert "live 25.50" in client.get("/players/me/").content.decode()


def test_any_key_has_a_page_and_links_lead_there(client: Client, duel: Mode) -> None:
    keys = ["a/b", "a//b", "/a", "a/", "a b", "ä€😀", "a%2Fb", "a?b=c", "a#b", "a&b;c", "'\"<b>", "a+b", "..a", "~:@"]
    led = {}
    for key in keys:
        with rolled_back():
            record([key], ["rival"])
            publish(duel, now=NOW)
            home = client.get("/").content.decode()
            around = client.get(f"/boards/duel/?around={quote(key, safe='')}")
            led[key] = (
                profile_of(client, key).player.key,
                f'href="{escape(reverse("leaderboards:player", args=[key]))}?mode=duel"' in home,
                around.context["page"].sought.player.key,
            )
    assert led == {key: (key, True, key) for key in keys}


def test_not_found(client: Client, duel: Mode) -> None:
    play(1)
    missing = ("/players/nobody/", "/players/%00/", "/players/me/?mode=other", "/players/me/?mode=%00")
    assert {url: client.get(url).status_code for url in missing} == dict.fromkeys(missing, 404)


def test_a_bad_cursor_is_no_error(client: Client, duel: Mode) -> None:
    play(1)
    cursors = ("x", "-1", "0", "9" * 18, "9" * 30, "%00", "²")
    statuses = {before: client.get(f"/players/me/matches/?before={before}").status_code for before in cursors}
    assert statuses == dict.fromkeys(cursors, 200)


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
    assert (profile.standing, profile.live_rating, past.peak) == (None, "", None)
    assert (past.curves.rating, past.curves.rank) == (None, None)
    assert not any(word in body for word in ("25.", "#1", "Top ", "tier-"))


@pytest.mark.parametrize(
    ("given", "nowhere"),
    [
        ({"shows_rating": False}, ["25.", "Rating"]),
        ({"shows_percentile": False}, ["Top ", "Top share", "meter"]),
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


def test_why_there_is_no_rank(client: Client) -> None:
    rows: list[tuple[dict[str, Any], int]] = [({"placement_matches": 10}, 0), ({}, 31), ({"activity_days": 1}, 2)]
    why = []
    for given, days_ago in rows:
        with rolled_back():
            mode = make_mode("duel", **given)
            record(["me"], ["rival"], ended_at=NOW - dt.timedelta(days=days_ago))
            publish(mode, now=NOW)
            profile = profile_of(client)
            assert profile.absence is not None
            why.append((profile.standing, profile.absence.reason, re.findall(r"\d+", profile.absence.words)))
    assert why == [(None, "unplaced", ["1", "10"]), (None, "inactive", ["30"]), (None, "inactive", ["1"])]


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
        recent = matches_of(client, **({"before": before} if before else {}))
        seen += [player.key for line in recent.lines for player in line.company.opponents]
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
    more = matches_of(client).more
    body = client.get("/players/me/matches/", {"before": str(more)}, HTTP_HX_REQUEST="true").content.decode()
    assert "<html" not in body
    assert body.count('class="line line-win"') == 5


def test_the_chart_has_a_point_for_each_match(client: Client, duel: Mode) -> None:
    play(12)
    curves = past_of(client).curves
    assert curves.rating is not None
    assert (len(curves.rating.curves[0]), len(curves.rows)) == (12, 12)
    assert (curves.rows[0].rating, curves.rows[0].result, curves.rows[-1].at) == ("25.26", "Won", NOW)


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
    assert past.curves.rank is not None
    assert [(row.rank, row.result) for row in past.curves.rows] == [
        ("", "Won"), ("#1", "Forfeit"), ("#2", "Forfeit"), ("#1", "Now")]  # fmt: skip
    assert len(past.curves.rank.curves[0]) == 3
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
        assert [player.key for player in line.company.opponents] == ["rival-1"]
        assert [result.kind for result in past.form] == ["win", "win"]
        assert len(past.curves.rows) == 2
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
    first = matches_of(client)
    older = matches_of(client, before=str(first.more))
    assert [line.word for line in first.lines] == ["Won"] * 15 + ["Void"] * 5
    assert ([line.word for line in older.lines], older.more) == (["Void"] * 5 + ["Won"] * 5, None)


def test_the_peak_counts_from_the_placement_on(client: Client) -> None:
    mode = make_mode("duel", team_size_max=1, placement_matches=3)
    play(1)
    for _ in range(2):
        record(["x"], ["me"])
    record(["me"], ["y"])
    publish(mode, now=NOW)
    past = past_of(client)
    assert past.peak is not None
    values = [row.rating for row in past.curves.rows]
    assert past.peak.rating == max(values[2:], key=float)
    assert float(past.peak.rating) < float(values[0])
    assert past.curves.rating is not None
    assert past.curves.rating.best == past.curves.rating.curves[0][values.index(past.peak.rating)]
    assert "Best since placement" in client.get("/players/me/").text


def test_a_stretch_of_time_draws_its_matches(client: Client, duel: Mode) -> None:
    for days in (40, 20, 10, 5, 1):
        record(["me"], ["rival"], ended_at=timezone.now() - dt.timedelta(days=days))
    assert {key: len(past_of(client, stretch=key).curves.rows) for key in ("7", "30", "season", "", "x")} == {
        "7": 2, "30": 4, "season": 5, "": 5, "x": 5}  # fmt: skip
    part = client.get("/players/me/", {"stretch": "7"}, HTTP_HX_REQUEST="true").text
    assert ("<html" in part, "2 points shown" in part) == (False, True)


def test_players_in_placement_read_why_nothing_is_drawn(client: Client, duel: Mode) -> None:
    Mode.objects.update(placement_matches=9)
    play(1)
    assert "fewer than two matches to draw" in client.get("/players/me/").text
    play(3)
    page = client.get("/players/me/").text
    sentences = ("These matches show no rating and no rank", "fewer than two matches to draw")
    assert [sentence in page for sentence in sentences] == [True, False]
    assert "Diese Matches zeigen weder Wertung noch Rang" in client.get("/players/me/?lang=de").text


def test_many_matches_are_thinned_but_keep_the_best(client: Client) -> None:
    points = [
        RatingPoint(number, "match", "win", 5_000 if number == 333 else number, None, NOW, None, None)
        for number in range(700)
    ]
    board = get_board(make_mode("duel", params={"alpha": 1}).slug)
    curves = make_curves(points, board, None, None, "season", NOW, live=True)
    assert (len(curves.rows), curves.thinned_from) == (POINTS + 1, 700)
    assert curves.rating is not None
    assert "50.00" in [row.rating for row in curves.rows]
    assert find_peak(points, 0) == points[333]


def test_tiers_are_bands_behind_the_curve(client: Client) -> None:
    mode = make_mode("duel", tier_least_listed=1)
    play(6)
    publish(mode, now=NOW)
    rating = past_of(client).curves.rating
    assert rating is not None
    assert [band.colour for band in rating.bands][-1] == "master"
    assert sum(band.height for band in rating.bands) <= 300


def test_what_is_still_to_earn_has_its_progress_and_how_many_have_it(client: Client, duel: Mode) -> None:
    play(2)
    record(["a"], ["b"])
    publish(duel, now=NOW)
    sweep(NOW)
    count_achievements()
    page = client.get("/players/me/").text
    assert re.search(r"<b>On a roll</b> <span>[^<]*\b3 matches\b", page)
    assert '<progress value="2" max="3" aria-label="On a roll"></progress> 2 of 3' in page
    assert '<progress value="2" max="100" aria-label="Steady"></progress> 2 of 100' in page
    assert re.search(r"<b>First win</b>.*?<small>40 % of ", page, re.DOTALL)
    Player.objects.filter(key="me").update(hides_matches=True)
    assert "<progress" not in client.get("/players/me/").text


def test_regions_have_names(client: Client, duel: Mode) -> None:
    names = {
        "eu": "Europe", "ap-east": "Asia-Pacific East", "us-east-2": "US East 2", "mars-1": "mars-1", "eu-x": "eu-x",
    }  # fmt: skip
    shown = {}
    for code in names:
        with rolled_back():
            record(["me"], ["rival"], region=code)
            shown[code] = re.findall(r'<dd class="record-region">(.*?)</dd>', client.get("/players/me/").text)
    assert shown == {code: [name] for code, name in names.items()}
