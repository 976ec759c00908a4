import io
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from PIL import Image
from pytest_django import DjangoAssertNumQueries

from leaderboards.postgame.postgame import PostGame
from leaderboards.postgame.seats import PlayerLine
from leaderboards.postgame.sharing import load_match_card
from ranking.models import Change, Forfeit, Match, Participation, Player
from ranking.moderation.corrections import correct_match
from ranking.moderation.voids import void
from ranking.rerating.reratings import rerate
from ranking.rules.report import PlayerReport
from ranking.standings.publishing import publish
from tests.support.factories import NOW, make_mode, make_report, make_source, record, record_result

pytestmark = pytest.mark.django_db


def game_of(client: Client, match: Match | None = None) -> PostGame:
    match = match or Match.objects.latest("pk")
    response = client.get(f"/matches/{match.pk}/")
    assert response.status_code == 200
    game: PostGame = response.context["game"]
    return game


def seats_of(game: PostGame) -> dict[str, PlayerLine]:
    return {seat.player.key: seat for seat in game.seats}


def roster(prefix: str, size: int, **more: Any) -> list[PlayerReport]:
    return [PlayerReport(id=f"{prefix}{number}", **more) for number in range(size)]


@pytest.mark.parametrize("size", [1, 6])
@pytest.mark.parametrize("system", ["team-ratio", "elo"])
def test_queries(client: Client, django_assert_num_queries: DjangoAssertNumQueries, size: int, system: str) -> None:
    make_mode("duel", system=system)
    record(roster("a", size), roster("b", size))
    match = Match.objects.get()
    with django_assert_num_queries(7 + 1):  # the newest snapshot, once in two seconds
        client.get(f"/matches/{match.pk}/")


def test_rating_rank_and_share_before_and_after(client: Client) -> None:
    mode = make_mode("duel")
    for winner, loser in [("a", "b"), ("c", "d"), ("a", "d")]:
        record([winner], [loser])
    publish(mode, now=NOW)
    record(["c"], ["a"])
    a = seats_of(game_of(client))["a"]
    part = Participation.objects.latest("pk")
    assert part.player.key == "a"
    assert a.rating is not None
    assert (a.rating.before, a.rating.after, a.rating.change and a.rating.change.text) == ("25.50", "25.23", "−0.27")
    assert a.rank is not None
    assert (a.rank.before, a.rank.after) == (str(part.rank_before), str(part.rank_after))
    assert a.top is not None
    assert (a.top.before, a.top.after) == ("Top 25 %", "Top 50 %")


def test_ranks_are_as_published_then_once_the_match_was_rated_anew(client: Client) -> None:
    mode = make_mode("duel")
    first = record(["a"], ["b"]).record
    publish(mode, now=NOW)
    record(["a"], ["b"])
    assert not game_of(client).as_then
    assert first is not None
    void([first.match], by=None, reason="x", now=NOW)
    rerate(mode)
    assert game_of(client).as_then
    number = Match.objects.latest("pk").pk
    assert "as published then" in client.get(f"/matches/{number}/").text


@pytest.mark.parametrize(
    ("places", "headline", "words"),
    [
        ([1, 2], "Blue won", ["Won", "Lost"]),
        ([2, 1], "Amber won", ["Lost", "Won"]),
        ([1, 1], "A draw", ["Draw", "Draw"]),
    ],
)
def test_who_won(client: Client, places: list[int], headline: str, words: list[str]) -> None:
    make_mode("duel")
    report = make_report(["a", "b"], ["c", "d"], places=places)
    teams = tuple(replace(team, name=name) for team, name in zip(report.teams, ("Blue", "Amber"), strict=True))
    record_result(replace(report, teams=teams), source=make_source(), now=NOW)
    game = game_of(client)
    assert (game.headline, [side.word for side in game.sides]) == (headline, words)


def test_a_team_that_left_whole_lost(client: Client) -> None:
    make_mode("duel")
    record([PlayerReport(id="quitter", left_early=True)], ["stayer"], places=[1, 2])
    game = game_of(client)
    assert (game.headline, [key for key, seat in seats_of(game).items() if seat.left_early]) == (
        "stayer won",
        ["quitter"],
    )


