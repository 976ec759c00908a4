"""GET /api/v1/boards/{mode}/players/: some players of a board in one call."""

import pytest
from django.utils import timezone

from ranking.models import Mode, Player, Rating
from ranking.standings.publishing import publish
from tests.leaderboards.api.test_boards import make_board
from tests.support.api import get, make_key

pytestmark = pytest.mark.django_db


def ask(*keys: str, more: str = "", key: str = ""):
    return get("boards/duel/players/?" + "&".join(f"id={name}" for name in keys) + more, key=key)


def test_rows_in_the_order_asked_for_as_the_board_has_them():
    make_board(8)
    answer = ask("p006", "p001", "nobody", "p001").body
    board = {row["player"]["id"]: row for row in get("boards/duel/").body["items"]}
    assert answer == {
        "mode": "duel", "season": 1, "listed": 8, "updated_at": get("boards/duel/").body["updated_at"],
        "items": [board["p006"], board["p001"]], "not_listed": ["nobody"],
    }  # fmt: skip
    assert ask("p006", more="&fields=rank").body["items"] == [{"rank": 7}]


@pytest.mark.parametrize("number", [2, 100])
def test_queries(number, django_assert_num_queries):
    make_board(120)
    names = [f"p{place:03}" for place in range(number)]
    ask(*names)  # the rank tables are read once a snapshot
    with django_assert_num_queries(3):
        assert len(ask(*names).body["items"]) == number


def test_the_hidden_the_merged_and_those_in_placement():
    mode = make_board(4)
    Player.objects.filter(key="p000").update(hidden_at=timezone.now())
    owner = Player.objects.get(key="p002")
    Player.objects.filter(key="p003").update(merged_into=owner, hidden_at=timezone.now())
    Rating.objects.filter(player__key="p001").update(wins=0, losses=0, draws=0)
    Rating.objects.update(to_publish=True)
    publish(mode, now=timezone.now())
    answer = ask("p000", "p001", "p002", "p003").body
    on_board = [row["player"]["id"] for row in get("boards/duel/").body["items"]]
    assert ([row["player"]["id"] for row in answer["items"]], answer["not_listed"]) == (
        ["p002", "p002"], ["p000", "p001"],
    )  # fmt: skip
    assert not {"p000", "p001"} & set(on_board)


def test_what_a_mode_hides_is_left_out():
    make_board(2, shows_rating=False)
    assert ask("p000").body["items"][0]["rating"] is None
    assert ask("p000", key=make_key("ratings:hidden")).body["items"][0]["rating"] == "100.00"
    Mode.objects.update(ranked=False)
    assert ask("p000").status == 404


def test_what_is_refused():
    make_board(2)
    many = [f"x{number}" for number in range(101)]
    cases = {
        "": "id: This field is required.",
        "?" + "&".join(f"id={name}" for name in many): "id: At most 100 fit; these are 101.",
        "?id=p000&fields=x": "fields: There is no field 'x' here; there are rank, rating, percentile, top_percent,"
        " tier, global_rank, player, matches, rank_day_ago, unlisted, struck.",
        "?id=p000&fields=rank&fields=rating": "fields: This is given more than once.",
    }
    assert {query: get(f"boards/duel/players/{query}").body["detail"] for query in cases} == cases
