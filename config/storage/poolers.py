"""Poolers between the site and PostgreSQL, such as PgBouncer: what they refuse, and the setting that cures it."""

from collections.abc import Iterator, Mapping
from typing import Any

# What PostgreSQL answers if a pooler in transaction mode gives a statement to another session than the one that
# prepared it: duplicate_prepared_statement, invalid_sql_statement_name.
_PREPARED_ELSEWHERE = {"42P05", "26000"}
_ROUNDS = 3

PREPARED = (
    "The pooler between the site and PostgreSQL can't keep prepared statements: set RUNGS_DATABASE_PREPARED=no, or "
    "max_prepared_statements in PgBouncer 1.21 or newer."
)
OPTIONS = (
    "The pooler refuses options of RUNGS_DATABASE_URL: take them out of the address and set them by ALTER ROLE … SET, "
    "or name them in PgBouncer's ignore_startup_parameters."
)


def cure_of(error: BaseException) -> str | None:
    """Return the sentence that names the setting, if an error or one of its causes is a pooler's refusal."""
    for cause in _causes(error):
        if getattr(cause, "sqlstate", None) in _PREPARED_ELSEWHERE:
            return PREPARED
        if "unsupported startup parameter" in str(cause):
            return OPTIONS
    return None


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    seen = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def loses_statements(parameters: Mapping[str, Any]) -> bool:
    """Whether two connections with these parameters of psycopg disturb each other's prepared statements.

    Both connections name their statements alike. Behind a pooler in transaction mode they share sessions of the server,
    where the name is taken or unknown.
    """
    from psycopg import DatabaseError, connect  # not at the top: the embedded profile needs no psycopg

    given = {**parameters, "autocommit": True}
    with connect(**given) as first, connect(**given) as second:
        try:
            for _ in range(_ROUNDS):
                for connection in (first, second):
                    connection.execute("SELECT 1", prepare=True)
        except DatabaseError as error:
            if error.sqlstate in _PREPARED_ELSEWHERE:
                return True
            raise
    return False
