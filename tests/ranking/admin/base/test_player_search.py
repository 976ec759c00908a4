"""Moderators find what is about a player by a part of the name, in every list of the ledger and of conduct."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from ranking.models import Appeal, AuditEntry, Ban, Change, Finding, Incident, Player, Rating, Strike
from ranking.moderation.appeals import appeal_against
from ranking.moderation.sanctions import ban_player
from ranking.rules.report import PlayerReport
from tests.support.factories import NOW, make_finding, make_mode, record

pytestmark = pytest.mark.django_db

LISTS = [
    (Incident, "player"), (Ban, "player"), (AuditEntry, "player"), (Appeal, "player"), (Finding, "player"),
    (Change, "player"), (Rating, "player"), (Strike, "rating__player"),
]  # fmt: skip


@pytest.fixture(autouse=True)
def _two_who_left() -> None:
    """Two players with everything that lists show."""
    make_mode()
    moderator = User.objects.create(username="mod")
    for key, name in (("k69", "Quitter69"), ("k70", "Stayer")):
        record(["z"], [PlayerReport(id=key, name=name, left_early=True)])
        player = Player.objects.get(key=key)
        ban = ban_player(player, scope=Ban.QUEUE, by=moderator, reason="Left.", now=NOW)
        appeal_against(player, words="No.", now=NOW, ban=ban.pk)
        make_finding(player)
        Strike.objects.create(rating=player.ratings.get(), reason="Cheated.", struck_at=NOW)


@pytest.mark.parametrize(("model", "path"), LISTS)
@pytest.mark.parametrize("term", ["itter6", "quitter69", "QUITTER69", "k69"])
def test_found_by_any_part_of_the_name_or_the_whole_key(boss: Client, model: type, path: str, term: str) -> None:
    address = reverse(f"admin:ranking_{model.__name__.lower()}_changelist")
    found = boss.get(address, {"q": term}).context["cl"].queryset
    expected = model.objects.filter(**{f"{path}__key": "k69"})
    assert expected.exists()
    assert set(found) == set(expected)


def test_a_match_is_still_found_by_its_id(boss: Client) -> None:
    record(["z"], [PlayerReport(id="k69", left_early=True)], id="eu1-7")
    found = boss.get("/admin/ranking/incident/", {"q": "eu1-7"}).context["cl"].queryset
    assert [incident.match.external_id for incident in found] == ["eu1-7"]
