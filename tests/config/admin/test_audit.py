"""Whatever staff add, change or delete in the admin leaves a line in the audit log, in the same transaction."""

from typing import Any

import pytest
from django import forms
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import DatabaseError
from django.db.models import Model
from django.http import QueryDict
from django.test import Client
from django.urls import reverse

from ranking.models import AuditEntry, Mode
from ranking.operations.audit import ACTS
from tests.support.factories import make_role
from tests.support.refusing_databases import execute
from tests.support.savepoints import rolled_back
from tests.support.staff import client_of, post_act
from tests.support.whole_site import make_whole_site

# What a form of a new row needs beside what it proposes. A model that isn't here isn't filled in, and fails.
NEW: dict[str, Any] = {
    "account/emailaddress": {"user": "{user}", "email": "new@example.org"},
    "auth/group": {"name": "helpers"},
    "auth/user": {"username": "new", "usable_password": "false"},
    "leaderboards/webhook": {"name": "new", "kind": "game", "url": "https://example.org/x?token=s3cret",
                             "events": ["match.rated"]},
    "matchmaking/queue": {"mode": "{other mode}"},
    "ranking/cannedanswer": {"title": "Thanks", "text": "Thank you."},
    "ranking/key": {"source": "{ranking/source}", "scopes": ["read"], "name": "new"},
    "ranking/mode": {"name": "New", "slug": "new", "system": "elo"},
    "ranking/source": {"slug": "new"},
}  # fmt: skip
# What else must be filled in to change the row.
ALSO = {"leaderboards/webhook": {"events": ["match.rated"]}}
# Forms whose changes leave no line, and why.
UNLOGGED: dict[tuple[str, str], str] = {}


@pytest.fixture(scope="module")
def whole_site(module_db) -> dict[str, Any]:
    site = make_whole_site()
    return {**site, "other mode": Mode.objects.exclude(queue__isnull=False).latest("pk").pk}


@pytest.fixture
def site(db, whole_site) -> dict[str, Any]:
    return whole_site


@pytest.fixture
def root(site) -> Client:
    return client_of("root")


def name_of(model: type[Model]) -> str:
    return f"{model._meta.app_label}/{model._meta.model_name}"


def form_on(client: Client, address: str) -> Any:
    """The form of a page that saves something; None if there is no such page, or nothing to save on it."""
    response = client.get(address)
    if response.status_code != 200 or not response.context.get("adminform"):
        return None
    form = response.context["adminform"].form
    may = response.context["has_change_permission"] if response.context["change"] else True
    form.formsets = [each.formset for each in response.context["inline_admin_formsets"]]
    return form if form.fields and may and response.context.get("show_save", True) else None


def sent_by(form: Any) -> QueryDict:
    """What a browser sends if the form is left as it is."""
    sent = QueryDict(mutable=True)
    for bound in [*form, *(bound for formset in form.formsets for bound in formset.management_form)]:
        value, widget = bound.value(), bound.field.widget
        if isinstance(widget, forms.CheckboxInput):
            sent.update({bound.html_name: "on"} if value else {})
        elif isinstance(widget, forms.SelectMultiple | forms.CheckboxSelectMultiple):
            sent.setlist(bound.html_name, [getattr(each, "pk", each) for each in value or ()])
        else:
            shown = widget.format_value(value)
            sent[bound.html_name] = (shown[0] if shown else "") if isinstance(shown, list) else shown or ""
    return sent


def as_posted(sent: QueryDict) -> dict[str, Any]:
    """The same for the test client."""
    return dict(sent.lists())


def with_a_change(form: Any) -> QueryDict:
    """What a browser sends if the first tick or text is changed, or the first choice emptied."""
    sent = sent_by(form)
    for bound in form:
        if isinstance(bound.field, forms.BooleanField):
            _ = sent.pop(bound.html_name) if bound.html_name in sent else sent.update({bound.html_name: "on"})
            return sent
        if isinstance(bound.field, forms.CharField) and not isinstance(bound.field.widget, forms.HiddenInput):
            sent[bound.html_name] = f"x{sent[bound.html_name]}"
            return sent
        if isinstance(bound.field, forms.ModelChoiceField) and not bound.field.required:
            sent[bound.html_name] = ""
            return sent
    raise AssertionError(f"No field of {form} can be changed.")


def forms_of_the_site(client: Client, site: dict[str, Any]) -> dict[tuple[str, str], tuple[str, dict[str, Any]]]:
    """(model, verb) → the address and what is sent to it, for all that a superuser can add, change and delete."""
    found: dict[tuple[str, str], tuple[str, dict[str, Any]]] = {}
    for model in admin.site._registry:
        name = name_of(model)
        address = f"admin:{name.replace('/', '_')}"
        add = reverse(f"{address}_add")
        change, delete = (reverse(f"{address}_{verb}", args=[site[name]]) for verb in ("change", "delete"))
        if (form := form_on(client, add)) is not None:
            sent = sent_by(form)
            for field, value in NEW[name].items():
                sent.setlist(field, value if isinstance(value, list) else [value.format(**site)])
            found[name, "add"] = add, as_posted(sent)
        if (form := form_on(client, change)) is not None:
            sent = with_a_change(form)
            for field, value in ALSO.get(name, {}).items():
                sent.setlist(field, value)
            found[name, "change"] = change, as_posted(sent)
        if client.get(delete).status_code == 200:
            found[name, "delete"] = delete, {"post": "yes"}
    return found


