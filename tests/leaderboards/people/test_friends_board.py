"""The viewer among those they follow, as data: places, movement, who is below the line, pages."""

import datetime as dt

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from leaderboards.models import Following
from leaderboards.people.following import follow_player
from ranking.database.microseconds import Microseconds, moment_at
from ranking.models import Ban, Mode, Player, Rating
from ranking.standings.publishing import publish
from tests.support.api import Answer, follow, get, make_token
from tests.support.factories import make_mode, record
from tests.support.seasons import end

pytestmark = pytest.mark.django_db
DAY = dt.timedelta(days=1)


def make_board(players: int, **settings) -> Mode:
    """A published board of p0000, p0001, …, best first."""
    mode = make_mode(team_count=players, team_size_max=1, params={"alpha": 1}, **settings)
    record(*[[f"p{number:04}"] for number in range(players)], ended_at=timezone.now())
    publish(mode, now=timezone.now())
    return mode


def player(number: int) -> Player:
    return Player.objects.get(key=f"p{number:04}")


def befriend(viewer: int, *others: int) -> str:
    """The token of somebody who follows these."""
    for other in others:
        follow_player(player(viewer), player(other), now=timezone.now())
    return make_token(player(viewer))


def board(token: str, query: str = "") -> Answer:
    return get(f"boards/duel/?friends=me{query}", key=token)


def told(answer: Answer) -> list[tuple]:
    return [(int(row["player"]["id"][1:]), row["rank"], row["global_rank"]) for row in answer.body["items"]]


def test_ranks_among_friends_beside_those_among_everyone():
    make_board(20)
    token = befriend(7, 3, 12)
    answer = board(token)
    assert told(answer) == [(3, 1, 4), (7, 2, 8), (12, 3, 13)]
    assert (answer.body["listed"], answer.body["next"], answer.body["previous"]) == (3, None, None)


def test_percentile_and_tier_are_those_among_everyone():
    make_board(20)
    row = board(befriend(19)).body["items"][0]
    assert (row["rank"], row["percentile"], row["top_percent"]) == (1, 1, 100)


def test_a_friends_movement_is_among_the_friends_of_today():
    mode = make_mode(system="elo", team_count=4, team_size_max=1)
    yesterday = timezone.now() - DAY
    record(["p0000"], ["p0001"], ["p0002"], ["p0003"], now=yesterday, ended_at=yesterday)
    publish(mode, now=yesterday)
    for _ in range(5):
        record(["p0002"], ["p0003"], ["p0001"], ["p0000"], now=timezone.now(), ended_at=timezone.now())
    publish(mode, now=timezone.now())
    rows = board(befriend(2, 1)).body["items"]
    assert [(row["player"]["id"], row["rank"], row["rank_day_ago"]) for row in rows] == [
        ("p0002", 1, 2), ("p0001", 2, 1),
    ]  # fmt: skip


def test_who_is_not_listed_comes_below_the_line_with_the_reason():
    mode = make_board(6)
    Rating.objects.filter(player__key="p0002").update(active_until=timezone.now() - DAY, to_publish=True)
    Player.objects.filter(key="p0003").update(hidden_at=timezone.now())
    Rating.objects.filter(player__key="p0003").update(to_publish=True)
    publish(mode, now=timezone.now())
    Player.objects.create(key="p0009", name="New", search_name="new", created_at=timezone.now())
    token = befriend(0, 2, 3, 5, 9)
    rows = board(token).body["items"]
    assert [(row["player"]["id"], row["rank"], row["unlisted"] and row["unlisted"]["reason"]) for row in rows] == [
        ("p0000", 1, None), ("p0005", 2, None), ("p0002", None, "inactive"), ("p0003", None, "hidden"),
        ("p0009", None, "unplaced"),
    ]  # fmt: skip
    assert {row["rating"] for row in rows[2:]} == {None}


def test_who_hides_from_friends_is_not_there():
    make_board(6)
    token = befriend(0, 2, 3)
    Player.objects.filter(key__in=["p0000", "p0002"]).update(hides_from_friends=True)
    assert told(board(token)) == [(0, 1, 1), (3, 2, 4)]


def test_who_follows_nobody_is_alone():
    make_board(6)
    assert told(board(befriend(4))) == [(4, 1, 5)]


