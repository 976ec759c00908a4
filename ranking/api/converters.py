"""URL converters: patterns for parts of an address."""

from django.urls import register_converter
from django.urls.converters import StringConverter

WORDS = (
    "history", "token", "claim-code", "conduct", "bans", "incidents", "hide", "show", "notes", "erase", "export",
    "warnings", "rename", "reset-name", "undo-rename", "unlock-name", "ban-proposals",
)  # fmt: skip


class PlayerKeyConverter(StringConverter):
    """A player's key before such a word: any text, even with slashes."""

    regex = ".+"


class LastPlayerKeyConverter(StringConverter):
    """A player's key at the end of an address: it doesn't end with a word that makes an address of its own."""

    regex = f"(?:{'|'.join(WORDS)}|.+{''.join(f'(?<!/{word})' for word in WORDS)})"


register_converter(PlayerKeyConverter, "player_key")
register_converter(LastPlayerKeyConverter, "last_player_key")
