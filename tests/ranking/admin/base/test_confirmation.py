"""The page that asks before an act: "Cancel" leads back to where the act was asked for."""

import re

import pytest
from django.urls import reverse
from django.utils import timezone

from ranking.models import Player
from tests.support.factories import make_mode, record

pytestmark = pytest.mark.django_db


@pytest.fixture
def player():
    make_mode()
    record(["a"], ["b"], ended_at=timezone.now(), now=timezone.now())
    return Player.objects.get(key="a")


def cancelled(page):
    return re.search(r'class="closelink" href="([^"]*)"', page.text)[1]


def test_cancel_leads_back_to_the_players_page(boss, player):
    page = reverse("admin:ranking_leaver_change", args=[player.pk])
    form = re.search(
        r'<form method="post" action="([^"]*)">(?:(?!</form>).)*value="ban".*?</form>', boss.get(page).text, re.S
    )
    fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', form[0]))
    asked = boss.post(form[1], fields)
    assert cancelled(asked) == page
    again = boss.post(form[1], {**asked.context["hidden"], "action": "ban", "index": 0, "_selected_action": player.pk})
    assert again.context["form"].errors
    assert cancelled(again) == page


@pytest.mark.parametrize("came_from", ["", "https://elsewhere.example/", "//elsewhere.example/", "javascript:alert(1)"])
def test_cancel_leads_nowhere_else(boss, player, came_from):
    fields = {"action": "ban", "index": 0, "_selected_action": player.pk, "came_from": came_from}
    leavers = reverse("admin:ranking_leaver_changelist")
    assert cancelled(boss.post(leavers, fields)) == leavers
