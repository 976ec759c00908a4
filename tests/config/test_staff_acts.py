"""Each act of the admin × everybody who may try it: whom the page offers it, and that nobody else gets it done."""

from typing import Any

import pytest
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.test import Client, override_settings

from ranking.models import AuditEntry
from tests.support.savepoints import rolled_back
from tests.support.staff import OTHERS, PAGES, ROLES, client_of, post_act
from tests.support.whole_site import make_whole_site

# Model → act → the first of these roles that has it; "root": superusers alone. Higher roles have it, too.
ACTS: dict[str, dict[str, str]] = {
    "account/emailaddress": {"make_verified": "root"},
    "leaderboards/avatar": {"allow": "moderator", "remove": "moderator"},
    "leaderboards/delivery": {"again": "administrator"},
    "leaderboards/webhook": {
        "rotate": "administrator",
        "switch_off": "administrator",
        "switch_on": "administrator",
        "test": "administrator",
    },
    "matchmaking/lobby": {"abort": "moderator"},
    "matchmaking/server": {"count": "moderator", "end_rest": "moderator"},
    "matchmaking/ticket": {"end": "moderator"},
    "ranking/appeal": {
        "assign": "moderator",
        "confirm": "moderator",
        "grant": "moderator",
        "reopen": "moderator",
        "take": "moderator",
        "unassign": "moderator",
    },
    "ranking/ban": dict.fromkeys(("extend", "lift", "resume", "shorten"), "junior moderator"),
    "ranking/banproposal": dict.fromkeys(("confirm", "refuse", "reopen", "withdraw"), "junior moderator"),
    "ranking/complaintcase": {"dismiss": "moderator", "reopen": "moderator", "uphold": "moderator"},
    "ranking/doubledmatch": {"dismiss": "moderator", "void": "moderator"},
    "ranking/finding": {"confirm": "moderator", "dismiss": "moderator"},
    "ranking/incident": {
        "pardon": "moderator",
        "restore": "moderator",
        "revoke": "moderator",
        "void": "moderator",
    },
    "ranking/key": {"revoke": "administrator", "rotate": "administrator"},
    "ranking/leaver": {
        "ban": "junior moderator",
        "hide": "moderator",
        "note": "junior moderator",
        "pardon": "moderator",
        "propose": "junior moderator",
        "show": "moderator",
        "warn": "junior moderator",
    },
    "ranking/match": {"pardon": "moderator", "restore": "moderator", "void": "moderator"},
    "ranking/outboxentry": {"again": "administrator"},
    "ranking/player": {
        "accept": "moderator",
        "anonymise": "administrator",
        "bot": "moderator",
        "hide": "moderator",
        "note": "junior moderator",
        "names": "moderator",
        "person": "moderator",
        "release": "administrator",
        **dict.fromkeys(("rename", "reset", "undo_rename", "unlock"), "moderator"),
        "show": "moderator",
        "warn": "junior moderator",
    },
    "ranking/playernote": {"withdraw": "junior moderator"},
    "ranking/playerwarning": {"withdraw": "junior moderator"},
    "ranking/rating": {"lift_strike": "moderator", "strike": "moderator"},
}


@pytest.fixture(scope="module")
def whole_site(module_db) -> dict[str, Any]:
    return make_whole_site()


@pytest.fixture
def site(db, whole_site) -> dict[str, Any]:
    return whole_site


def acts_of_the_site() -> dict[str, set[str]]:
    request: Any = type("Request", (), {"GET": {}, "user": User(is_superuser=True, is_staff=True, is_active=True)})()
    return {
        f"{model._meta.app_label}/{model._meta.model_name}": set(page.get_actions(request))
        for model, page in admin.site._registry.items()
        if page.get_actions(request)
    }


def holders(model: str, act: str) -> set[str]:
    first = ACTS[model][act]
    return {"root", *(ROLES[ROLES.index(first) :] if first in ROLES else ())}


