"""Answers that their serializers fill: what a field means, and where its value comes from, stands once.

An OutputSerializer's fields describe an answer in the schema and fill it: `fill(row)` and `fill_many(rows)`.

    class WarningSerializer(OutputSerializer[PlayerWarning]):
        number = serializers.IntegerField(source="pk")
        reason = serializers.CharField()
        by = serializers.CharField(source="by.username", allow_null=True)
        running = serializers.BooleanField()

        @staticmethod
        def fill_running(warning: PlayerWarning) -> bool:
            return warning.lifted_at is None

    Response(WarningSerializer.fill(warning))

A field's value is what `fill_<name>` returns, if there is such a static method; else the row's attribute of the
field's name, or of its `source`, whose dots lead to other rows; "*" is the row itself. If a field may be null, so
may each row on the way, and an empty text is null, unless it may be blank. A field that isn't required is left out if
its value is None. Values stand in the answer
as they are: the renderer writes times and decimals. A nested OutputSerializer fills itself, and a field with a
`to_representation` of its own applies it.

`described`: a named tuple, of which each attribute that says what it means is a field, after those declared here:

    matches: Annotated[int, "Played this season."]

`first`: names of the fields that stand before the others in an answer; the schema keeps the order of declaration.

DRF copies each field for each serializer and walks them for each row; this lists its getters once, with the class.
"""

from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from typing import Annotated, Any, ClassVar, TypeVar, get_args, get_origin, get_type_hints

from rest_framework import serializers

R = TypeVar("R")  # a row: what an answer is about
Getter = Callable[[Any], Any]  # a field's value of a row
_Field = serializers.Field[Any, Any, Any, Any]


_KINDS: dict[type, type[_Field]] = {
    int: serializers.IntegerField,
    bool: serializers.BooleanField,
    str: serializers.CharField,
}


class OutputSerializer(serializers.Serializer[R]):
    # No docstring: the schema would describe each answer by it that has none of its own.

    first: ClassVar[tuple[str, ...]] = ()
    described: ClassVar[type[tuple[object, ...]] | None] = None
    kinds: ClassVar[Mapping[type, type[_Field]]] = {}  # fields of what isn't a number, a text or yes or no
    _getters: ClassVar[list[tuple[str, Getter]]] = []
    _optional: ClassVar[list[str]] = []

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        declared: dict[str, _Field] = cls._declared_fields
        if cls.described is not None:
            declared |= described_fields(cls.described, {**_KINDS, **cls.kinds})
        cls._getters = [
            (name, cls._getter_of(name, declared[name])) for name in {**dict.fromkeys(cls.first), **declared}
        ]
        cls._optional = [name for name, field in declared.items() if not field.required]

    @classmethod
    def _getter_of(cls, name: str, field: _Field) -> Getter:
        return getattr(cls, f"fill_{name}", None) or _represented(field, _path(field.source or name, field))

    @classmethod
    def fill(cls, row: R) -> dict[str, Any]:
        """The answer about a row."""
        answer = {name: get(row) for name, get in cls._getters}
        for name in cls._optional:
            if answer[name] is None:
                del answer[name]
        return answer

    @classmethod
    def fill_many(cls, rows: Iterable[R]) -> list[dict[str, Any]]:
        """The answers about rows."""
        if cls._optional:
            return [cls.fill(row) for row in rows]
        getters = cls._getters
        return [{name: get(row) for name, get in getters} for row in rows]

    def to_representation(self, instance: R) -> dict[str, object]:
        return self.fill(instance)


def described_fields(row: type, kinds: Mapping[type, type[_Field]]) -> dict[str, _Field]:
    """A field for each attribute of a class that is annotated with what it means."""
    fields = {}
    for name, hint in get_type_hints(row, include_extras=True).items():
        if get_origin(hint) is Annotated:
            values, help_text = get_args(hint)
            kind, *null = get_args(values) or (values,)
            fields[name] = kinds[kind](allow_null=bool(null), help_text=help_text or None)
    return fields


def _path(source: str, field: _Field) -> Getter:
    """How to get from a row to what `source` names."""
    if source == "*":
        return lambda row: row
    if "." not in source or not field.allow_null:
        return attrgetter(source)
    first, _, rest = source.partition(".")
    step, further = attrgetter(first), _path(rest, field)
    return lambda row: None if (value := step(row)) is None else further(value)


def _nulls_blank(field: _Field) -> bool:
    if not isinstance(field, serializers.CharField | serializers.ChoiceField):
        return False
    return field.allow_null and not field.allow_blank


def _represented(field: _Field, get: Getter) -> Getter:
    """A getter of values as the answer has them."""
    if isinstance(field, serializers.ListSerializer) and isinstance(field.child, OutputSerializer):
        represent: Getter = field.child.fill_many
    elif isinstance(field, OutputSerializer):
        represent = field.fill
    elif type(field).to_representation.__module__.startswith("rest_framework."):
        return (lambda row: get(row) or None) if _nulls_blank(field) else get
    else:
        represent = field.to_representation
    return lambda row: None if (value := get(row)) is None else represent(value)
