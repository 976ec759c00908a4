"""The codes of a field's errors in a problem: `errors[].code`. They are for programs and never change."""

from django.utils.translation import gettext_lazy as _

FIELD_CODES = {
    "required": _("the field is missing"),
    "null": _("the field can’t be null"),
    "unknown": _("there is no such field or parameter, or what it names doesn’t exist"),
    "repeated": _("given more than once"),
    "type": _("another JSON type is needed"),
    "empty": _("it can’t be empty"),
    "length": _("too many or too few characters or items"),
    "range": _("a number or time that is too small or too large"),
    "choice": _("not one of the values that are allowed"),
    "format": _("a text that is malformed, such as a time without its offset"),
    "invalid": _("it breaks another rule; `detail` says which"),
}
# DRF's own codes; those that aren't here are "invalid".
_FIELD_CODES_OF_DRF = {
    "blank": "empty",
    "max_length": "length",
    "min_length": "length",
    "max_value": "range",
    "min_value": "range",
    "invalid_choice": "choice",
    "not_a_list": "type",
    "not_a_dict": "type",
    "max_string_length": "length",
    "does_not_exist": "unknown",
}


def field_code(code: str) -> str:
    """Return the code of a field's error by ours or DRF's name of it."""
    return code if code in FIELD_CODES else _FIELD_CODES_OF_DRF.get(code, "invalid")
