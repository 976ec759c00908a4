"""What tests of the guides share."""

from tests.support.programs import run  # noqa: F401 - a fixture
