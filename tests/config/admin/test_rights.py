"""What a role may do, as acts in the product's words: the table is whole, and saving takes nothing that isn't shown."""

import re
from collections import Counter
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, Permission, User
from django.urls import reverse

from config.people.permission_fields import names_of
from config.people.rights import RIGHTS, SECTIONS, beside, held_rights, permissions_of
from ranking.admin.base.acts.acts import OWN_RIGHTS, Act
from tests.support.factories import make_role
from tests.support.staff import ROLES, client_of

pytestmark = pytest.mark.django_db
PLACES = ["from_queues", "from_boards"]
WITHOUT_MEANING = {"matchmaking.delete_queue"}  # of roles: no page deletes a queue


def page_of(row: Any) -> str:
    return reverse(f"admin:auth_{row._meta.model_name}_change", args=[row.pk])


def permissions(*names: str) -> list[Permission]:
    return [
        Permission.objects.get(content_type__app_label=app, codename=name)
        for app, name in (n.split(".") for n in names)
    ]


def ticked(page: str, name: str = "permissions") -> list[str]:
    return re.findall(rf'name="{name}" value="([^"]+)"[^>]* checked', page)


def test_each_permission_stands_in_one_line_and_exists():
    everything = [name for right in RIGHTS.values() for name in right.permissions]
    assert [name for name, count in Counter(everything).items() if count > 1] == []
    assert set(everything) - names_of(Permission.objects.all()) == set()
    assert len(RIGHTS) == sum(map(len, SECTIONS.values()))


def test_the_table_has_what_roles_and_acts_ask_for():
    """Each permission of a role, that of each act of a list, and that of each list itself."""
    of_roles = {name for role in ROLES for name in names_of(make_role(role).permissions.all())}
    request: Any = type("Request", (), {"GET": {}, "user": User(is_superuser=True, is_staff=True, is_active=True)})()
    asked = set()
    for model, page in admin.site._registry.items():
        app, name = model._meta.app_label, model._meta.model_name
        asked.add(f"{app}.view_{name}")
        for act, *_names in page.get_actions(request).values():
            if isinstance(act, Act):
                asked.add(f"{app}.{act.right}_{name}" if act.right in OWN_RIGHTS else act.right)
    assert (of_roles | asked) - permissions_of(RIGHTS) == WITHOUT_MEANING


def test_a_group_is_a_list_of_acts():
    group, client = make_role("moderator"), client_of("root")
    page = client.get(page_of(group)).text
    assert page.count('type="checkbox" name="permissions"') == len(RIGHTS)
    for section in SECTIONS:
        assert f"<legend>{section}</legend>" in page
    assert "> Pardon incidents, and revoke pardons</label>" in page
    before = names_of(group.permissions.all())
    assert (set(ticked(page)), beside(before)) == (held_rights(before), [])
    sent = {"name": group.name, "bans_from": PLACES, "permissions": [key for key in ticked(page) if key != "ban"]}
    assert client.post(page_of(group), sent).status_code == 302
    assert before - names_of(group.permissions.all()) == {"ranking.add_ban"}


@pytest.mark.parametrize("kind", ["group", "user"])
def test_what_the_table_lacks_is_shown_and_kept(kind):
    """A right of no act, and a part of an act."""
    client = client_of("root")
    names = {"matchmaking.delete_queue", "ranking.view_leaver", "ranking.add_ban"}
    row: Any = Group.objects.create(name="x") if kind == "group" else User.objects.create_user("x", is_staff=True)
    field = "permissions" if kind == "group" else "user_permissions"
    getattr(row, field).set(permissions(*names))
    page = client.get(page_of(row)).text
    assert set(ticked(page, field)) == {"ban", "matchmaking.delete_queue", "ranking.view_leaver"}
    assert ("Rights beside these" in page, "> Matchmaking: delete queue</label>" in page) == (True, True)

    def save(*rights: str) -> set[str]:
        more = (
            {"name": "x", "bans_from": PLACES}
            if kind == "group"
            else {"username": "x", "is_active": "on", "is_staff": "on"}
        )
        dates = {"date_joined_0": "2026-05-20", "date_joined_1": "12:00"}
        answer = client.post(page_of(row), {**more, **dates, field: list(rights)})
        assert answer.status_code == 302, answer.context["adminform"].form.errors
        return names_of(getattr(row, field).all())

    assert save(*ticked(page, field)) == names
    assert save("warn", "matchmaking.delete_queue") == {"ranking.add_playerwarning", "matchmaking.delete_queue"}
    assert save() == set()


def test_what_is_no_right_is_refused(subtests):
    group, client = make_role("viewer"), client_of("root")
    before = names_of(group.permissions.all())
    for bad in ("1", "ranking.rule_the_world", "", "\0", "x" * 5000, "ranking."):
        with subtests.test(bad[:20]):
            answer = client.post(page_of(group), {"name": "viewer", "bans_from": PLACES, "permissions": ["warn", bad]})
            assert "There is no right" in answer.text
            assert names_of(group.permissions.all()) == before


def test_few_queries_for_any_group(django_assert_max_num_queries):
    client = client_of("root")
    for role in ("viewer", "administrator"):
        group = make_role(role)
        client.get(page_of(group))
        with django_assert_max_num_queries(8):
            client.get(page_of(group))
