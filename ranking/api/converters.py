"""What may stand in the middle of an address."""

from django.urls import register_converter
from django.urls.converters import StringConverter


class PlayerKeyConverter(StringConverter):
    """A player's key: anything, slashes too, but no end that has a meaning of its own."""

    regex = r"(?:history|token|claim-code|conduct|.+(?<!/history)(?<!/token)(?<!/claim-code)(?<!/conduct))"


register_converter(PlayerKeyConverter, "player_key")
