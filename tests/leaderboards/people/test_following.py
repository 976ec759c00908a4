"""Following and blocking: the limit, the wishes of both, and who is seen on a friends board."""

import contextlib
import datetime as dt

import pytest

from leaderboards.models import Avoidance, Blocking, Following
from leaderboards.models.friends import AVOIDED_DAYS, on_friends_board_of
from leaderboards.people.following import (
    NotOneself,
    NotPossible,
    Relation,
    avoid_player,
    avoidances_of,
    block_player,
    follow_player,
    relations_of,
    stop_avoiding,
    unblock_player,
    unfollow_player,
)
from ranking.models import Player
from tests.support.concurrency import at_once
from tests.support.factories import NOW

pytestmark = pytest.mark.django_db


def make_players(*keys: str) -> list[Player]:
    return Player.objects.bulk_create(Player(key=key, name=key, search_name=key, created_at=NOW) for key in keys)


def pairs() -> list[tuple[str, str]]:
    return list(Following.objects.order_by("pk").values_list("follower__key", "followed__key"))


def seen_by(viewer: Player) -> list[str]:
    return sorted(on_friends_board_of(viewer.pk).values_list("key", flat=True))


def follow_many(follower: Player, number: int) -> None:
    crowd = make_players(*(f"crowd-{index}" for index in range(number)))
    Following.objects.bulk_create(Following(follower=follower, followed=one, since=NOW) for one in crowd)


def test_following_is_one_way_and_once():
    ann, bob = make_players("ann", "bob")
    assert follow_player(ann, bob, now=NOW) == follow_player(ann, bob, now=NOW)
    assert pairs() == [("ann", "bob")]
    unfollow_player(ann, bob)
    unfollow_player(ann, bob)
    assert pairs() == []


def test_nobody_follows_or_blocks_themselves():
    (ann,) = make_players("ann")
    for act in (follow_player, block_player):
        with pytest.raises(NotOneself):
            act(ann, ann, now=NOW)


def test_ten_are_avoided_for_thirty_days():
    ann, *others = make_players("ann", *(f"p{number:02}" for number in range(11)))
    for other in others[:10]:
        avoid_player(ann, other, now=NOW)
    avoid_player(ann, others[3], now=NOW)  # again: the ten stay ten, and it is the latest
    assert [row.avoided for row in avoidances_of(ann, NOW)][:2] == [others[3], others[9]]
    with pytest.raises(NotPossible, match="You avoid 10 people already"):
        avoid_player(ann, others[10], now=NOW)
    assert relations_of(ann, [others[0].pk, others[10].pk], NOW) == {
        others[0].pk: Relation(avoids=True), others[10].pk: Relation()
    }  # fmt: skip
    stop_avoiding(ann, others[0])
    avoid_player(ann, others[10], now=NOW)
    later = NOW + dt.timedelta(days=AVOIDED_DAYS)
    assert list(avoidances_of(ann, later)) == []
    avoid_player(ann, others[0], now=later)
    assert [row.avoided for row in Avoidance.objects.filter(avoider=ann)] == [others[0]]
    with pytest.raises(NotOneself):
        avoid_player(ann, ann, now=NOW)


def test_a_block_ends_the_follow_and_forbids_another():
    ann, bob = make_players("ann", "bob")
    follow_player(ann, bob, now=NOW)
    follow_player(bob, ann, now=NOW)
    assert block_player(bob, ann, now=NOW) == block_player(bob, ann, now=NOW)
    assert pairs() == [("bob", "ann")]
    with pytest.raises(NotPossible, match="bob doesn’t want you to follow them"):
        follow_player(ann, bob, now=NOW)
    unblock_player(bob, ann)
    follow_player(ann, bob, now=NOW)
    assert pairs() == [("bob", "ann"), ("ann", "bob")]


def test_at_most_a_thousand():
    ann, bob, cid = make_players("ann", "bob", "cid")
    follow_many(ann, 999)
    follow_player(ann, bob, now=NOW)
    with pytest.raises(NotPossible, match="You follow 1,000 people"):
        follow_player(ann, cid, now=NOW)
    follow_player(ann, bob, now=NOW)  # followed already
    follow_player(cid, ann, now=NOW)


def test_a_friends_board_shows_the_viewer_and_those_followed_who_do_not_hide():
    ann, bob, cid, dan = make_players("ann", "bob", "cid", "dan")
    for other in (bob, cid):
        follow_player(ann, other, now=NOW)
    follow_player(dan, ann, now=NOW)
    assert (seen_by(ann), seen_by(dan), seen_by(bob)) == (["ann", "bob", "cid"], ["ann", "dan"], ["bob"])
    Player.objects.filter(key__in=["ann", "bob"]).update(hides_from_friends=True)
    assert (seen_by(ann), seen_by(dan), seen_by(bob)) == (["ann", "cid"], ["dan"], ["bob"])


def test_relations_take_one_query(django_assert_num_queries):
    ann, bob, cid, dan = make_players("ann", "bob", "cid", "dan")
    follow_player(ann, bob, now=NOW)
    block_player(ann, bob, now=NOW)
    block_player(ann, cid, now=NOW)
    with django_assert_num_queries(1):
        found = relations_of(ann, [ann.pk, bob.pk, cid.pk, dan.pk], NOW)
    assert found == {bob.pk: Relation(True, True), cid.pk: Relation(False, True), dan.pk: Relation()}
    with django_assert_num_queries(0):
        assert (relations_of(None, [bob.pk], NOW), relations_of(ann, [ann.pk], NOW)) == ({}, {})


@pytest.mark.django_db(transaction=True)
def test_the_limit_holds_against_many_at_once():
    ann, *others = make_players("ann", *(f"other-{index}" for index in range(12)))
    follow_many(ann, 995)

    def follow(other: Player) -> bool:
        try:
            follow_player(ann, other, now=NOW)
        except NotPossible:
            return False
        return True

    assert sum(at_once([lambda other=other: follow(other) for other in others])) == 5
    assert Following.objects.filter(follower=ann).count() == 1_000


@pytest.mark.django_db(transaction=True)
def test_no_follow_slips_past_a_block():
    ann, bob = make_players("ann", "bob")

    def follow() -> None:
        with contextlib.suppress(NotPossible):
            follow_player(ann, bob, now=NOW)

    for _ in range(10):
        at_once([follow, lambda: block_player(bob, ann, now=NOW)], workers=2)
        assert (pairs(), Blocking.objects.count()) == ([], 1)
        unblock_player(bob, ann)
