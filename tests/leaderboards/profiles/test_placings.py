"""More than two teams are shown by place, never as won and lost."""

import pytest
from django.test import Client

from leaderboards.postgame.postgame import PostGame
from leaderboards.profiles.profiles import Profile
from ranking.models import Match, Mode
from ranking.moderation.voids import void
from ranking.rules.report import PlayerReport
from ranking.standings.publishing import publish
from tests.support.api import call, make_key
from tests.support.factories import NOW, make_mode, record

pytestmark = pytest.mark.django_db


def free_for_all(teams: int = 6, **settings) -> Mode:
    return make_mode("ffa", "weng-lin", **{"team_count": teams, "team_size_max": 1, **settings})


def play(names: str, places=None, left: str = "", **more) -> Match:
    rosters = [[PlayerReport(id=name, left_early=name in left)] for name in names]
    return record(*rosters, mode="ffa", places=places, **more).record.match


def game_of(client: Client, match: Match) -> PostGame:
    return client.get(f"/matches/{match.pk}/").context["game"]


def profile_of(client: Client, key: str) -> Profile:
    return client.get(f"/players/{key}/?mode=ffa").context["profile"]


def test_ties_share_a_place_and_stand_in_the_order_of_teams(client):
    mode = free_for_all()
    stats = [PlayerReport(id=name, stats={"score": score}) for score, name in enumerate("abcdef")]
    match = record(*([player] for player in stats), mode="ffa", places=(4, 1, 2, 4, 3, 4)).record.match
    publish(mode, now=NOW)
    assert [(seat.player.key, seat.place, seat.finish.came) for seat in game_of(client, match).seats] == [
        ("b", 1, 1), ("c", 2, 2), ("e", 3, 3), ("a", 4, 4), ("d", 4, 4), ("f", 4, 4)]  # fmt: skip


def test_teams_stand_in_the_order_of_places_and_team_mates_by_their_scores(client):
    free_for_all(3, team_size_max=2)
    rosters = [
        [PlayerReport(id="a1", stats={"score": 1.0}), PlayerReport(id="a2", stats={"score": 5.0})],
        [PlayerReport(id="b1", stats={"score": 9.0}), PlayerReport(id="b2")],  # one has none: as in the roster
        [PlayerReport(id="c1", stats={"score": 2.0}), PlayerReport(id="c2", stats={"score": 3.0})],
    ]
    match = record(*rosters, mode="ffa", places=(2, 1, 2)).record.match
    game = game_of(client, match)
    assert [[seat.player.key for seat in side.seats] for side in game.ordered] == [
        ["b1", "b2"], ["a2", "a1"], ["c2", "c1"]]  # fmt: skip
    came = {seat.player.key: seat.finish.came for seat in game.seats}
    assert came == {"b1": 1, "b2": 1, "a2": 3, "a1": 4, "c2": 3, "c1": 4}


def test_players_of_teams_that_drew_share_their_places(client):
    """Scores tell team-mates apart, and nobody else."""
    make_mode("duel")
    rosters = [
        [PlayerReport(id=f"{team}{n}", stats={"score": n + rank}) for n in (0, 1)] for rank, team in enumerate("ab")
    ]
    match = record(*rosters, places=(1, 1)).record.match
    came = {seat.player.key: seat.finish.came for seat in game_of(client, match).seats}
    assert came == {"a0": 2, "a1": 1, "b0": 2, "b1": 1}


def test_a_void_match_keeps_its_order(client):
    free_for_all(3, team_size_max=2)
    rosters = [[PlayerReport(id=f"{team}{n}", stats={"score": n}) for n in (0, 1)] for team in "abc"]
    match = record(*rosters, mode="ffa", places=(3, 2, 1)).record.match
    void([match], by=None, reason="test", now=NOW)
    sides = game_of(client, match).ordered
    assert [[seat.player.key for seat in side.seats] for side in sides] == [["c1", "c0"], ["b1", "b0"], ["a1", "a0"]]
    answer = call("GET", f"matches/{match.pk}/post-game/", key=make_key("read"))
    told = {
        seat["player"]["id"]: (seat["place"], seat["places"])
        for team in answer.body["teams"]
        for seat in team["players"]
    }
    assert told == {"a0": (3, 3), "a1": (3, 3), "b0": (2, 3), "b1": (2, 3), "c0": (1, 3), "c1": (1, 3)}


