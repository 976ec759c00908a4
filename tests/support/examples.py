"""How many examples Hypothesis tries: some with every suite, all of them with `make test-long`.

tests/conftest.py loads the profile `short`; `--hypothesis-profile=long` replaces it.
"""

from typing import Any

from hypothesis import settings

LONG = 100  # per cent, and Hypothesis's own number of examples
SHORT = 10

settings.register_profile("short", max_examples=SHORT, deadline=None)  # no test depends on the machine
settings.register_profile("long", max_examples=LONG, deadline=None)


def examples(most: int, **more: Any) -> settings:
    """Settings of a test that tries `most` examples in a long run, and the profile's share of them in a short one."""
    return settings(max_examples=max(1, round(most * settings.default.max_examples / LONG)), **more)


def is_long() -> bool:
    """Is this a long run, which tries all that there is to try?"""
    return bool(settings.default.max_examples >= LONG)