def test_ranked_and_came_among_everyone(client: Client) -> None:
    make_mode("duel")
    for winner, loser in [("a0", "b0"), ("a0", "b1"), ("a1", "b1")]:
        record([winner], [loser])
    scored = {"a0": 5.0, "a1": 9.0, "b0": 30.0, "b1": 1.0}
    rosters = [[PlayerReport(id=f"{team}{n}", stats={"score": scored[f"{team}{n}"]}) for n in (0, 1)] for team in "ab"]
    record(*rosters)
    finishes = {key: seat.finish for key, seat in seats_of(game_of(client)).items()}
    assert {key: found and (found.ranked, found.came, found.of) for key, found in finishes.items()} == {
        "a0": (1, 2, 4), "a1": (2, 1, 4), "b0": (3, 3, 4), "b1": (4, 4, 4),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("rosters", "missed"),
    [([["a"], ["b"]], "staying would have brought 0.16 more."), ([["b"], ["a"]], "leaving saved nothing.")],
)
def test_a_leaver_reads_what_staying_would_have_brought(
    client: Client, log_in: Callable[[str], Player], rosters: list[list[str]], missed: str
) -> None:
    """Who won ten times is at 1.50, the other at 1.00. Leaving costs 0.11, as losing does; winning would bring 0.05."""
    make_mode("duel", system="team-ratio")
    for _ in range(10):
        record(["a"], ["b"])
    gone = PlayerReport(id="a", seconds=300, left_early=True)
    record(*[[gone if key == "a" else key for key in roster] for roster in rosters], duration=600.0)
    log_in("a")
    text = client.get(f"/matches/{Match.objects.latest('pk').pk}/").text
    read = re.findall(r'<p class="hint">(This is rated [^<]*)</p>', text)
    why = "This is rated like staying and coming last, because leaving would have cost less."
    assert read == [f"{why} With this result, {missed}"]  # in the player's own card


def test_without_scores_a_team_comes_together(client: Client) -> None:
    make_mode("duel")
    record(["a", "b"], ["c", "d"])
    assert [seat.finish and seat.finish.came for seat in game_of(client).seats] == [1, 1, 3, 3]


def test_why_in_the_numbers_of_this_match(client: Client) -> None:
    make_mode("duel", system="team-ratio")
    record(["a", "b"], ["c", "d"])
    record(["c", "d"], ["a", "b"])
    for seat in game_of(client).seats:
        assert seat.why is not None
        factors = {reason.name: reason.value for reason in seat.why.reasons}
        assert list(factors) in (["Base wager", "Opposition"], ["Base wager", "Opposition", "Floor"])
        change = Change.objects.get(player=seat.player, match=Match.objects.latest("pk"))
        product = float(factors["Base wager"].replace("−", "-")) * float(factors["Opposition"][1:])
        if "Floor" not in factors:
            assert abs(100 * product - (change.display_after - change.display_before)) <= 1


def test_servers_are_named_like_the_regions_of_boards(client: Client) -> None:
    make_mode("duel")
    for server, words in (("eu-west-3", "Europe West 3"), ("Kestrel", "Kestrel")):
        record(["a"], ["b"], server=server)
        assert f'<span translate="no">{words}</span>' in client.get(f"/matches/{Match.objects.latest('pk').pk}/").text


def test_who_left_when_and_what_it_cost(client: Client) -> None:
    make_mode("duel", placement_matches=0)
    record([PlayerReport(id="quitter", left_early=True, seconds=247), "mate"], ["c", "d"], duration=600.0)
    game = game_of(client)
    leaver = seats_of(game)["quitter"]
    assert (leaver.left, leaver.rating and leaver.rating.change and leaver.rating.change.direction) == ("4:07", "down")
    assert '<span class="chip chip-left">left 4:07</span>' in client.get(f"/matches/{game.match.pk}/").text


def test_win_probability_of_two_teams(client: Client) -> None:
    make_mode("duel")
    make_mode("all", team_count=3, team_size_max=1)
    record(["a"], ["b"])
    assert [side.chance for side in game_of(client).sides] == [50, 50]
    record(["a"], ["b"], ["c"], mode="all")
    assert game_of(client).chances == []


