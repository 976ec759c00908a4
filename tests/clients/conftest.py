"""Tests of the clients."""

from tests.support.game_servers import command, start  # noqa: F401 - fixtures
