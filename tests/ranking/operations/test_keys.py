"""Keys: shown once, found by what they are, and what is noted of their use."""

import datetime as dt

import pytest

from ranking.models import Key
from ranking.operations.keys import create_key, find_key, revoke_key, rotate_key
from tests.support.factories import NOW, make_mode

pytestmark = pytest.mark.django_db


def make(**more) -> str:
    return create_key("eu", scopes=["results"], now=NOW, **more)


def test_a_secret_is_found_and_kept_nowhere():
    secret = make()
    key = find_key(secret, now=NOW)
    assert (key.source.slug, key.scopes, secret.split("_")[1]) == ("eu", ["results"], key.prefix)
    assert not any(secret.split("_", 2)[2] in str(value) for value in Key.objects.values_list()[0])


@pytest.mark.parametrize(
    "change", [lambda s: s + "x", lambda s: s[:-1], lambda s: s.upper(), lambda s: "", lambda s: "\0"]
)
def test_anything_else_is_not(change):
    assert find_key(change(make()), now=NOW) is None


def test_an_unknown_scope_is_refused():
    with pytest.raises(ValueError, match="Unknown scope 'everything'; scopes are results, servers"):
        create_key("eu", scopes=["results", "everything"], now=NOW)


@pytest.mark.parametrize(("seconds", "noted"), [(30, 0), (59, 0), (61, 61)])
def test_use_is_noted_to_the_minute(seconds, noted):
    secret = make()
    find_key(secret, now=NOW)
    find_key(secret, now=NOW + dt.timedelta(seconds=seconds))
    assert Key.objects.get().last_used_at == NOW + dt.timedelta(seconds=noted)


def test_two_keys_overlap_until_one_is_revoked():
    mode = make_mode()
    old = make(modes=[mode])
    key = find_key(old, now=NOW)
    successor, new = rotate_key(key, now=NOW)
    assert (successor.source, successor.scopes, list(successor.modes.all())) == (key.source, key.scopes, [mode])
    assert [find_key(secret, now=NOW) is not None for secret in (old, new)] == [True, True]
    assert (revoke_key(key, now=NOW), revoke_key(key, now=NOW)) == (True, False)
    assert [find_key(secret, now=NOW) is not None for secret in (old, new)] == [False, True]
