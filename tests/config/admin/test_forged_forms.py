"""No value that somebody forges in a form of the admin is an error of the site."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django import forms
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpResponse
from django.test import Client

from ranking.models import Merge, Mode, Player
from tests.support.admin_routes import ADMIN_ROUTES, of_models
from tests.support.caches import forget_everything
from tests.support.fit_results import stored_fit
from tests.support.html_forms import Form, forms_of
from tests.support.whole_site import make_whole_site

pytestmark = pytest.mark.django_db
NONSENSE = ("zz", "", "9" * 25, "-1", "x" * 20_000, "2026-13-45")
OTHER_BUTTONS = ("_addanother", "_continue")  # they do as _save does, and lead elsewhere
# What is sent in fields that are empty, so that the forms are good ones but for the nonsense.
FILLED = {
    "reason": "Somebody asked.", "title": "Thanks", "text": "You were right.", "slug": "new", "name": "New",
    "username": "new", "email": "new@example.org", "password1": "four words and 4", "password2": "four words and 4",
    "url": "https://example.org/", "kind": "game", "events": "match.rated", "scopes": "read", "lines": "fox,Fox,40",
    "when": "anew", "since": "2026-05-20T00:00", "until": "2026-05-21T00:00",
}  # fmt: skip
Values = dict[str, Any]


@dataclass
class Page:
    """A page with a form, and the button that is pressed."""

    address: str
    form: Form
    button: str

    def __str__(self) -> str:
        return " ".join([self.address, *self.form.values.get("action", ()), self.button])

    def send(self, client: Client, forged: Values) -> HttpResponse:
        """Send the form with these values; what that changes is undone."""
        send = client.post if self.form.method == "post" else client.get
        cookies = client.cookies.copy()
        forget_everything()
        with transaction.atomic():
            answer = send(self.address, {**self.form.values, self.button: "x", **forged})
            transaction.set_rollback(True)
        client.cookies = cookies
        return answer


def make_site() -> Values:
    """The whole site, and what stands in addresses and forms for its rows."""
    site = make_whole_site()
    past, rival = Mode.objects.get(slug="past"), Player.objects.get(key="rival")
    more = {"past": past.pk, "fit": stored_fit(past).pk, "merged": Merge.objects.get().merged_id, "rival": rival.pk}
    filled = {"source": site["ranking/source"], "user": site["user"], "mode": past.pk}
    return {**site, **more, "filled": {**FILLED, **filled}}


MORE = (
    "/admin/ranking/mode/{past}/take-back-end/",
    "/admin/ranking/mode/{past}/fit/{fit}/use/0/",
    "/admin/ranking/player/{merged}/split/",
    "/admin/ranking/player/{player}/merge/?merged={rival}",
)


def form_pages(client: Client, site: Values) -> Iterator[Page]:
    """The pages with forms at all addresses of the table of routes; lists have none but filters."""
    lists = {f"/admin/{model._meta.app_label}/{model._meta.model_name}/" for model in admin.site._registry}
    addresses = (*(address for _, _, address, _ in (*ADMIN_ROUTES, *of_models())), *MORE)
    for address in sorted({address.format(**site) for address in addresses} - lists):
        found = list(forms_at(address, client.get(address), site))
        yield from found
        buttons = {page.button for page in found}
        for page in found:
            if page.button == "preview":
                previewed = forms_at(address, page.send(client, {}), site)
                yield from (each for each in previewed if each.button not in buttons)


def action_pages(client: Client, site: Values) -> Iterator[Page]:
    """The pages on which actions of lists ask for more."""
    for model in admin.site._registry:
        name = f"{model._meta.app_label}/{model._meta.model_name}"
        actions = client.get(f"/admin/{name}/").context.get("action_form")
        for action, _ in actions.fields["action"].choices if actions else ():
            ticked = {"action": [action], "index": ["0"], "_selected_action": [site.get(name, 0)]}
            page = Page(f"/admin/{name}/", Form("post", "", ticked), "")
            yield from forms_at(page.address, page.send(client, {}), site)


def forms_at(address: str, answer: HttpResponse, site: Values) -> Iterator[Page]:
    if answer.status_code != 200 or not answer.headers["Content-Type"].startswith("text/html"):
        return
    for form in forms_of(answer.text):
        form.values.pop("csrfmiddlewaretoken", None)
        if form.action in ("", address) and form.values:
            empty = [name for name, value in form.values.items() if not any(value)]
            form.values.update({name: [site["filled"][name]] for name in empty if name in site["filled"]})
            yield from (Page(address, form, button) for button in form.buttons or [""] if button not in OTHER_BUTTONS)


def refused_in(answer: HttpResponse) -> set[str]:
    """The names of the fields that the forms on a page find fault with."""
    contexts = answer.context if isinstance(answer.context, list) else [answer.context or ()]
    shown = [value for context in contexts for each in context for value in each.values()]
    found = [getattr(value, "form", value) for value in shown]
    return {form.add_prefix(name) for form in found if isinstance(form, forms.BaseForm) for name in form.errors}


@pytest.mark.parametrize("pages", [form_pages, pytest.param(action_pages, marks=pytest.mark.long)])
def test_nonsense_in_forms_of_the_admin_is_no_error_of_the_site(pages):
    """In all fields at once; then in those that take it, so that what comes after the form has it, too."""
    client, failures = Client(raise_request_exception=False), []
    client.force_login(User.objects.create_superuser("boss"))
    for page in pages(client, make_site()):
        for value in NONSENSE:
            names = set(page.form.values)
            answer = page.send(client, dict.fromkeys(names, value))
            if answer.status_code < 500 and (refused := refused_in(answer)):
                names -= refused
                answer = page.send(client, dict.fromkeys(names, value))
            if answer.status_code >= 500:
                failures.append(f"{page}: {value[:30]!r} in {sorted(names)}: {answer.status_code}")
    assert failures == []
