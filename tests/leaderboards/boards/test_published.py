"""Rows and rank table of one instant, whatever is published meanwhile."""

from collections.abc import Callable
from typing import Any

import pytest

from leaderboards.boards import windows
from leaderboards.boards.boards import get_board
from leaderboards.boards.positions import Around
from leaderboards.boards.published import Superseded, published_with, read_consistently
from leaderboards.boards.rows import ListedRating
from leaderboards.boards.windows import ABOVE, find_window, first_rows
from ranking.models import Mode, Snapshot
from ranking.standings import snapshots
from ranking.standings.publishing import publish
from tests.support.factories import NOW

pytestmark = pytest.mark.django_db


def test_rows_come_with_the_snapshot_in_force_when_they_were_read(crowd: Callable[..., Mode]) -> None:
    mode = crowd()
    before = first_rows(get_board("crowd"), 1)[0]
    after = publish(mode, now=NOW)
    assert after is not None
    assert before.snapshot_id < after.pk
    assert first_rows(get_board("crowd"), 1)[0].snapshot_id == after.pk


def test_a_snapshot_that_is_gone_is_superseded(crowd: Callable[..., Mode]) -> None:
    mode = crowd()
    rating = first_rows(get_board("crowd"), 1)[0]
    Snapshot.objects.all().delete()
    snapshots.table_at.cache_clear()
    with pytest.raises(Superseded):
        published_with(rating, mode)


def test_a_rank_table_once_read_outlives_its_row(crowd: Callable[..., Mode]) -> None:
    mode = crowd()
    rating = first_rows(get_board("crowd"), 1)[0]
    published_with(rating, mode)
    Snapshot.objects.all().delete()
    again = published_with(rating, mode)
    assert again is not None
    assert again.standing(rating.published_hundredths).rank == 1


def test_the_rows_around_a_player_are_of_one_publication(
    crowd: Callable[..., Mode], monkeypatch: pytest.MonkeyPatch
) -> None:
    mode = crowd()
    read, reads = windows._read, []

    def read_and_publish(*args: Any, **values: Any) -> list[ListedRating]:
        rows = read(*args, **values)
        reads.append(values)
        if len(reads) == 1:
            publish(mode, now=NOW)
        return rows

    monkeypatch.setattr(windows, "_read", read_and_publish)
    with pytest.raises(Superseded):
        find_window(get_board("crowd"), Around("p0-30"))
    window = find_window(get_board("crowd"), Around("p0-30"))
    assert (window.ratings[ABOVE].player.key, len(reads)) == ("p0-30", 6)


@pytest.mark.parametrize(("failures", "tried"), [(0, 1), (1, 2), (3, 4)])
def test_reading_starts_again_where_a_publication_came_in_between(failures: int, tried: int) -> None:
    tries = []

    def read() -> str:
        tries.append(1)
        if len(tries) <= failures:
            raise Superseded
        return "read"

    assert (read_consistently(read), len(tries)) == ("read", tried)


def test_reading_gives_up_at_last() -> None:
    def read() -> None:
        raise Superseded

    with pytest.raises(Superseded):
        read_consistently(read)
