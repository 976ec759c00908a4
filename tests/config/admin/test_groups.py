"""The form of a group: its longest ban."""

import pytest
from django.contrib.auth.models import Group
from django.urls import reverse

from config.people.permission_fields import PermissionsField
from ranking.models import AuditEntry, BanLimit
from tests.support.factories import make_role
from tests.support.staff import client_of

pytestmark = pytest.mark.django_db
BOTH = ["from_queues", "from_boards"]


def page_of(group: Group) -> str:
    return reverse("admin:auth_group_change", args=[group.pk])


def limits() -> dict[str, tuple[int | None, bool, bool]]:
    rows = BanLimit.objects.values_list("group__name", "hours", "from_queues", "from_boards")
    return {name: tuple(limit) for name, *limit in rows}


def test_a_superuser_sets_the_longest_ban_of_a_role(subtests):
    group, client = make_role("moderator"), client_of("root")
    BanLimit.objects.exclude(group__name="junior moderator").delete()
    junior = {"junior moderator": (24, True, False)}
    permissions = PermissionsField().prepare_value(group.permissions.all())
    for sent, limit, line in (
        (
            {"longest_ban": "720", "bans_from": BOTH},
            (720, True, True),
            "for any time → from queues and boards for 30 days",
        ),
        ({"longest_ban": "", "bans_from": BOTH[:1]}, (None, True, False), "for 30 days → from queues for any time"),
        (
            {"longest_ban": "", "bans_from": BOTH},
            None,
            "from queues for any time → from queues and boards for any time",
        ),
    ):
        with subtests.test(sent):
            body = {"name": "moderator", "permissions": permissions, **sent}
            assert client.post(page_of(group), body).status_code == 302
            assert limits() == {**junior, **({"moderator": limit} if limit else {})}
            entry = AuditEntry.objects.latest("pk")
            assert (entry.act, entry.subject) == ("change role", "role moderator: longest ban")
            assert line in entry.note
    for sent, field in (
        ({"longest_ban": "0", "bans_from": BOTH}, "longest_ban"),
        ({"longest_ban": "1.5", "bans_from": BOTH}, "longest_ban"),
        ({"longest_ban": "87601", "bans_from": BOTH}, "longest_ban"),
        ({"longest_ban": "1"}, "bans_from"),
        ({"longest_ban": "1", "bans_from": ["life"]}, "bans_from"),
    ):
        with subtests.test(sent):
            answer = client.post(page_of(group), {"name": "moderator", "permissions": permissions, **sent})
            assert list(answer.context["adminform"].form.errors) == [field]
            assert limits() == junior


def test_who_is_no_superuser_reads_the_limit():
    """As far as they may see groups at all."""
    assert client_of("administrator").get(page_of(make_role("junior moderator"))).status_code == 403
