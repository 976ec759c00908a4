"""Every rule that the window's tables keep is a constraint, and each refuses what it is there to refuse."""

import pytest
from django.apps import apps
from django.db import IntegrityError, transaction

from leaderboards.models import Blocking, Following
from ranking.models import Player
from tests.factories import NOW

pytestmark = pytest.mark.django_db


def again(model, **names: str) -> None:
    """The same row twice."""
    players = {role: Player.objects.get(key=key) for role, key in names.items()}
    for _ in range(2):
        model.objects.create(**players, since=NOW)


CASES = {
    "following_once": lambda: again(Following, follower="a", followed="b"),
    "following_not_oneself": lambda: again(Following, follower="a", followed="a"),
    "blocking_once": lambda: again(Blocking, blocker="a", blocked="b"),
    "blocking_not_oneself": lambda: again(Blocking, blocker="a", blocked="a"),
}


def test_there_is_a_case_for_every_constraint():
    named = {constraint.name for model in apps.get_app_config("leaderboards").get_models()
             for constraint in model._meta.constraints}  # fmt: skip
    assert set(CASES) == named


@pytest.mark.parametrize("name", CASES)
def test_the_database_refuses(name):
    Player.objects.bulk_create(Player(key=key, name=key, search_name=key, created_at=NOW) for key in "ab")
    with pytest.raises(IntegrityError) as caught, transaction.atomic():
        CASES[name]()
    said = str(caught.value)
    assert name in said or "UNIQUE" in said  # SQLite names the columns of a unique constraint
