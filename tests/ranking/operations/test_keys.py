"""Keys: shown once, found by what they are, and what is noted of their use."""

import datetime as dt

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.utils import timezone

from ranking.models import Key
from ranking.operations.keys import KeyEnded, create_key, find_key, revoke_key, rotate_key, violations
from tests.support.factories import NOW, make_mode

pytestmark = pytest.mark.django_db
DAY = dt.timedelta(days=1)


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
    with pytest.raises(KeyEnded):
        find_key(old, now=NOW)
    assert find_key(new, now=NOW) is not None


def test_a_key_is_refused_from_its_expiry_on():
    secret = make(expires_at=NOW + DAY)
    assert find_key(secret, now=NOW + DAY - dt.timedelta(seconds=1)) is not None
    with pytest.raises(KeyEnded, match=r"^This key expired on 21 May 2026, 12:00 UTC\.$") as ended:
        find_key(secret, now=NOW + DAY)
    assert ended.value.code == "expired-key"


@pytest.mark.parametrize(
    ("expires", "overlap", "first", "successor"),
    [(None, None, None, None), (None, 2, 2, None), (10, 2, 2, 11), (2, 5, 2, 3), (10, None, 10, 11)],
)
def test_a_rotated_key_works_for_the_overlap_and_its_successor_as_long_as_it_did(expires, overlap, first, successor):
    made, later = NOW, NOW + DAY

    def days(number):
        return None if number is None else made + number * DAY

    key = find_key(make(expires_at=days(expires), name="cluster", limit=7), now=made)
    new, _ = rotate_key(key, now=later, overlap=None if overlap is None else overlap * DAY - DAY)
    assert (new.name, new.limit) == ("cluster", 7)
    assert [Key.objects.get(pk=row.pk).expires_at for row in (key, new)] == [days(first), days(successor)]


@pytest.mark.parametrize(("expires", "successors"), [(None, None), (30, 30)])
def test_a_key_that_is_rotated_twice_has_successors_for_as_long_as_it_was_made(expires, successors):
    key = find_key(make(expires_at=None if expires is None else NOW + expires * DAY), now=NOW)
    later = NOW + 10 * DAY
    made = [rotate_key(key, now=later, overlap=DAY)[0] for _ in range(2)]
    assert key.expires_at == later + DAY
    assert [row.expires_at for row in made] == [None if successors is None else later + successors * DAY] * 2


def test_doctor_warns_a_week_before():
    for days in (6, 8):
        make(expires_at=NOW + days * DAY, name=f"in {days}")
    assert [(found.code, "in 6" in found.sentence) for found in violations(NOW)] == [("key.expiring", True)]


def run(*flags):
    call_command("create_key", "eu", "--scope", "results", *flags)


def test_the_command_gives_name_expiry_and_limit():
    run("--name", "cluster 2", "--expires", "30", "--limit", "100")
    key = Key.objects.get()
    assert (key.name, key.limit, key.expires_at - key.created_at) == ("cluster 2", 100, 30 * DAY)
    run("--expires", "2999-01-31")
    assert Key.objects.order_by("pk").last().expires_at == dt.datetime(2999, 1, 31, tzinfo=dt.UTC)


def test_the_command_refuses_nonsense(subtests):
    for flag, value, sentence in [
        ("--expires", "soon", "--expires must be days, such as 30, or a date"),
        ("--expires", "0", "--expires must be in the future"),
        ("--expires", "99999999999", "--expires must be days"),
        ("--expires", "2020-01-01", "--expires must be in the future"),
        ("--limit", "0", "--limit must be 1 to"),
        ("--limit", "99999999999", "--limit must be 1 to"),
        ("--name", "x" * 65, "The name has 65 characters"),
    ]:
        with subtests.test(flag=flag, value=value):
            with pytest.raises(CommandError, match=sentence):
                run(flag, value)
            assert not Key.objects.exists()


def test_an_own_limit_goes_before_the_sites(client, settings):
    settings.LIMITS = {**settings.LIMITS, "key": 1000}
    secret = create_key("small", scopes=["read"], now=timezone.now(), limit=2)
    with time_machine.travel(timezone.now(), tick=False):  # no border of two windows
        answers = [client.get("/api/v1/modes/", HTTP_AUTHORIZATION=f"Bearer {secret}") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert [answer["RateLimit-Limit"] for answer in answers] == ["2", "2", "2"]
    assert [answer["RateLimit-Remaining"] for answer in answers] == ["1", "0", "0"]
