"""Measures a friends board of a thousand among a million players against the global board of the same mode."""

import secrets
from collections.abc import Callable, Iterator

from django.contrib.auth import get_user_model
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from bench.boards import page
from bench.measuring import Row, at_most, side_by_side, typical_p95
from leaderboards.boards.boards import get_board
from leaderboards.boards.positions import Top
from leaderboards.models import Following
from leaderboards.models.friends import MOST_FOLLOWED
from leaderboards.people.friends_board import find_friends_window
from ranking.models import Mode, Player, Rating

ROUNDS = 200
QUERIES = 3


def befriend(mode: Mode) -> Player:
    """A player who follows the largest allowed number of players, from all over the board."""
    pks = list(Rating.objects.filter(mode=mode).order_by("id").values_list("player_id", flat=True))
    viewer = Player.objects.get(pk=pks[len(pks) // 2 + 1])
    viewer.user = get_user_model().objects.create_user(f"bench-{secrets.token_hex(4)}")
    viewer.save(update_fields=["user"])
    step = len(pks) // MOST_FOLLOWED
    now = timezone.now()
    Following.objects.bulk_create(
        Following(follower=viewer, followed_id=pk, since=now) for pk in pks[::step][:MOST_FOLLOWED] if pk != viewer.pk
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE leaderboards_following")
    return viewer


def count_queries(mode: Mode, viewer: Player) -> int:
    """The number of statements for the rows."""
    with CaptureQueriesContext(connection) as queries:
        find_friends_window(get_board(mode.slug), viewer, Top(), timezone.now())
    return len(queries) - 1  # the board


def run(mode: Mode, progress: Callable[[str], None]) -> Iterator[Row]:
    progress("friends boards")
    viewer = befriend(mode)
    board = f"/boards/{mode.slug}/"
    friends, everyone = page(f"{board}friends/", viewer.user), page(board, viewer.user)
    friends()
    queries = count_queries(mode, viewer)
    yield Row(
        "friends board, 1,000 followed among 1 million: queries for the rows",
        str(queries), str(QUERIES), f"{queries / QUERIES:.2f} ×", "≤ 1 ×", queries <= QUERIES,
    )  # fmt: skip
    taken = side_by_side({"friends": friends, "global": everyone}, ROUNDS)
    p95s = typical_p95(taken["friends"], taken["global"])
    yield at_most("friends board, 1,000 followed: p95 against the global board", *p95s, 2.0)
