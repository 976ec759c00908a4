"""Who may ban how long: limits of groups, and that nothing gets round them."""

import datetime as dt

import pytest
from django.contrib.auth.models import Group, Permission, User

from ranking.models import AuditEntry, Ban, BanLimit, Player
from ranking.moderation.appeals import appeal_against, decide_appeals
from ranking.moderation.ban_limits import BAN_RIGHT, EXTEND_RIGHT, MayNotBan, find_limit
from ranking.moderation.sanctions import ban_players, extend_bans, lift_bans, shorten_bans
from ranking.moderation.undoing import reopen_appeals, resume_bans
from tests.support.factories import NOW, make_mode, make_role, record

pytestmark = pytest.mark.django_db
HOUR = dt.timedelta(hours=1)
DAY = 24 * HOUR
WHY = {"reason": "Left."}


@pytest.fixture(autouse=True)
def _players(db):
    make_mode()
    record(["a"], ["b"])


def player(key: str = "b") -> Player:
    return Player.objects.get(key=key)


def staff(*roles: str) -> User:
    user = User.objects.create_user("+".join(roles) or "nobody", is_staff=True)
    user.groups.set([make_role(role) for role in roles])
    return user


def group(name: str, hours: int | None, *rights: str, **more: bool) -> Group:
    row = Group.objects.create(name=name)
    row.permissions.set(Permission.objects.filter(codename__in=rights))
    BanLimit.objects.create(group=row, hours=hours, **more)
    return row


def ban(by: User | None, length: dt.timedelta | None = DAY, scope: str = Ban.QUEUE, at: dt.datetime = NOW) -> Ban:
    ends_at = None if length is None else at + length
    return ban_players([player()], scope=scope, by=by, now=at, ends_at=ends_at, **WHY)[0]


def test_a_junior_bans_from_queues_for_a_day(subtests):
    junior = staff("junior moderator")
    for length, scope in ((DAY + HOUR, Ban.QUEUE), (None, Ban.QUEUE), (HOUR, Ban.BOARDS), (HOUR, Ban.BOTH)):
        with (
            subtests.test(f"{length} from {scope}"),
            pytest.raises(MayNotBan, match="You may ban from queues for at most"),
        ):
            ban(junior, length, scope)
    assert (Ban.objects.count(), AuditEntry.objects.count()) == (0, 0)
    assert ban(junior).ends_at == NOW + DAY


def test_whose_limit_is_which():
    small, large = group("small", 48, "add_ban"), group("large", 720, "add_ban", from_boards=False)
    forever = Group.objects.create(name="forever")
    forever.permissions.set(Permission.objects.filter(codename="extend_ban"))
    user = staff()
    user.groups.set([small, large, forever])
    limit = find_limit(user, BAN_RIGHT)
    assert limit is not None
    assert (dict(limit.longest), limit.scopes) == ({"queue": 30 * DAY, "boards": 2 * DAY}, ["queue", "boards", "both"])
    assert limit.sentence == "You may ban from queues for at most 30 days and from boards for at most 48 hours."
    assert (limit.allows("both", 2 * DAY), limit.allows("both", 3 * DAY), limit.allows("queue", None)) == (
        True,
        False,
        False,
    )
    assert find_limit(user, EXTEND_RIGHT) is None
    user.user_permissions.set(Permission.objects.filter(codename="add_ban"))
    own, root = User.objects.get(pk=user.pk), User.objects.create_superuser("root")
    root.groups.set([small])
    users = (own, root, staff("moderator"), staff("junior moderator", "moderator"), None)
    assert [find_limit(each, BAN_RIGHT) for each in users] == [None] * 5


def test_no_act_gets_round_the_limit(subtests):
    """Each case: bans of others, a junior's acts that are done, and the one that is refused."""
    junior, moderator = staff("junior moderator"), staff("moderator")

    def extended(row: Ban, until: dt.timedelta, at: dt.timedelta) -> object:
        return extend_bans([row.pk], ends_at=NOW + until, by=junior, now=NOW + at, **WHY)

    def lifted(row: Ban, by: User, at: dt.timedelta) -> object:
        return lift_bans([row.pk], by=by, now=NOW + at, **WHY)

    with subtests.test("extended"):
        row = ban(junior, 12 * HOUR)
        extended(row, DAY, HOUR)
        with pytest.raises(MayNotBan):
            extended(row, DAY + HOUR, 23 * HOUR)
        with pytest.raises(MayNotBan):
            extend_bans([row.pk], ends_at=None, by=junior, now=NOW, **WHY)
        Ban.objects.get(ends_at=NOW + DAY)
    with subtests.test("lifted and given anew"):
        lifted(row, junior, HOUR)
        with pytest.raises(MayNotBan):
            ban(junior, DAY, at=NOW + HOUR)
        ban(junior, 23 * HOUR, at=NOW + HOUR)
    with subtests.test("a second one at the end of the first"):
        with pytest.raises(MayNotBan):
            ban(junior, HOUR, at=NOW + DAY + HOUR)
        ban(junior, DAY, at=NOW + 2 * DAY)
    with subtests.test("a moderator's ban"):
        long = ban(moderator, 30 * DAY, at=NOW + 9 * DAY)
        for act in (
            lambda: extended(long, 40 * DAY, 9 * DAY),
            lambda: shorten_bans([long.pk], ends_at=NOW + 10 * DAY, by=junior, now=NOW + 9 * DAY, **WHY),
            lambda: lifted(long, junior, 9 * DAY),
        ):
            with pytest.raises(MayNotBan):
                act()
        lifted(long, moderator, 10 * DAY)
        with pytest.raises(MayNotBan):
            resume_bans([long.pk], by=junior, now=NOW + 10 * DAY, **WHY)
        assert resume_bans([long.pk], by=moderator, now=NOW + 10 * DAY, **WHY) == [long]


def test_several_at_once_are_done_or_refused_together():
    junior = staff("junior moderator")
    ban(None, 9 * DAY, at=NOW - 2 * DAY)
    players = [player("a"), player("b")]
    with pytest.raises(MayNotBan, match=r"more than that for b\. Nothing has changed"):
        ban_players(players, scope=Ban.QUEUE, by=junior, now=NOW, ends_at=NOW + DAY, **WHY)
    assert Ban.objects.count() == 1


def test_appeals_are_decided_whatever_the_limit():
    """Deciding them is a right of its own."""
    user = staff()
    user.groups.set([group("inbox", 1, "add_ban", "lift_ban", "decide_appeal")])
    appeal = appeal_against(player(), words="Not me.", now=NOW, ban=ban(None, None).pk)
    assert decide_appeals([appeal.pk], grant=True, by=user, now=NOW + HOUR, **WHY) == [appeal]
    assert not Ban.objects.running(NOW + HOUR).exists()
    assert reopen_appeals([appeal.pk], by=user, now=NOW + 2 * HOUR, **WHY) == [appeal]
    assert Ban.objects.running(NOW + 2 * HOUR).exists()
