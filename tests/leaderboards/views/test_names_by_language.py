"""Every page says a studio's names in the language of its reader: nowhere is a plain name that has another one."""

from collections.abc import Iterable

import pytest
import time_machine
from django.contrib.auth.models import User
from django.test import Client

from matchmaking.models import Queue
from ranking.models import Match, Mode, Season
from tests.support.browsed_sites import fill_past_season, fill_site
from tests.support.factories import LATER
from tests.support.pages import OWN, PAST, full

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_site")]
PLAIN = "Plainname"


def names(what: str) -> dict[str, str]:
    return {"en": f"English {what}", "de": f"Deutsch {what}"}


def give_names() -> None:
    tiers = [
        {"name": f"{PLAIN} {what}", "from": first, "names": names(what)}
        for what, first in (("low", 1), ("middle", 40), ("high", 70))
    ]
    columns = [{"stat": "kills", "name": PLAIN, "names": names("kills")}]
    for mode in Mode.objects.all():
        named = {"name": f"{PLAIN} {mode.slug}", "names": names(mode.slug)}
        Mode.objects.filter(pk=mode.pk).update(**named, named_tiers=tiers, scoreboard=columns)
    Season.objects.update(name=PLAIN, next_name=PLAIN, names=names("season"), next_names=names("next"))


def pages(client: Client, addresses: Iterable[str]) -> dict[str, str]:
    """The pages in German, as far as they are; the others in English."""
    client.cookies["language"] = "de"
    answers = {address: client.get(address) for address in addresses}
    return {address: answer.text for address, answer in answers.items() if answer.status_code == 200}


@pytest.fixture(scope="module")
def _site(module_db: None) -> None:
    with time_machine.travel(LATER, tick=False):
        fill_site()
        fill_past_season()
        for slug in ("team", "crowd"):
            Queue.objects.create(mode=Mode.objects.get(slug=slug))
        give_names()


@pytest.mark.parametrize("entered", [False, True])
def test_no_page_says_a_plain_name(client: Client, entered: bool) -> None:
    if entered:
        client.force_login(User.objects.get(username="fox"))
    team_match = Match.objects.filter(mode__slug="team").latest("pk").pk
    texts = pages(client, [*full(team_match), *PAST, *OWN, "/play/team/", "/queues/"])
    assert [there for there, text in texts.items() if PLAIN in text] == []
    assert sum("Deutsch team" in text for text in texts.values()) > 20
    assert sum("Deutsch season" in text for text in texts.values()) > 5
    assert sum("Deutsch high" in text for text in texts.values()) > 5


def test_the_api_says_the_plain_name(client: Client) -> None:
    slugs = Mode.objects.values_list("slug", flat=True)
    assert {"crowd", "fun", "team"} <= {*slugs}
    assert names_in_api(client) == {f"{PLAIN} {slug}" for slug in slugs}


def names_in_api(client: Client) -> set[str]:
    answer = client.get("/api/v1/modes/", headers={"Accept-Language": "de"}).json()
    return {mode["name"] for mode in answer["items"]}
