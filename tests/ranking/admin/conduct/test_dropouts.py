"""A forfeit is voided and restored from the incident that it is: ratings, points and lockout follow."""

import pytest
from django.urls import reverse

from ranking.matches.forfeits import record_forfeit
from ranking.models import AuditEntry, Incident, Mode, Player, Rating, Void
from ranking.rerating.reratings import rerate
from tests.support.admin_pages import page
from tests.support.factories import NOW

LIST = reverse("admin:ranking_incident_changelist")


@pytest.fixture
def dropout(world):
    """The incident of c, who dropped out of a lobby against a."""
    a, c = Player.objects.get(key="a"), Player.objects.get(key="c")
    record_forfeit(world, lobby="L", teams=[[a], [c]], player=c, reason="left", now=NOW)
    return Incident.objects.get(kind="dropout")


def send(client, action, *rows, **more):
    ticked = {"action": action, "index": "0", "_selected_action": [row.pk for row in rows]}
    return client.post(LIST, ticked | more, follow=True)


def told():
    rerate(Mode.objects.get(slug="duel"))
    rating = Rating.objects.get(player__key="c", mode__slug="duel")
    return rating.display_hundredths


def test_a_forfeit_is_voided_and_restored(dropout, boss):
    forfeited = told()
    asked = send(boss, "void", dropout)
    assert "▼" in asked.text
    assert "Void forfeits" in asked.text
    assert not Void.objects.exists()
    answered = send(boss, "void", dropout, confirmed="yes", reason="The server crashed.")
    assert "Void forfeits: " in answered.text
    assert not Incident.objects.counting().filter(pk=dropout.pk).exists()
    assert told() > forfeited
    send(boss, "void", dropout, confirmed="yes", reason="Once more.")
    assert Void.objects.count() == 1
    send(boss, "restore", dropout, confirmed="yes", reason="It had not.")
    assert told() == forfeited
    assert list(AuditEntry.objects.order_by("-pk").values_list("act", "reason")[:2]) == [
        ("restore", "It had not."), ("void", "The server crashed."),
    ]  # fmt: skip


def test_a_page_tells_what_the_forfeit_did_to_rating_and_rank(dropout, boss):
    assert "Rating 24.75 → 24.52, rank 2 → 2" in boss.get(page(dropout)).text
    told()
    send(boss, "void", dropout, confirmed="yes", reason="Crash.")
    told()
    assert "Not rated" in boss.get(page(dropout)).text
    assert "Not rated" not in boss.get(page(Incident.objects.get(kind="leave"))).text


def test_a_page_offers_what_makes_sense(dropout, boss):
    left = Incident.objects.get(kind="leave")
    assert set(boss.get(page(left)).context["object_actions"]) == {"pardon"}
    assert set(boss.get(page(dropout)).context["object_actions"]) == {"pardon", "void"}
    send(boss, "void", dropout, confirmed="yes", reason="Crash.")
    assert set(boss.get(page(dropout)).context["object_actions"]) == {"pardon", "restore"}


def test_other_incidents_are_passed_over(dropout, boss):
    left = Incident.objects.get(kind="leave")
    send(boss, "void", left, confirmed="yes", reason="?")
    assert send(boss, "void", dropout, confirmed="yes", reason=" ").context["form"].errors
    assert not Void.objects.exists()
