"""Pages of a board by keyset: whole, in order, from anywhere."""

import datetime as dt

import pytest

from leaderboards.boards.boards import Board, get_board
from leaderboards.boards.positions import After, Around, AtRank, BadPosition, Before, FromPlace, Position, Top
from leaderboards.boards.windows import ABOVE, PAGE, Window, find_window, first_rows
from ranking.models import Rating
from ranking.standings.publishing import publish
from tests.leaderboards.conftest import make_crowd
from tests.support.factories import LATER

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def _crowd(module_db: None) -> None:
    make_crowd(matches=2)


@pytest.fixture
def board(_crowd: None, db: None) -> Board:
    """120 players, tied in pairs."""
    return get_board("crowd")


def keys(window: Window) -> list[str]:
    return [rating.player.key for rating in window.ratings]


def everyone(board: Board) -> list[str]:
    return [rating.player.key for rating in first_rows(board, 200)]


def test_ties_go_to_who_reached_the_rating_first(board: Board) -> None:
    assert everyone(board)[:4] == ["p1-00", "p0-00", "p1-01", "p0-01"]


def test_forward_through_all_pages(board: Board) -> None:
    position: Position = Top()
    seen: list[str] = []
    sizes = []
    while True:
        window = find_window(board, position)
        seen += keys(window)
        sizes.append(len(window.ratings))
        if window.next is None:
            break
        position = After(window.next)
    assert (seen, sizes) == (everyone(board), [50, 50, 20])


def test_backward_from_the_end_and_the_first_page_is_full(board: Board) -> None:
    rows = first_rows(board, 200)
    window = find_window(board, Before(rows[110].cursor))
    assert keys(window) == everyone(board)[60:110]
    assert window.previous is not None
    again = find_window(board, Before(window.previous))
    assert keys(again) == everyone(board)[10:60]
    assert again.previous is not None
    first = find_window(board, Before(again.previous))
    assert (keys(first), first.more_before, first.more_after) == (everyone(board)[:PAGE], False, True)


def test_after_any_row_comes_the_next(board: Board) -> None:
    rows, order = first_rows(board, 200), everyone(board)
    indices = (0, 1, 49, 50, 51, 118, 119)
    following = {index: keys(find_window(board, After(rows[index].cursor))) for index in indices}
    assert following == {index: order[index + 1 : index + 1 + PAGE] for index in indices}


def test_rows_equal_in_rating_and_moment_are_told_apart_by_id(board: Board) -> None:
    Rating.objects.update(published_hundredths=2500, published_reached_at=dt.datetime(2026, 1, 1, tzinfo=dt.UTC))
    window = find_window(board, Top())
    assert window.next is not None
    following = find_window(board, After(window.next))
    assert [rating.pk for rating in window.ratings + following.ratings] == sorted(
        Rating.objects.values_list("pk", flat=True)
    )[:100]


def test_a_rank_begins_with_the_first_of_its_tie(board: Board) -> None:
    order, first = everyone(board), {1: 0, 2: 0, 3: 2, 4: 2, 99: 98, 120: 118}
    windows = {rank: find_window(board, AtRank(rank)) for rank in first}
    assert {rank: (keys(window), window.more_before) for rank, window in windows.items()} == {
        rank: (order[index : index + PAGE], index > 0) for rank, index in first.items()
    }


def test_a_place_begins_at_its_own_row_also_among_equals(board: Board, subtests: pytest.Subtests) -> None:
    order = everyone(board)
    for place, index, known in ((1, 0, 1), (2, 1, 2), (3, 2, 3), (52, 51, 52), (120, 119, 120)):
        with subtests.test(place=place):
            window = find_window(board, FromPlace(place))
            assert (keys(window), window.place) == (order[index : index + PAGE], known)
    with pytest.raises(BadPosition, match="doesn't exist"):
        find_window(board, FromPlace(121))


def test_a_place_deep_among_equals_begins_with_the_first_of_them(board: Board) -> None:
    Rating.objects.update(display_hundredths=2500, to_publish=True)
    publish(board.mode, now=LATER)
    found = [find_window(board, FromPlace(place), deepest=60) for place in (61, 62)]
    order = everyone(board)
    assert [(keys(window), window.place) for window in found] == [(order[60:110], 61), (order[:50], 1)]


def test_no_rank_beyond_the_listed(board: Board) -> None:
    with pytest.raises(BadPosition, match="There is no rank 121: 120 players are listed"):
        find_window(board, AtRank(121))


def test_around_a_player(board: Board) -> None:
    order = everyone(board)
    starts = {index: max(0, index - ABOVE) for index in (0, ABOVE - 1, ABOVE, 60, 119)}
    windows = {index: find_window(board, Around(order[index])) for index in starts}
    assert {index: (keys(window), window.more_before) for index, window in windows.items()} == {
        index: (order[start : start + PAGE], start > 0) for index, start in starts.items()
    }


def test_around_nobody(board: Board) -> None:
    with pytest.raises(BadPosition, match="isn't on this board"):
        find_window(board, Around("nobody"))
