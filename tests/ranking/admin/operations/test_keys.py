"""Keys: the secret stands on one page, once; rotated and revoked after a yes."""

import re

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.sessions.models import Session
from django.urls import reverse

from ranking.models import Key
from ranking.operations.keys import find_key, revoke_key
from tests.support.api import make_key
from tests.support.factories import NOW, make_mode, make_source

LIST, ADD = reverse("admin:ranking_key_changelist"), reverse("admin:ranking_key_add")
SECRET = re.compile(r"rungs_[0-9a-f]{8}_[\w-]{40,}")


@pytest.fixture
def form(boss):
    """What a browser sends for a new key of a source, bound to a mode."""
    fresh = re.search(r'name="fresh" value="([0-9a-f]{8})"', boss.get(ADD).text)[1]
    return {"source": make_source("eu").pk, "scopes": ["read", "results"], "modes": [make_mode().pk], "fresh": fresh}


def secrets_in(response) -> list[str]:
    return SECRET.findall(response.text)


def test_a_key_is_made_and_shown_once(boss, form, caplog):
    made = boss.post(ADD, form)
    assert (made.status_code, len(secrets_in(made))) == (200, 1)
    assert "no-store" in made.headers["Cache-Control"]
    secret = secrets_in(made)[0]
    key = find_key(secret, now=NOW)
    assert (key.source.slug, key.scopes, [mode.slug for mode in key.modes.all()]) == (
        "eu",
        ["read", "results"],
        ["duel"],
    )
    kept = [*Session.objects.all(), *LogEntry.objects.values_list(), *Key.objects.values_list()]
    assert secret not in str(kept) + caplog.text
    assert not any(secret in str(session.get_decoded()) for session in Session.objects.all())
    for address in (ADD, LIST, reverse("admin:ranking_key_change", args=[key.pk])):
        assert secrets_in(boss.get(address)) == []


def test_sending_the_form_again_makes_and_shows_nothing(boss, form):
    boss.post(ADD, form)
    again = boss.post(ADD, form)
    assert "already" in again.text
    assert (Key.objects.count(), secrets_in(again)) == (1, [])


def test_half_a_form_makes_no_key(boss, form):
    fields = [("scopes", []), ("scopes", ["everything"]), ("source", ""), ("fresh", "../etc"), ("modes", [99])]
    for field, value in fields:
        assert boss.post(ADD, {**form, field: value}).status_code == 200, (field, value)
        assert Key.objects.count() == 0, (field, value)


@pytest.fixture
def key(boss, form) -> Key:
    boss.post(ADD, form)
    return Key.objects.get()


def act(client, action, *keys, **more):
    return client.post(LIST, {"action": action, "index": 0, "_selected_action": [key.pk for key in keys], **more})


def test_rotating_asks_then_shows_a_second_key_with_the_same_rights(boss, key):
    asked = act(boss, "rotate", key)
    prefix = re.search(r'name="prefix" value="([0-9a-f]{8})"', asked.text)[1]
    made = act(boss, "rotate", key, confirmed="yes", prefix=prefix)
    successor = find_key(secrets_in(made)[0], now=NOW)
    assert (successor.source, successor.scopes, [*successor.modes.all()]) == (
        key.source,
        key.scopes,
        [*key.modes.all()],
    )
    assert Key.objects.filter(revoked_at=None).count() == 2
    again = act(boss, "rotate", key, confirmed="yes", prefix=prefix)
    assert (again.status_code, again.headers["Location"]) == (302, f"{LIST}{successor.pk}/change/")
    assert Key.objects.count() == 2


def test_one_working_key_is_rotated_at_a_time(boss, key):
    act(boss, "revoke", key, confirmed="yes")
    assert act(boss, "rotate", key, confirmed="yes", prefix="0" * 8).status_code == 302
    missing = boss.post(LIST, {"action": "rotate", "index": 0, "_selected_action": 99_999}, follow=True)
    assert secrets_in(missing) == []
    assert "one key" in missing.text
    assert Key.objects.count() == 1


def test_a_made_up_prefix_only_asks_again(boss, key):
    for prefix in ("", "x", "0123456789", "ABCDEF12"):
        assert secrets_in(act(boss, "rotate", key, confirmed="yes", prefix=prefix)) == [], prefix
        assert Key.objects.count() == 1, prefix


def test_revoking_asks_then_ends_a_key(boss, key):
    assert 'name="confirmed"' in act(boss, "revoke", key).text
    assert Key.objects.get().revoked_at is None
    act(boss, "revoke", key, confirmed="yes")
    first = Key.objects.get().revoked_at
    act(boss, "revoke", key, confirmed="yes")
    assert Key.objects.get().revoked_at == first is not None


def test_a_key_is_not_edited(boss, key):
    before = Key.objects.values().get()
    assert boss.post(reverse("admin:ranking_key_change", args=[key.pk]), {"scopes": ["servers"]}).status_code == 403
    assert Key.objects.values().get() == before
    assert key.digest not in boss.get(reverse("admin:ranking_key_change", args=[key.pk])).text


def test_keys_are_listed_by_whether_they_work(boss, key):
    make_key(source="other")
    revoke_key(key, now=NOW)
    shown = {
        state: [found.source.slug for found in boss.get(LIST, {"state": state}).context["cl"].result_list]
        for state in ("works", "revoked", "")
    }
    assert shown == {"works": ["other"], "revoked": ["eu"], "": ["other", "eu"]}
    assert boss.get(LIST, {"state": "x"}).status_code == 400


def test_a_key_is_found_by_its_name_or_source(boss):
    for source in ("eu", "other"):
        make_key(source=source)
    Key.objects.filter(source__slug="eu").update(name="Night shift")
    wanted = {"ight": 1, "eu": 1, "NIGHT": 1, "us": 0}
    assert {term: len(boss.get(LIST, {"q": term}).context["cl"].result_list) for term in wanted} == wanted