def test_record_form_and_recent_matches(client):
    mode = free_for_all()
    play("abcdef", places=(1, 2, 3, 4, 4, 4))
    publish(mode, now=NOW)
    page = client.get("/players/f/?mode=ffa")
    profile, text = page.context["profile"], page.content.decode()
    form = [(result.kind, result.mark, result.words) for result in profile.past.form]
    assert (form, profile.rating.average_place, profile.rating.top_half_percent) == (
        [("lower", "4", "4th of 6")], "4.0", 0)  # fmt: skip
    [line] = profile.past.recent.lines
    assert (line.word, line.outcome, line.score) == ("4th", "lower", "4th of 6")
    assert [word in text for word in ("4.0 of 6", "4th </span>of 6", "Win rate", "chip-loss", ">Won<", ">Lost<")] == [
        True, True, False, False, False, False]  # fmt: skip


def test_the_record_counts_matches_firsts_podiums_top_halves_and_places(client):
    free_for_all()
    for places in ((1, 1, 3, 4, 5, 6), (2, 1, 3, 4, 5, 6), (4, 1, 2, 3, 5, 6)):
        play("abcdef", places=places)
    play("abcdef", left="a")
    rating = profile_of(client, "a").rating
    assert (rating.matches, rating.firsts, rating.podiums, rating.top_half_percent, rating.average_place) == (
        4, 1, 2, 50, "2.3")  # fmt: skip


def test_there_is_no_podium_of_fewer_than_six(client):
    free_for_all(5)
    play("abcde")
    assert "Podiums" not in client.get("/players/a/?mode=ffa").content.decode()


def test_recent_matches_and_post_game_tell_the_place_that_was_rated(client):
    """Whoever left comes last, so those behind them move up."""
    free_for_all(4)
    match = play("abcd", left="b")
    assert [profile_of(client, key).past.recent.lines[0].score for key in "abcd"] == [
        "1st of 4", "4th of 4", "2nd of 4", "3rd of 4"]  # fmt: skip
    assert [seat.player.key for seat in game_of(client, match).seats] == ["a", "c", "d", "b"]


@pytest.mark.parametrize(
    ("places", "streak"),
    [
        ("", 0),
        ("1", 1),
        ("23", 0),  # of four, 3rd isn't in the top half
        ("3122", 3),
        ("12x", 0),  # x: left early
        ("x12", 2),
        ("121", 3),
    ],
)
def test_the_streak_counts_top_halves(client, places, streak):
    free_for_all(4)
    play("abcd", places=(4, 3, 2, 1))
    for place in places:
        if place == "x":
            play("abcd", left="a")
        else:
            others = [number for number in range(1, 5) if number != int(place)]
            play("abcd", places=(int(place), *others))
    page = client.get("/players/a/?mode=ffa")
    assert page.context["profile"].past.streak == streak
    assert ("Top-half streak" in page.content.decode()) is (streak > 1)


def test_two_teams_have_a_streak_of_wins(client):
    make_mode("duel")
    for winner, loser in ("ab", "ab", "ba", "ab"):
        record([winner], [loser])
    past = client.get("/players/a/?mode=duel").context["profile"].past
    assert (past.streak, past.longest) == (1, 2)
    page = client.get("/players/a/?mode=duel").content.decode()
    assert ("Top-half streak" in page, "Longest streak" in page) == (False, True)


def test_a_streak_that_is_the_longest_says_so_itself(client):
    make_mode("duel")
    for winner, loser in ("ab", "ba", "ab", "ab"):
        record([winner], [loser])
    page = client.get("/players/a/?mode=duel").content.decode()
    assert ("2 <small>(longest)</small>" in page, "Longest streak" in page) == (True, False)


def test_curves_speak_of_places(client):
    free_for_all(4)
    play("abcd")
    play("dcba")
    play("abcd", left="a")
    rows = profile_of(client, "a").past.curves.rows
    assert [row.result for row in rows] == ["1st of 4", "4th of 4", "Left"]


def test_players_of_a_match_for_fun_read_their_place(client, django_user_model):
    free_for_all(3, ranked=False)
    match = play("abc")
    user = django_user_model.objects.create_user("me")
    match.participations.get(player__key="b").player.__class__.objects.filter(key="b").update(user=user)
    client.force_login(user)
    assert "2nd of 3" in client.get(f"/matches/{match.pk}/").content.decode()
