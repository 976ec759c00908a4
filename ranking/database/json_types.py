"""The type of a JSON value in SQL, for constraints: "object", "array" and so on."""

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import CharField, Func
from django.db.models.sql.compiler import SQLCompiler


class JSONType(Func):
    """json_type on SQLite, jsonb_typeof on PostgreSQL; both say "object" of an object."""

    function = "JSON_TYPE"
    arity = 1
    output_field = CharField()

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: str) -> tuple[str, Any]:
        return self.as_sql(compiler, connection, function="JSONB_TYPEOF", **context)
