"""`?fields=rank,player`: an answer with the fields alone that its caller asks for."""

from collections.abc import Sequence
from typing import Any

from rest_framework import serializers

from ranking.validation.fields import TextField


class AnswerFieldsField(TextField):
    """Names of fields of an answer, separated by commas; the value is the list of names. `serializer`: the answer's."""

    def __init__(self, serializer: type[serializers.Serializer[Any]]) -> None:
        self.serializer = serializer
        super().__init__(
            max_length=1000,
            required=False,
            help_text=f"Names of fields separated by commas: only these are answered, even where the answer"
            f" requires others. Any of {', '.join(self.known)}.",
        )

    @property
    def known(self) -> Sequence[str]:
        return list(self.serializer._declared_fields)

    def to_internal_value(self, data: Any) -> list[str]:  # type: ignore[override]  # the names, in place of the text
        names = [name.strip() for name in super().to_internal_value(data).split(",")]
        if unknown := [name for name in names if name not in self.known]:
            sentence = f"There is no field {unknown[0]!r} here; there are {', '.join(self.known)}."
            raise serializers.ValidationError(sentence, "unknown")
        return names


def pick(answer: dict[str, Any], query: dict[str, Any]) -> dict[str, Any]:
    """An answer, or an item of a list, with the fields that a query asks for; the whole of it without `fields`."""
    names = query.get("fields")
    return answer if names is None else {name: answer[name] for name in names if name in answer}
