"""Every rule of the window's tables is a constraint, and each refuses what it is there to refuse."""

import datetime as dt

import pytest
from django.apps import apps

from leaderboards.models import (
    Achievement,
    AchievementCount,
    Announcement,
    Avatar,
    Avoidance,
    Blocking,
    Delivery,
    Following,
    MutedTopic,
    Notice,
    Progress,
    ReadMark,
    Watch,
    Webhook,
)
from ranking.models import Mode, Player, Season
from ranking.operations import outbox
from tests.support.factories import NOW, make_mode, record
from tests.support.rows import first, refusal
from tests.support.webhooks import make_hook

pytestmark = pytest.mark.django_db


def again(model, **names: str) -> None:
    """The same row twice."""
    players = {role: Player.objects.get(key=key) for role, key in names.items()}
    for _ in range(2):
        model.objects.create(**players, since=NOW)


def mute(topic: str) -> None:
    MutedTopic.objects.create(player=Player.objects.get(key="a"), topic=topic)


def keep_avatar(**columns) -> None:
    Avatar.objects.create(player=Player.objects.get(key="a"), **{"due_at": NOW, **columns})


def avoid(avoider: str, avoided: str, *, days: int = 30) -> None:
    two = {"avoider": Player.objects.get(key=avoider), "avoided": Player.objects.get(key=avoided)}
    Avoidance.objects.create(**two, since=NOW, until=NOW + dt.timedelta(days=days))


CASES = {
    "avoidance_once": lambda: [avoid("a", "b") for _ in range(2)],
    "avoidance_not_oneself": lambda: avoid("a", "a"),
    "avoidance_ends_later": lambda: avoid("a", "b", days=0),
    "following_once": lambda: again(Following, follower="a", followed="b"),
    "following_not_oneself": lambda: again(Following, follower="a", followed="a"),
    "blocking_once": lambda: again(Blocking, blocker="a", blocked="b"),
    "blocking_not_oneself": lambda: again(Blocking, blocker="a", blocked="a"),
    "achievement_once": lambda: first(Achievement),
    "achievement_feat_given": lambda: Achievement.objects.update(feat=""),
    "achievement_once_a_season": lambda: Achievement.objects.update(season=Season.objects.get(), occasion=""),
    "achievement_count_once": lambda: [
        AchievementCount.objects.create(mode=Mode.objects.get(), feat="steady", holders=1, players=2) for _ in range(2)
    ],
    "progress_once_a_mode": lambda: first(Progress),
    "notice_once_an_occasion": lambda: first(Notice),
    "notice_kind_given": lambda: Notice.objects.update(occasion=""),
    "muted_topic_once": lambda: [mute("ranks") for _ in range(2)],
    "muted_topic_known": lambda: mute("weather"),
    "announcement_once": lambda: first(Announcement),
    "announcement_known": lambda: Announcement.objects.update(kind="soon"),
    "avatar_small": lambda: keep_avatar(image=b"x" * 8_193),
    "avatar_due_or_removed": lambda: keep_avatar(removed_at=NOW),
    "read_mark_once": lambda: first(ReadMark),
    "watch_seen_whole": lambda: Watch.objects.update(level=1),
    "webhook_kind_known": lambda: Webhook.objects.update(kind="post"),
    "webhook_url_is_http": lambda: Webhook.objects.update(url="ftp://example.org/"),
    "delivery_once_a_webhook": lambda: first(Delivery),
    "delivery_done_or_parked": lambda: Delivery.objects.update(delivered_at=NOW, parked_at=NOW),
}


def test_there_is_a_case_for_every_constraint():
    named = {constraint.name for model in apps.get_app_config("leaderboards").get_models()
             for constraint in model._meta.constraints}  # fmt: skip
    assert set(CASES) == named
    assert apps.get_model("leaderboards", "watch")._meta.get_field("rating").unique


def test_the_database_refuses():
    make_mode()
    make_hook()
    match = record(["a"], ["b"]).record
    outbox.sweep(NOW)
    Notice.objects.create(player=match.parts[0].player, kind="top", occasion="x", created_at=NOW)
    news = Announcement.objects.create(season=Season.objects.get(), kind=Announcement.OVER, at=NOW, made_at=NOW)
    ReadMark.objects.create(player=match.parts[0].player, announcement=news, read_at=NOW)
    said = {name: refusal(write) for name, write in CASES.items()}
    # SQLite names the columns of a unique constraint.
    assert {name: text for name, text in said.items() if name not in text and "UNIQUE" not in text} == {}
