"""URL converters: patterns for parts of an address."""

from django.urls import register_converter
from django.urls.converters import StringConverter


class PlayerKeyConverter(StringConverter):
    """A player's key: any text, even with slashes, that doesn't end with a word that is an address of its own."""

    regex = r"(?:history|token|claim-code|conduct|.+(?<!/history)(?<!/token)(?<!/claim-code)(?<!/conduct))"


register_converter(PlayerKeyConverter, "player_key")