def test_the_hero_is_the_viewer(client: Client, log_in: Callable[[str], Player]) -> None:
    make_mode("duel")
    record(["me"], ["b"])
    assert game_of(client).hero is None
    log_in("me")
    game = game_of(client)
    assert game.hero is not None
    assert "Victory" in client.get(f"/matches/{game.match.pk}/").content.decode()
    record(["x"], ["y"])
    assert game_of(client).hero is None


@pytest.mark.parametrize(
    ("given", "nowhere"),
    [
        ({"shows_rating": False}, ["25.", "Rating", "Why", "chance to win"]),
        ({"shows_percentile": False}, ["Top share", "Top "]),
        ({"ranked": False}, ["25.", "Rating", "Rank", "Top share", "Why", "chance to win", "Top "]),
    ],
)
def test_what_the_mode_does_not_show_is_nowhere(
    client: Client, log_in: Callable[[str], Player], given: dict[str, bool], nowhere: list[str]
) -> None:
    mode = make_mode("secret", **given)
    record(["me"], ["b"], mode="secret")
    publish(mode, now=NOW)
    record(["me"], ["b"], mode="secret")
    log_in("me")
    body = client.get(f"/matches/{Match.objects.latest('pk').pk}/").content.decode().split("<main")[1]
    assert [word for word in nowhere if word in body] == []


def test_recorded_and_not_rated_yet(client: Client) -> None:
    make_mode("duel")
    record(["a"], ["b"])
    match = Match.objects.get()
    Change.objects.all().delete()
    Match.objects.update(event=None, season=None)
    game = game_of(client, match)
    assert (game.rated, game.headline) == (False, "a won")
    assert "being rated" in client.get(f"/matches/{match.pk}/").content.decode()


@pytest.mark.parametrize("pk", ["0", "999999", "9" * 25, "9" * 5000])
def test_not_found(client: Client, pk: str) -> None:
    assert client.get(f"/matches/{pk}/").status_code == 404


def test_a_promotion_stands_on_the_page_of_who_was_promoted(client: Client, log_in: Callable[[str], Player]) -> None:
    make_mode("duel", tier_least_listed=2)
    record(["me"], ["b"])
    log_in("me")
    part = Participation.objects.filter(player__key="me")
    for before, after, listed, promoted in [
        (44, 45, 30, "Gold III"),
        (45, 53, 30, None),
        (45, 54, 30, "Gold II"),
        (60, 40, 30, None),
        (44, 45, 1, None),
        (None, 45, 30, None),
    ]:
        part.update(
            percentile_before=before, percentile_after=after, listed_before=before and listed, listed_after=listed,
            rank_before=before and 1, rank_after=1,
        )  # fmt: skip
        response = client.get(f"/matches/{Match.objects.get().pk}/")
        hero = response.context["game"].hero
        assert (hero.promotion and hero.promotion.label) == promoted
        assert ("Promoted to" in response.text) == (promoted is not None)


def test_who_comes_onto_the_board_reads_tier_and_rank(client: Client, log_in: Callable[[str], Player]) -> None:
    make_mode("duel", tier_least_listed=2)
    record(["me"], ["b"])
    log_in("me")
    part = Participation.objects.filter(player__key="me")
    for rank_before, listed, words in [
        (None, 30, 'You are on the board: <b class="tier-gold">Gold III</b>, rank <b>7</b>'),
        (None, 1, "You are on the board: rank <b>7</b>"),
        (8, 30, ""),
    ]:
        part.update(
            percentile_before=rank_before and 45, listed_before=rank_before and listed, rank_before=rank_before,
            percentile_after=45, listed_after=listed, rank_after=7,
        )  # fmt: skip
        text = client.get(f"/matches/{Match.objects.get().pk}/").text
        assert re.findall(r"You are on the board[^\n]*?(?=</span>)", text) == [words] * bool(words)


@pytest.mark.parametrize("teams", [2, 3])
def test_only_a_field_of_more_than_two_teams_is_compared(client: Client, teams: int) -> None:
    make_mode("duel", "weng-lin", team_count=teams, team_size_max=1)
    record(*[[key] for key in "abc"[:teams]])
    assert ("Against the field" in client.get(f"/matches/{Match.objects.get().pk}/").text) == (teams > 2)