# Pages beside these. {…}: a row of that model. Planning is a calculator, for all of the staff.
BESIDE = {
    "matchmaking/planning/": "staff without a role",
    "matchmaking/planning/simulation/": "staff without a role",
    "ranking/auditentry/export.csv": "moderator",
    "ranking/incident/after-a-crash/": "moderator",
    "ranking/leaver/{ranking/leaver}/void-since/": "moderator",
    "ranking/match/{ranking/match}/correct/": "moderator",
    "ranking/mode/{ranking/mode}/evaluate/": "administrator",
    "ranking/mode/{ranking/mode}/fit/": "administrator",
    "ranking/mode/{ranking/mode}/rate-anew/": "administrator",
    "ranking/mode/{ranking/mode}/end-season/": "administrator",
    "ranking/season/{ranking/season}/standings.csv": "viewer",
    "ranking/mode/{ranking/mode}/take-back-end/": "administrator",
    "ranking/player/{player}/merge/": "administrator",
}


def first_openers() -> dict[str, str]:
    """The first of the roles that opens it, by page."""
    pages = {
        f"{model}/{page.format(model)}": first
        for model, roles in PAGES.items()
        for page, first in zip(("", "add/", "{{{}}}/change/"), roles, strict=True)
    }
    return {**pages, **BESIDE}


Seen = tuple[set[str], set[tuple[str, str]]]


def look(client: Client, site: dict[str, Any]) -> Seen:
    """The pages that somebody opens, and the acts that the lists of models offer them."""
    opened, offered = set(), set()
    for page in first_openers():
        response = client.get(f"/admin/{page.format(**site)}")
        if response.status_code == 200:
            opened.add(page)
        if (model := page.rstrip("/")) in ACTS and (form := response.context and response.context.get("action_form")):
            offered |= {(model, name) for name, _ in form.fields["action"].choices if name}
    return opened, offered


@pytest.fixture(scope="module")
def seen(whole_site) -> dict[str, Seen]:
    """What everybody sees; who is an administrator without the second factor, of a site that asks for it."""
    with rolled_back():
        found = {who: look(client_of(who), whole_site) for who in (*ROLES, "root", *OTHERS[:3])}
        with override_settings(ADMIN_MFA=True):
            return {**found, OTHERS[3]: look(client_of(OTHERS[3]), whole_site)}


def test_every_model_has_a_row():
    """Every other route has one in the table of routes."""
    models = {f"{model._meta.app_label}/{model._meta.model_name}" for model in admin.site._registry}
    assert set(PAGES) == models


def test_who_opens_which_page(site, seen):
    given = {who: opened for who, (opened, _) in seen.items()}
    ranks = [OTHERS[2], *ROLES, "root"]
    wanted = {
        who: {
            page for page, first in first_openers().items() if who in ranks and first in ranks[: ranks.index(who) + 1]
        }
        for who in given
    }
    assert given == wanted


def test_every_act_has_a_row():
    assert {model: set(acts) for model, acts in ACTS.items()} == acts_of_the_site()


def test_whom_the_pages_offer_it(site, seen):
    given = {who: offered for who, (_, offered) in seen.items()}
    wanted = {
        who: {(model, act) for model, acts in ACTS.items() for act in acts if who in holders(model, act)}
        for who in given
    }
    assert given == wanted


def test_nobody_else_gets_it_done(site, settings):
    """An act that is sent without being offered writes nothing into the logs, and changes no row."""
    before, after = written(site), {}
    for who in (*ROLES, *OTHERS):
        with rolled_back():
            client = client_of(who)
            settings.ADMIN_MFA = who == OTHERS[3]
            for model, acts in ACTS.items():
                for act in acts:
                    if who not in holders(model, act):
                        post_act(client, model, act, site[model])
            after[who] = written(site)
    assert {who: rows for who, rows in after.items() if rows != before} == {}


def written(site: dict[str, Any]) -> list[Any]:
    rows = [list(model.objects.filter(pk=site[name]).values()) for name, model in models_with_acts().items()]
    return [AuditEntry.objects.count(), LogEntry.objects.count(), rows]


def models_with_acts() -> dict[str, Any]:
    return {
        f"{model._meta.app_label}/{model._meta.model_name}": model
        for model in admin.site._registry
        if f"{model._meta.app_label}/{model._meta.model_name}" in ACTS
    }


@pytest.mark.parametrize("act", ["hide", "release"])
def test_who_has_it_gets_it_done_in_the_same_way(site, act):
    before = written(site)
    post_act(client_of("administrator"), "ranking/player", act, site["ranking/player"])
    assert written(site) != before
