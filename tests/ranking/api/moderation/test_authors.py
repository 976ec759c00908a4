"""In whose name a key may make which call: a table of calls × roles, and who is no author at all."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from ranking.api.moderation.authors import REFUSED
from ranking.models import AuditEntry, Key, Mode
from ranking.operations.keys import rotate_key
from tests.support.acts_by_api import CALLS, ROLES, make_author
from tests.support.api import call, make_key
from tests.support.factories import make_mode
from tests.support.savepoints import rolled_back

RANKS = ("staff", *ROLES, "root")
LIMITED = ("ban_player", "extend_ban", "shorten_ban", "lift_ban", "confirm_ban_proposal", "refuse_ban_proposal")


def test_a_key_may_do_what_its_author_may(site: dict[str, Any], subtests: pytest.Subtests) -> None:
    for role in RANKS:
        author = make_author(role)
        for name, asked in CALLS.items():
            with subtests.test(name=name, role=role), rolled_back():
                answer = asked.make(author.username, **site)
                allowed = RANKS.index(role) >= RANKS.index(asked.role)
                assert answer.status == (asked.status if allowed else 403)
                if not allowed:  # juniors have the right to ban, but not for so long
                    detail = answer.body["detail"]
                    assert detail.startswith("You may ") if name in LIMITED and role == ROLES[1] else detail == REFUSED


def test_nobody_else_is_an_author(site: dict[str, Any], subtests: pytest.Subtests) -> None:
    """One sentence for all, so that it doesn't tell which names exist."""
    make_author("root", "inactive", is_active=False)
    make_author("root", "no-staff", is_staff=False)
    User.objects.create_user("player")
    before = AuditEntry.objects.count()
    for name, asked in CALLS.items():
        for author in ("inactive", "no-staff", "player", "nobody", "MOD"):
            with subtests.test(name=name, author=author), rolled_back():
                answer = asked.make(author, **site)
                assert (answer.status, answer.body["detail"]) == (403, REFUSED)
                assert AuditEntry.objects.count() == before


def test_a_key_for_some_modes_reaches_no_further(site: dict[str, Any], subtests: pytest.Subtests) -> None:
    """What holds in all modes is refused; what belongs to one is refused to keys for others."""
    make_author("root")
    modes = (Mode.objects.get(slug="duel"), make_mode("other"))
    calls = {name: asked for name, asked in CALLS.items() if name != "list_incidents"}
    for name, asked in calls.items():
        with subtests.test(name=name), rolled_back():
            keys = {mode.slug: make_key(asked.scope, modes=[mode]) for mode in modes}
            statuses = {slug: asked.make("the root", key, **site).status for slug, key in keys.items()}
            assert statuses == {"duel": asked.status if asked.of_a_mode else 403, "other": 403}


def test_a_key_for_some_modes_lists_incidents_of_these(site: dict[str, Any]) -> None:
    keys = [make_key("moderate", modes=[mode]) for mode in (Mode.objects.get(slug="duel"), make_mode("other"))]
    assert [len(CALLS["list_incidents"].make("mod", key).body["items"]) for key in keys] == [1, 0]


def test_who_asks_and_why_has_to_be_said(site: dict[str, Any], subtests: pytest.Subtests) -> None:
    for name, asked in CALLS.items():
        with subtests.test(name=name), rolled_back():
            key = make_key(asked.scope)
            path = asked.path.format(**site)
            if asked.method == "GET":
                assert call("GET", path, key=key).fields == ["author"]
                continue
            answers = [call(asked.method, path, body, key=key) for body in (None, {}, [], b"nonsense", {"author": 1})]
            assert [answer.status for answer in answers] == [400] * 5
            body = {"author": "mod", **(asked.body or {})}
            why = "reason" if "reason" in body else "text"
            assert {"author", why} <= set(answers[1].fields)
            for bad in ("", " ", "x" * 1001, None, "\0", 1):
                answer = call(asked.method, path, body | {why: bad}, key=key)
                assert (answer.status, answer.fields) == (400, [why])
            assert call(asked.method, path, body | {"reasons": ""}, key=key).fields == ["reasons"]


def test_the_log_tells_keys_of_the_same_name_apart(site: dict[str, Any]) -> None:
    make_author("administrator", "boss")
    first = make_key("moderate", source="f" * 64)
    Key.objects.filter(source__slug="f" * 64).update(name="n" * 64)
    _, second = rotate_key(Key.objects.get(source__slug="f" * 64), now=timezone.now())
    CALLS["hide_player"].make("boss", first, **site)
    CALLS["show_player"].make("boss", second, **site)
    lines = AuditEntry.objects.filter(act__in=("hide", "show")).order_by("pk")
    assert list(lines.values_list("via", flat=True)) == [
        f"{'f' * 64} · {secret.split('_')[1]}" for secret in (first, second)
    ]