def links_of(client: Client, match: Match) -> dict[str, str]:
    """Where the links to the matches before and after lead, by `rel`."""
    return dict(re.findall(r'rel="(prev|next)" href="([^"]+)"', client.get(f"/matches/{match.pk}/").text))


def test_the_matches_before_and_after(client: Client, log_in: Callable[[str], Player]) -> None:
    make_mode("duel")
    make_mode("other")
    pairs = ["ab", "cd", "ac", "bd"]
    matches = [record([one], [two], mode="duel").record.match for one, two in pairs]
    record(["a"], ["b"], mode="other")
    addresses = [f"/matches/{match.pk}/" for match in matches]
    assert links_of(client, matches[0]) == {"next": addresses[1]}
    assert links_of(client, matches[2]) == {"prev": addresses[1], "next": addresses[3]}
    log_in("a")
    assert links_of(client, matches[0]) == {"next": addresses[2]}
    assert links_of(client, matches[2]) == {"prev": addresses[0]}
    assert links_of(client, matches[1]) == {"prev": addresses[0], "next": addresses[2]}  # which `a` didn't play


@pytest.mark.parametrize("teams", [2, 8])
def test_a_match_has_a_picture(client: Client, teams: int) -> None:
    make_mode("duel", "weng-lin", team_count=teams)
    match = record(*([f"p{number} 東京"] for number in range(teams)), mode="duel", variant="Harbour").record.match
    card = load_match_card(match.pk, NOW)
    assert (card.about, len(card.teams), card.teams[0].first) == (f"Duel · Harbour · {NOW:%-d %b %Y}", teams, True)
    picture = client.get(f"/matches/{match.pk}/card.png")
    assert Image.open(io.BytesIO(picture.content)).size == (1200, 630)
    assert client.get(f"/matches/{match.pk}/card.png", headers={"If-None-Match": picture["ETag"]}).status_code == 304
    assert f'<meta property="og:image" content="http://testserver/matches/{match.pk}/card.png">' in client.get(
        f"/matches/{match.pk}/").text  # fmt: skip
    assert client.get("/matches/0/card.png").status_code == 404


def test_the_reasons_end_in_the_change_that_is_shown(client: Client) -> None:
    """Ratings are rounded, and so is the change between them; where the equation differs from it, a remark says why."""
    make_mode("duel")
    seen = set()
    for number in range(12):
        record([f"a{number % 3}"], [f"b{number % 4}"])
        game = game_of(client)
        page = client.get(f"/matches/{game.match.pk}/").text
        for seat in seats_of(game).values():
            assert seat.why is not None
            assert seat.rating is not None
            moved = float(seat.rating.after) - float(seat.rating.before)
            assert seat.rounded is (f"{moved:.2f}" != f"{seat.why.moved:.2f}")
            assert (f"(rounded: {seat.rating.before} → {seat.rating.after})" in page) is seat.rounded
            seen.add(seat.rounded)
    assert seen == {True, False}


def test_pages_of_matches_that_never_count_say_why_and_name_no_winner(client: Client) -> None:
    make_mode("duel")
    make_mode("four", team_size_max=1, team_count=4)
    gone = PlayerReport("z", seconds=0.0, left_early=True)
    bot, off = PlayerReport("x", bot=True), {"no_contest": "The map broke."}
    for teams, more, headline, words in (
        ([["a"], ["b"]], {**off, "places": [None] * 2}, "No contest", ["was called off", "The map broke."]),
        ([["a"], ["b"], ["c"], ["d"]], {**off, "mode": "four", "places": [None] * 4}, "No contest", ["The map broke."]),
        ([["a"], ["b"]], {"unrated": True}, "a won", ["This match isn’t rated"]),
        ([["a"], [gone]], {}, "a won", ["A walkover", "have forfeited the match"]),
        ([[gone], [replace(gone, id="y")]], {}, "Everybody left", ["Nobody ever played"]),
        ([["a"], [bot]], {}, "a won", ["One side had only bots", ">bot</span>"]),
    ):  # fmt: skip
        match = record(*teams, **more).record.match  # type: ignore[union-attr]
        page = client.get(f"/matches/{match.pk}/")
        text = page.content.decode()
        assert (page.context["game"].headline, [word for word in words if word not in text]) == (headline, [])
        assert client.get(f"/matches/{match.pk}/card.png").status_code == 200
    assert client.get("/").status_code == 200
    game = game_of(client, Match.objects.get(mode__slug="four"))
    assert [(side.place, side.word) for side in game.sides] == [(None, "")] * 4
    assert game.seats[0].finish is None