def test_pages_forwards_and_backwards():
    make_board(128)
    token = befriend(0, *range(20, 128))
    first = board(token)
    second = follow(first.body["next"], key=token)
    third = follow(second.body["next"], key=token)
    assert [len(page.body["items"]) for page in (first, second, third)] == [50, 50, 9]
    assert [row[1] for page in (first, second, third) for row in told(page)] == list(range(1, 110))
    assert told(follow(third.body["previous"], key=token)) == told(second)
    assert told(follow(second.body["previous"], key=token)) == told(first)
    assert told(board(token, "&rank=70"))[0][1] == 70
    assert (127, 109, 128) in told(board(token, "&around=p0127"))


MISSING = (
    ("&rank=4", 404, "There is no rank 4 among your friends: 3 are listed."),
    ("&around=p0010", 404, "That player isn't on this board."),
    ("&after=x", 400, "after: That page doesn't exist (any more)."),
    ("&region=eu", 400, "region: Friends are ranked together, wherever they play."),
    ("&rank=1&around=p0003", 400, "around: Ask for one position at a time."),
)


def test_what_there_is_not():
    make_board(20)
    me = befriend(7, 3, 12)
    answers = [(query, board(me, query)) for query, _, _ in MISSING]
    assert tuple((query, answer.status, answer.body["detail"]) for query, answer in answers) == MISSING


def test_before_the_first_publication_everybody_is_below_the_line():
    make_mode()
    record(["p0000"], ["p0001"], ended_at=timezone.now())
    answer = board(befriend(0, 1))
    assert [row["unlisted"]["reason"] for row in answer.body["items"]] == ["waiting", "waiting"]
    assert (answer.body["listed"], answer.body["updated_at"]) == (0, None)


def ban(*numbers: int) -> None:
    """Take players off boards, as the next publication would."""
    for number in numbers:
        Ban.objects.create(player=player(number), scope=Ban.BOARDS, reason="Sold accounts.", starts_at=timezone.now())
    Rating.objects.filter(player__in=[player(number) for number in numbers]).update(listed=False)


@pytest.mark.parametrize("friends", [1, 3, 60])
def test_two_queries_for_the_rows(django_assert_num_queries, friends):
    """Beside them: the token's player, the board."""
    make_board(100)
    newcomer = Player.objects.create(key="p0999", name="New", search_name="new", created_at=timezone.now())
    token = befriend(0, *range(40, 40 + friends))
    Following.objects.create(follower=player(0), followed=newcomer, since=timezone.now())
    board(token)
    with django_assert_num_queries(2 + 2):
        board(token)


@pytest.mark.parametrize("banned", [1, 3])
def test_a_third_tells_who_is_banned(django_assert_num_queries, banned):
    make_board(20)
    token = befriend(0, 5, *range(10, 10 + banned))
    ban(*range(10, 10 + banned))
    board(token)
    with django_assert_num_queries(2 + 3):
        rows = board(token).body["items"]
    assert [row["unlisted"] and row["unlisted"]["reason"] for row in rows] == [None, None, *["hidden"] * banned]


@pytest.mark.parametrize("moment", ["2026-05-20T12:00:00", "2026-05-20T12:00:00.000001", "2026-05-20T12:00:00.120000"])
def test_moments_as_microseconds(moment):
    when = dt.datetime.fromisoformat(f"{moment}+00:00")
    newcomer = Player.objects.create(key="p0999", name="New", search_name="new", created_at=when)
    found = Player.objects.values_list(Microseconds("created_at")).get(pk=newcomer.pk)[0]
    assert (type(found), moment_at(found)) == (int, when)


def test_who_comes_back_for_a_new_season_is_told_how_few_matches_they_need(client):
    began = timezone.now() - DAY
    mode = make_mode(placement_matches=5, placement_after_reset=3, now=began)
    record(["old"], ["older"], ended_at=began + DAY / 4, now=began + DAY / 4)
    end(mode, at=began + DAY / 2)
    record(["me"], ["new"])
    publish(mode, now=timezone.now())
    me = Player.objects.get(key="me")
    for key in ("old", "new"):
        follow_player(me, Player.objects.get(key=key), now=timezone.now())
    rows = get("boards/duel/?friends=me", key=make_token(me)).body["items"]
    assert {row["player"]["id"]: row["unlisted"]["needed"] for row in rows} == {"me": 5, "new": 5, "old": 3}
    me.user = User.objects.create_user("me")
    me.save()
    client.force_login(me.user)
    assert "0 of 3 placement" in client.get("/boards/duel/friends/").text
    assert "0 of 3 placement" in client.get("/boards/duel/?q=old").text
    Player.objects.filter(key="me").update(user=None)
    Player.objects.filter(key="old").update(user=me.user)
    assert "Play 3 more" in client.get("/boards/duel/").text
