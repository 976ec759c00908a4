"""Former names that a moderator takes away: nobody else sees them, or finds a player by them."""

import datetime as dt

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from ranking.models import AuditEntry, Player
from ranking.moderation.sanctions import take_names_away
from ranking.players.former_names import find_by_former_name
from ranking.players.players import names_of
from ranking.rules.report import PlayerReport
from tests.support.api import get
from tests.support.factories import NOW, make_mode, record

pytestmark = pytest.mark.django_db


@pytest.fixture
def fox():
    """A player who was called Barwalker, then Rude, and is called Fox."""
    make_mode()
    for day, name in enumerate(("Barwalker", "Rude", "Fox")):
        record(
            [PlayerReport("fox", name=name)], ["x"], ended_at=NOW + dt.timedelta(days=day), now=NOW + dt.timedelta(3)
        )
    return Player.objects.get(key="fox")


def test_moderators_alone_see_them_and_find_by_them(fox):
    assert names_of(fox) == ["Rude", "Barwalker"]
    assert take_names_away([fox.pk], by=None, reason="Insults.", now=NOW) == [fox]
    assert (names_of(fox), names_of(fox, everything=True)) == ([], ["Rude", "Barwalker"])
    assert (find_by_former_name("rude"), find_by_former_name("rude", everything=True)) == ({}, {fox.pk: "Rude"})
    assert get("players/fox/").body["names"] == []
    assert [each["name"] for each in get("players/?q=fox").body["items"]] == ["Fox"]
    assert AuditEntry.objects.values_list("act", "player", "reason").get() == ("take names away", fox.pk, "Insults.")


def test_again_there_is_nothing_to_take(fox):
    take_names_away([fox.pk], by=None, reason="Insults.", now=NOW)
    assert take_names_away([fox.pk], by=None, reason="Insults.", now=NOW) == []
    record([PlayerReport("fox", name="Wolf")], ["x"], ended_at=NOW + dt.timedelta(days=4), now=NOW + dt.timedelta(5))
    assert names_of(Player.objects.get(pk=fox.pk)) == ["Fox"]  # a name given up later is another
    with pytest.raises(ValueError, match="Say why"):
        take_names_away([fox.pk], by=None, reason="", now=NOW)


def test_by_the_admin(client: Client, fox):
    client.force_login(User.objects.create_superuser("boss"))
    sent = {"action": "names", "_selected_action": [fox.pk], "reason": "Insults.", "confirmed": "yes"}
    client.post(reverse("admin:ranking_player_changelist"), sent)
    assert names_of(fox) == []