def test_who_played_reads_the_reason_of_a_match_that_was_called_off(client: Client) -> None:
    make_mode("duel")
    match = record(["a"], ["b"], no_contest="The map broke.", places=[None, None]).record.match  # type: ignore[union-attr]
    user = User.objects.create_user("owner")
    Player.objects.filter(key="a").update(user=user)
    client.force_login(user)
    text = client.get(f"/matches/{match.pk}/").content.decode()
    assert [words in text for words in ("The map broke.", "You played", "Defeat", "Victory", "came", "hero")] == [
        True, False, False, False, False, False,
    ]  # fmt: skip


def test_a_match_for_fun_says_how_it_went_and_that_there_are_no_ratings(
    client: Client, log_in: Callable[[str], Player]
) -> None:
    make_mode("fun", ranked=False)
    make_mode("four", ranked=False, team_size_max=1, team_count=4)
    scored = [PlayerReport(id=name, name=name, stats={"kills": 3.0}) for name in "ab"]
    matches = [
        record([scored[0]], [scored[1]], mode="fun"),
        record(["a"], ["b"], mode="fun", places=[1, 1]),
        record(["a"], [PlayerReport(id="b", left_early=True)], mode="fun"),
        record(["a"], ["b"], ["c"], ["d"], mode="four"),
    ]
    told: dict[str | None, list[list[str]]] = {}
    for name in (None, "a", "b"):
        if name is not None:
            log_in(name)
        pages = [client.get(f"/matches/{made.record.match.pk}/").text for made in matches]
        told[name] = [re.findall(r'class="hero-word">([^<]*)<', page) for page in pages]
        assert [page.count("Played for fun") for page in pages] == [1] * 4
        assert [re.findall("<th[^>]*>(?:Change|Rating|Rank|Score)</th>", page) for page in pages] == [[]] * 4
        assert [page.split("<main")[1].count("/players/c/") for page in pages] == [0, 0, 0, 1]
        assert pages[0].split("<main")[1].count('/players/a/?mode=fun"') == 1
    assert told == {
        None: [[], [], [], []],
        "a": [["Victory"], ["Draw"], ["Victory"], ["1st of 4"]],
        "b": [["Defeat"], ["Draw"], ["You left early"], ["2nd of 4"]],
    }


def test_a_match_that_does_not_count_has_no_columns_for_ratings_and_ranks(client: Client) -> None:
    mode = make_mode("duel", placement_matches=0)
    record(["a"], ["b"])
    publish(mode, now=NOW)
    match = record(["a"], ["b"]).record.match
    address = f"/matches/{match.pk}/"
    columns = ("Change</th>", "Rating</th>", "Rank</th>", "Top share")
    assert [column in client.get(address).text for column in columns] == [True] * 4
    void([match], by=None, reason="x", now=NOW)
    assert [column in client.get(address).text for column in columns] == [False] * 4


def test_who_never_came_to_a_walkover_is_led_to_what_it_cost(client: Client, log_in: Callable[[str], Player]) -> None:
    make_mode("duel")
    match = record(["a"], [PlayerReport("z", seconds=0.0, left_early=True)]).record.match
    link = f'<a href="/forfeits/{Forfeit.objects.get().pk}/">What it cost you</a>'
    for name, led in (("a", False), ("z", True)):
        log_in(name)
        assert (link in client.get(f"/matches/{match.pk}/").text) is led


def test_a_corrected_match_and_its_correction_link_to_each_other(client: Client) -> None:
    make_mode()
    old = record(["a"], ["b"]).record
    assert old is not None
    new = correct_match(old.match, make_report(["b"], ["a"]), by=None, reason="Typed wrong.", now=NOW)
    for one, other, words in ((old.match, new, "The corrected result"), (new, old.match, "As it was reported")):
        assert f'<a href="/matches/{other.pk}/">{words}</a>' in client.get(f"/matches/{one.pk}/").content.decode()
