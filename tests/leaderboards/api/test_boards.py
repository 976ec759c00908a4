"""GET /api/v1/boards/{mode}/: rows from wherever somebody asks, all of one snapshot."""

import datetime as dt

import pytest
from django.utils import timezone

from ranking.models import Mode, Player, Rating
from ranking.standings.publishing import publish
from tests.support.api import follow, get, make_key, walk
from tests.support.factories import make_mode, record
from tests.support.seasons import end

pytestmark = pytest.mark.django_db


def make_board(players: int, **settings) -> Mode:
    """A board of p000, p001, …, best first, of whom each two share a rating."""
    mode = make_mode(system="team-ratio", activity_days=None, **settings)
    moment = timezone.now() - dt.timedelta(hours=1)
    for first in range(0, players, 12):
        names = [f"p{number:03}" for number in range(first, min(first + 12, players))]
        record(names[: len(names) // 2], names[len(names) // 2 :], ended_at=moment, now=moment)
    for rating in Rating.objects.select_related("player"):
        number = int(rating.player.key[1:])
        rating.display_hundredths = 10_000 - number // 2
        rating.save()
    publish(mode, now=moment)
    return mode


def keys(answer) -> list[str]:
    return [row["player"]["id"] for row in answer.body["items"]]


def numbered(*numbers: int) -> list[str]:
    return [f"p{number:03}" for number in numbers]


def test_a_row_tells_where_somebody_stands():
    make_board(4)
    board = get("boards/duel/").body
    assert (board["mode"], board["season"], board["listed"], board["previous"], board["next"]) == (
        "duel", 1, 4, None, None,
    )  # fmt: skip
    assert [(row["rank"], row["rating"], row["percentile"], row["top_percent"]) for row in board["items"]] == [
        (1, "100.00", 100, 25), (1, "100.00", 100, 25), (3, "99.99", 1, 75), (3, "99.99", 1, 75),
    ]  # fmt: skip
    assert board["items"][0] == {
        "rank": 1, "rating": "100.00", "percentile": 100, "top_percent": 25,
        "tier": {"name": "Master", "division": None, "label": "Master"}, "player": {"id": "p000", "name": "p000"},
        "matches": 1, "rank_day_ago": None, "global_rank": 1, "unlisted": None,
            "struck": False,
    }  # fmt: skip


def test_pages_forwards_and_backwards():
    make_board(120)
    assert [row["player"]["id"] for row in walk("boards/duel/")] == numbered(*range(120))
    second = follow(get("boards/duel/").body["next"])
    third = follow(second.body["next"])
    assert (keys(second), keys(third)) == (numbered(*range(50, 100)), numbered(*range(100, 120)))
    assert keys(follow(third.body["previous"])) == keys(second)
    assert keys(follow(second.body["previous"])) == numbered(*range(50))


@pytest.mark.parametrize(
    ("query", "first", "earlier"),
    [("?rank=1", "p000", False), ("?rank=7", "p006", True), ("?rank=8", "p006", True), ("?around=p002", "p000", False)],
)
def test_jumps(query, first, earlier):
    make_board(60)
    answer = get(f"boards/duel/{query}")
    assert (keys(answer)[0], answer.body["previous"] is not None) == (first, earlier)


def test_around_somebody_deep_down():
    make_board(60)
    answer = get("boards/duel/?around=p040")
    assert "p040" in keys(answer)
    assert keys(answer)[0] > "p000"


def test_a_board_nobody_published():
    make_mode()
    body = get("boards/duel/").body
    assert body == {
        "mode": "duel", "season": 1, "updated_at": None, "listed": 0, "previous": None, "items": [], "next": None,
    }  # fmt: skip


MISSING = {
    "nope/": (404, "There is no mode 'nope'. The modes are casual, duel."),
    "casual/": (404, "casual is unranked: it has no board."),
    "duel/?rank=61": (404, "There is no rank 61: 2 players are listed."),
    "duel/?around=nobody": (404, "That player isn't on this board."),
    "duel/?rank=0": (400, "rank: Ensure this value is greater than or equal to 1."),
    "duel/?rank=x": (400, "rank: A valid integer is required."),
    "duel/?rank=1&around=p000": (400, "around: Ask for one position at a time."),
    "duel/?after=x": (400, "after: That page doesn't exist (any more)."),
    "duel/?around=%00": (400, "around: This can't hold the character U+0000."),
    "duel/?season=2": (404, "duel has had no season 2."),
    "nope/?season=1": (404, "There is no mode 'nope'. The modes are casual, duel."),
    "duel/?friends=me": (401, "This needs a player's token: 'Authorization: Bearer <token>'."),
    "duel/?region=eu&around=p000": (404, "That player isn't on this board."),
    "duel/?limit=0": (400, "limit: Ensure this value is greater than or equal to 1."),
    "duel/?limit=101": (400, "limit: Ensure this value is less than or equal to 100."),
    "duel/?fields=rank,ratng": (
        400,
        "fields: There is no field 'ratng' here; there are rank, rating, percentile, top_percent, tier, global_rank,"
        " player, matches, rank_day_ago, unlisted, struck.",
    ),
}


def test_what_there_is_not():
    make_board(2)
    make_mode("casual", ranked=False)
    answers = {path: get(f"boards/{path}") for path in MISSING}
    assert {path: (answer.status, answer.body["detail"]) for path, answer in answers.items()} == MISSING


@pytest.mark.parametrize(
    ("shows", "scopes", "shown"),
    [
        ({}, (), ("100.00", 100, 50, "Master")),
        ({"shows_rating": False}, (), (None, 100, 50, "Master")),
        ({"shows_percentile": False}, (), ("100.00", None, None, "Master")),
        ({"shows_tier": False}, ("read",), ("100.00", 100, 50, None)),
        ({"shows_rating": False, "shows_tier": False}, ("ratings:hidden",), ("100.00", 100, 50, "Master")),
        ({"ranked": False}, ("ratings:hidden",), ("100.00", 100, 50, "Master")),
    ],
)
def test_what_a_mode_hides_is_left_out(shows, scopes, shown):
    make_board(2, **shows)
    Rating.objects.filter(player__key="p001").update(display_hundredths=1, to_publish=True)
    publish(Mode.objects.get(), now=timezone.now())
    row = get("boards/duel/", key=make_key(*scopes) if scopes else "").body["items"][0]
    assert (row["rating"], row["percentile"], row["top_percent"], row["tier"] and row["tier"]["name"]) == shown


def test_the_hidden_are_not_on_it():
    mode = make_board(4)
    Player.objects.filter(key="p000").update(hidden_at=timezone.now())
    Rating.objects.update(to_publish=True)
    publish(mode, now=timezone.now())
    assert keys(get("boards/duel/")) == numbered(1, 2, 3)


@pytest.mark.parametrize("players", [2, 60])
def test_a_page_takes_as_many_queries_however_long(django_assert_num_queries, players):
    make_board(players)
    get("boards/duel/")  # the rank table, which never changes, stays in memory
    with django_assert_num_queries(2):
        get("boards/duel/")


def test_a_regions_board_ranks_within_it():
    mode = make_board(6)
    Rating.objects.filter(player__key__in=numbered(1, 3, 4)).update(region="eu-west", to_publish=True)
    publish(mode, now=timezone.now())
    body = get("boards/duel/?region=eu-west").body
    assert [(row["player"]["id"], row["rank"], row["global_rank"]) for row in body["items"]] == [
        ("p001", 1, 1), ("p003", 2, 3), ("p004", 3, 5),
    ]  # fmt: skip
    asia = get("boards/duel/?region=asia").body  # a region that has a name, though nobody plays there
    assert (body["listed"], asia["listed"], get("boards/duel/").body["listed"]) == (3, 0, 6)


def test_an_unknown_region_is_named_with_those_there_are():
    mode = make_board(6)
    unknown = get("boards/duel/?region=mars")
    assert (unknown.status, unknown.body["detail"]) == (404, "There is no region 'mars'. This board has none.")
    Rating.objects.filter(player__key__in=numbered(1, 3)).update(region="eu-west", to_publish=True)
    publish(mode, now=timezone.now())
    for query, sentence in {
        "?region=mars": "There is no region 'mars'. The regions are eu-west.",
        "?region=eu-wst": "There is no region 'eu-wst'; did you mean 'eu-west'? The regions are eu-west.",
        "?region=mars&season=1": "There is no region 'mars'. The regions are eu-west.",
    }.items():
        for key in ("", make_key("ratings:hidden")):
            answer = get(f"boards/duel/{query}", key=key)
            assert (query, answer.status, answer.body["detail"]) == (query, 404, sentence)


def test_pages_of_a_region_stay_in_it():
    mode = make_board(120)
    Rating.objects.filter(pk__in=[r.pk for r in Rating.objects.all() if int(r.player.key[1:]) % 2]).update(
        region="eu", to_publish=True
    )
    publish(mode, now=timezone.now())
    told = walk("boards/duel/?region=eu")
    assert [(row["player"]["id"], row["rank"]) for row in told] == [
        (f"p{number:03}", number // 2 + 1) for number in range(1, 120, 2)
    ]
    assert keys(get("boards/duel/?region=eu&rank=60")) == ["p119"]


def test_an_earlier_seasons_board_stays_where_it_was():
    mode = make_board(4)
    end(mode, at=timezone.now())
    earlier, current = (get(f"boards/duel/{query}").body for query in ("?season=1", ""))
    assert [(body["season"], len(body["items"])) for body in (earlier, current)] == [(1, 4), (2, 0)]


@pytest.mark.parametrize("query", ["?region=eu-west", "?season=1"])
def test_queries_of_other_boards(django_assert_num_queries, query):
    mode = make_board(6)
    Rating.objects.update(region="eu-west", to_publish=True)
    publish(mode, now=timezone.now())
    get(f"boards/duel/{query}")
    with django_assert_num_queries(2):
        get(f"boards/duel/{query}")


def test_pages_of_another_size():
    make_board(120)
    for limit in (1, 7, 100):
        assert [row["player"]["id"] for row in walk(f"boards/duel/?limit={limit}")] == numbered(*range(120))
    second = follow(get("boards/duel/?limit=7").body["next"])
    assert keys(second) == numbered(*range(7, 14))
    assert keys(follow(second.body["previous"])) == numbered(*range(7))
    around = {limit: keys(get(f"boards/duel/?around=p040&limit={limit}")) for limit in (1, 2, 3, 12)}
    assert around == {1: ["p040"], 2: numbered(40, 41), 3: numbered(39, 40, 41), 12: numbered(*range(35, 47))}


def test_fields_on_request():
    make_board(4)
    board = get("boards/duel/?limit=1&fields=player,rank").body
    assert (board["items"], board["listed"]) == ([{"player": {"id": "p000", "name": "p000"}, "rank": 1}], 4)
    assert follow(board["next"]).body["items"] == [{"player": {"id": "p001", "name": "p001"}, "rank": 1}]
    assert get("players/p000/?fields=id,names").body == {"id": "p000", "names": []}
    assert get("players/?fields=id&limit=1").body["items"] == [{"id": "p000"}]
    [match] = get("matches/?fields=number,mode").body["items"]
    assert match == {"number": match["number"], "mode": "duel"}
    assert get(f"matches/{match['number']}/?fields=changes,number").body.keys() == {"changes", "number"}
    assert get("matches/?as=report&fields=number", key=make_key()).fields == ["fields"]
