"""Saved filters × everybody: whoever opens a list keeps filters of it, for themself alone."""

from collections import Counter
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from ranking.models import SavedFilter
from ranking.operations.saved_filters import save_filter
from tests.support.savepoints import rolled_back
from tests.support.staff import OTHERS, PAGES, ROLES, changelist, client_of
from tests.support.whole_site import make_whole_site

FILTER = "?q=1"


@pytest.fixture(scope="module")
def whole_site(module_db) -> dict[str, Any]:
    return make_whole_site()


@pytest.fixture
def site(db, whole_site) -> dict[str, Any]:
    return whole_site


def keep_filters(client: Client) -> set[str]:
    """Save a filter of each list; return the lists of which there is one more."""
    before = Counter(SavedFilter.objects.values_list("list", flat=True))
    for model in PAGES:
        client.post(changelist(model) + FILTER, {"filter_name": "mine"})
    return {name.replace(".", "/") for name in Counter(SavedFilter.objects.values_list("list", flat=True)) - before}


def test_who_keeps_filters_of_which_list(site, settings):
    given = {who: keep_filters(client_of(who)) for who in (*ROLES, "root", *OTHERS[:3])}
    settings.ADMIN_MFA = True
    given[OTHERS[3]] = keep_filters(client_of(OTHERS[3]))
    ranks = [*ROLES, "root"]
    wanted = {
        who: {model for model, (first, *_) in PAGES.items() if who in ranks and first in ranks[: ranks.index(who) + 1]}
        for who in given
    }
    assert given == wanted
    owners = set(SavedFilter.objects.values_list("owner__username", flat=True))
    assert owners == {f"the {who}" for who in ranks}


def test_nobody_reads_or_removes_the_filters_of_another(site, settings):
    owner = User.objects.create_superuser("owner")
    saved = save_filter(owner=owner, name="zzmine", query="q=1", filtered_list="ranking.incident")
    given, everybody = {}, (*ROLES, "root", *OTHERS)
    for who in everybody:
        with rolled_back():
            client = client_of(who)
            settings.ADMIN_MFA = who == OTHERS[3]
            page = client.get(changelist("ranking/incident"), follow=True).text
            client.post(changelist("ranking/incident"), {"forget_filter": saved.pk})
            given[who] = ("zzmine" in page, list(SavedFilter.objects.all()))
    assert given == dict.fromkeys(everybody, (False, [saved]))


def test_a_filter_of_a_role_that_was_taken_away_is_out_of_reach(site):
    given = {}
    for role in ROLES:
        with rolled_back():
            client = client_of(role)
            kept = "ranking/incident" in keep_filters(client)
            User.objects.get(username=f"the {role}").groups.clear()
            response = client.get(changelist("ranking/incident") + FILTER)
            given[role] = (kept, response.status_code, "mine" in response.text)
    assert given == dict.fromkeys(ROLES, (True, 403, False))
