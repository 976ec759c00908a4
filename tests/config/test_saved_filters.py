"""Saved filters × everybody: whoever opens a list keeps filters of it, for themself alone."""

from collections import Counter
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from ranking.models import SavedFilter
from ranking.operations.saved_filters import save_filter
from tests.support.staff import OTHERS, PAGES, ROLES, changelist, client_of
from tests.support.whole_site import make_whole_site

pytestmark = pytest.mark.django_db
FILTER = "?q=1"


@pytest.fixture
def site(db) -> dict[str, Any]:
    return make_whole_site()


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


@pytest.mark.parametrize("who", [*ROLES, "root", *OTHERS])
def test_nobody_reads_or_removes_the_filters_of_another(site, settings, who):
    owner = User.objects.create_superuser("owner")
    saved = save_filter(owner=owner, name="zzmine", query="q=1", filtered_list="ranking.incident")
    client = client_of(who)
    settings.ADMIN_MFA = who == OTHERS[3]
    assert "zzmine" not in client.get(changelist("ranking/incident"), follow=True).text
    client.post(changelist("ranking/incident"), {"forget_filter": saved.pk})
    assert SavedFilter.objects.get() == saved


@pytest.mark.parametrize("role", ROLES)
def test_a_filter_of_a_role_that_was_taken_away_is_out_of_reach(site, role):
    client = client_of(role)
    assert "ranking/incident" in keep_filters(client)
    User.objects.get(username=f"the {role}").groups.clear()
    response = client.get(changelist("ranking/incident") + FILTER)
    assert (response.status_code, "mine" in response.text) == (403, False)
