"""Private parts of Django that prepared queries rest on: each is named, so that a new Django fails here with its name.

If one of these tests fails after an update of Django, change ranking/database/prepared_queries.py, or let the queries
that it prepares run as plain QuerySets.
"""

import inspect
from typing import Any

import django
import pytest
from django.db import connection
from django.db.models import BigIntegerField, Exists, F, OuterRef, query
from django.db.models.sql import UpdateQuery
from django.db.models.sql.compiler import SQLCompiler

from ranking.database.prepared_queries import Placeholder, fetch_mode_of
from ranking.models import Ban, Rating

FETCH_MODE = ["fetch_mode"] if django.VERSION >= (6, 1) else []
RESTS_ON = "ranking.database.prepared_queries rests on"


@pytest.fixture
def compiler() -> SQLCompiler:
    """A compiler that has written the SQL of a query with a placeholder, a related model and two annotations."""
    banned = Exists(Ban.objects.filter(player=OuterRef("player")))
    rows = Rating.objects.filter(mode=Placeholder("mode", BigIntegerField())).select_related("mode")
    compiler = rows.annotate(banned=banned, twice=2 * F("wins")).query.get_compiler(connection=connection)
    compiler.as_sql()
    return compiler


@pytest.mark.parametrize(
    ("function", "parameters"),
    [
        (SQLCompiler.as_sql, ["self", "with_limits", "with_col_aliases"]),
        (SQLCompiler.get_converters, ["self", "expressions"]),
        (query.get_related_populators, ["klass_info", "select", "db", *FETCH_MODE]),
        (Rating.from_db, ["db", "field_names", "values", *FETCH_MODE]),
    ],
)
def test_functions_take_what_they_took(function: Any, parameters: list[str]) -> None:
    assert list(inspect.signature(function).parameters) == parameters, f"{RESTS_ON} {function.__qualname__}{parameters}"


@pytest.mark.parametrize("attribute", ["select", "klass_info", "annotation_col_map"])
def test_a_compiler_has_what_it_had(compiler: SQLCompiler, attribute: str) -> None:
    assert getattr(compiler, attribute, None), f"{RESTS_ON} SQLCompiler.{attribute}, which is gone or empty"


def test_a_placeholder_stays_among_the_parameters() -> None:
    rows = Rating.objects.filter(mode=Placeholder("mode", BigIntegerField()))
    _, params = rows.query.get_compiler(connection=connection).as_sql()
    assert [type(param) for param in params] == [Placeholder], f"{RESTS_ON} params that aren't adapted by as_sql"


def test_own_columns_come_first_then_annotations(compiler: SQLCompiler) -> None:
    fields = [compiler.select[column][0].target.attname for column in compiler.klass_info["select_fields"]]
    assert fields == [field.attname for field in Rating._meta.concrete_fields], f"{RESTS_ON} klass_info: select_fields"
    names = {name: compiler.select[column][2] for name, column in compiler.annotation_col_map.items()}
    assert names == {"banned": "banned", "twice": "twice"}, f"{RESTS_ON} annotation_col_map: name to column"


def test_related_populators_have_populate(compiler: SQLCompiler) -> None:
    mode = fetch_mode_of(Rating.objects.all())
    [populator] = query.get_related_populators(compiler.klass_info, compiler.select, connection.alias, *mode)
    parameters = list(inspect.signature(populator.populate).parameters)
    assert parameters == ["row", "from_obj"], f"{RESTS_ON} RelatedPopulator.populate(row, from_obj)"


def test_an_update_is_written_without_running_it() -> None:
    update = Rating.objects.filter(mode=1).query.chain(UpdateQuery)
    update.add_update_values({"wins": 5})  # type: ignore[attr-defined]
    sql, params = update.get_compiler(connection=connection).as_sql()
    assert (sql.split()[0], tuple(params)) == ("UPDATE", (5, 1)), f"{RESTS_ON} UpdateQuery.add_update_values"