def test_each_leaves_a_line(root, site):
    sent = forms_of_the_site(root, site)
    written = {}
    for (model, verb), (address, data) in sent.items():
        with rolled_back():
            last = AuditEntry.objects.latest("pk").pk
            response = root.post(address, data)
            errors = response.context and response.context.get("errors")
            lines = AuditEntry.objects.filter(pk__gt=last)
            acts = sorted({act.partition(" ")[0] for act in lines.values_list("act", flat=True)})
            written[model, verb] = acts or [str(response.status_code), str(errors), str(dict(data))]
            assert {line.act for line in lines} <= set(ACTS), model
            assert {line.who for line in lines} <= {"the root"}, model
            assert "s3cret" not in str([(line.subject, line.note) for line in lines])
    missing = [(each, acts) for each, acts in written.items() if each[1] not in acts and each not in UNLOGGED]
    assert not missing, "\n".join(map(str, missing))
    assert set(NEW) == {model for model, verb in sent if verb == "add"}
    assert {"change", "delete"} <= {verb for _, verb in sent}


# Acts that leave no line, and why.
UNTOLD = {
    ("leaderboards/delivery", "again"): "It sends once more what was sent already.",
    ("ranking/outboxentry", "again"): "It tries once more what the site does by itself.",
}


def test_each_act_that_is_done_leaves_a_line(root, site):
    """The admin's history of a row has an entry for each act that changed it."""
    silent = set()
    for model, page in admin.site._registry.items():
        for act in page.get_actions(root.get("/admin/").wsgi_request):
            with rolled_back():
                before = AuditEntry.objects.count(), LogEntry.objects.count()
                post_act(root, name_of(model), act, site[name_of(model)])
                if LogEntry.objects.count() > before[1] and AuditEntry.objects.count() == before[0]:
                    silent.add((name_of(model), act))
    assert silent - UNTOLD.keys() == set()


def test_rights_are_told_from_what_to_what_and_logins_are_not(root, site):
    change = reverse("admin:auth_user_change", args=[site["auth/user"]])
    sent = sent_by(form_on(root, change))
    sent.update({"is_superuser": "on", "first_name": "Secret"})
    sent.setlist("groups", [make_role("moderator").pk])
    root.post(change, as_posted(sent))
    new = {"password1": "a long s3cret", "password2": "a long s3cret", "set-password": "1"}
    root.post(change.replace("change/", "password/"), {"usable_password": "true", **new})
    account = f"account {site['auth/user']}"
    lines = AuditEntry.objects.filter(who="the root").order_by("pk").values_list("act", "subject", "note")
    assert list(lines) == [
        ("change roles", f"{account}: is_superuser, groups", "is_superuser: no → yes; groups: + moderator"),
        ("change account", f"{account}: first_name", "first_name: changed"),
        ("change password", account, ""),
    ]


def test_the_line_of_a_deletion_tells_what_the_row_held(root):
    user = User.objects.create_user("tess", "t@example.org", is_active=False)
    helped = User.objects.create_user("help")
    helped.groups.add(make_role("moderator"))
    for address in (reverse("admin:auth_user_delete", args=[row.pk]) for row in (user, helped)):
        root.post(address, {"post": "yes"})
    lines = AuditEntry.objects.filter(who="the root").order_by("pk").values_list("act", "subject", "note")
    assert list(lines) == [
        ("delete account", f"account {user.pk}", "is_active: no → –"),
        ("change roles", f"account {helped.pk}: groups", "groups: − moderator"),
        ("delete account", f"account {helped.pk}", "is_active: yes → –"),
    ]


def test_an_unknown_account_has_no_password_to_change(root):
    for number in ("abc", "0"):
        address = reverse("admin:auth_user_password_change", args=[number])
        assert [root.get(address).status_code, root.post(address, {}).status_code] == [404, 404], number


def test_a_command_line_says_that_it_was_one(site, capsys):
    call_command("create_key", "games", "--scope", "read", "--name", "eu")
    call_command("createsuperuser", "--noinput", "--username", "boss", "--email", "b@example.org")
    secret = capsys.readouterr().out.splitlines()[0]
    prefix, boss = secret.split("_")[1], User.objects.get(username="boss")
    call_command("rerate", "duel", "--reason", "Once more.")
    lines = AuditEntry.objects.filter(via="command line").order_by("pk")
    assert [(line.author, line.act, line.subject, line.note) for line in lines] == [
        ("A command line", "add key", f"key games · {prefix}", 'source: – → games; name: – → eu; scopes: – → ["read"]'),
        ("A command line", "change roles", f"account {boss.pk}: is_superuser", "is_superuser: no → yes"),
        ("A command line", "rate anew", "duel from 0", ""),
    ]
    assert secret not in str(list(AuditEntry.objects.values_list()))


def test_nothing_is_done_that_cannot_be_told(root, site):
    """A change whose line can't be written is undone."""
    kept = {}
    for (model, verb), (address, data) in forms_of_the_site(root, site).items():
        rows = apps.get_model(*model.split("/"))._default_manager
        with rolled_back():
            before = list(rows.order_by("pk").values())
            execute("ALTER TABLE ranking_auditentry RENAME TO ranking_elsewhere")
            with pytest.raises(DatabaseError):
                root.post(address, data)
            kept[model, verb] = list(rows.order_by("pk").values()) == before
    assert {each for each, unchanged in kept.items() if not unchanged} == set()
    assert len(kept) > 15
