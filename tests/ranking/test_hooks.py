"""Hooks: functions that settings name are imported once, and follow a setting that a test overrides."""

import pytest

from ranking import hooks


def first(player):
    """A function that a setting names."""


def second(player):
    """Another one."""


def test_functions_in_the_order_of_the_setting(settings):
    settings.ERASERS = [f"{__name__}.second", f"{__name__}.first"]
    assert hooks.ERASERS.functions() == [second, first]
    settings.ERASERS = [f"{__name__}.first"]
    assert hooks.ERASERS.functions() == [first]


def test_a_function_by_name(settings):
    settings.OUTBOX_CONSUMERS = {"one": f"{__name__}.first", "other": f"{__name__}.second"}
    assert hooks.OUTBOX_CONSUMERS.function("other") is second
    assert hooks.OUTBOX_CONSUMERS.functions() == [first, second]
    with pytest.raises(KeyError, match="third"):
        hooks.OUTBOX_CONSUMERS.function("third")


def test_a_path_that_leads_nowhere(settings):
    settings.MERGERS = [f"{__name__}.third"]
    with pytest.raises(ImportError, match="third"):
        hooks.MERGERS.functions()


@pytest.mark.parametrize("hook", hooks.HOOKS, ids=lambda hook: hook.setting)
def test_hooks_are_for_calls_upwards(hook):
    assert hook.paths()
    assert not [path for path in hook.paths() if path.startswith("ranking.")]
