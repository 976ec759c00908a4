"""The index of parts of names: kept by the databases, through migrations that make its table anew."""

from typing import Any
from unittest.mock import MagicMock

import pytest
from django.db import connection
from pytest_django import DjangoAssertNumQueries

from ranking.database.name_index import MissingRight, create_name_index, create_triggers
from ranking.models import Player
from ranking.players.search import find_best
from tests.support.factories import NOW

pytestmark = pytest.mark.django_db


def make_player(name: str) -> Player:
    return Player.objects.create(key=name, name=name, search_name=name, created_at=NOW)


def test_names_that_come_change_and_go() -> None:
    fox, owl = make_player("gridfox"), make_player("hootowl")
    assert (find_best("idfo"), find_best("ootow")) == ([fox.pk], [owl.pk])
    Player.objects.filter(pk=fox.pk).update(search_name="gridlynx")
    owl.delete()
    assert (find_best("idfo"), find_best("ootow"), find_best("dlyn")) == ([], [], [fox.pk])


def test_triggers_that_a_migration_dropped_are_made_again(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    if connection.vendor != "sqlite":
        with django_assert_num_queries(0):  # PostgreSQL keeps its index by itself
            create_triggers(connection)
        return
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER player_named")
    create_triggers(connection)
    fox = make_player("gridfox")
    assert find_best("idfo") == [fox.pk]


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ([None, ("rungs", "games", False, True)], 'GRANT CREATE ON DATABASE "games" TO "rungs"'),
        ([None, ("rungs", "games", True, False)], "postgresql-contrib"),
    ],
)
def test_what_is_missing_is_said(answers: list[Any], words: str) -> None:
    postgresql = MagicMock(vendor="postgresql")
    cursor = postgresql.cursor.return_value.__enter__.return_value
    cursor.fetchone.side_effect = answers
    with pytest.raises(MissingRight, match=words):
        create_name_index(postgresql)
    assert all("CREATE EXTENSION" not in str(call) for call in cursor.execute.call_args_list)
