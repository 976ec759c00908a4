"""Appeals in the admin: decided on their page, and opened again from there and from the list."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from ranking.admin.base.confirmation import CONFIRMED
from ranking.models import Appeal, Ban, Player
from ranking.moderation.appeals import appeal_against
from ranking.moderation.sanctions import ban_player
from tests.support.factories import NOW, make_mode, make_role, record

pytestmark = pytest.mark.django_db
LIST = "/admin/ranking/appeal/"


@pytest.fixture
def appeal() -> Appeal:
    make_mode()
    record(["a"], ["b"])
    player = Player.objects.get(key="a")
    ban = ban_player(player, scope=Ban.QUEUE, by=None, reason="Insults.", now=NOW)
    return appeal_against(player, words="No.", now=NOW, ban=ban.pk)


@pytest.fixture
def moderator(client: Client) -> Client:
    user = User.objects.create_user("mod", is_staff=True)
    user.groups.add(make_role("moderator"))
    client.force_login(user)
    return client


def act(client: Client, name: str, appeal: Appeal, query: str = "") -> None:
    """As a moderator does it: the button, the page that asks, its button."""
    asked = client.post(f"{LIST}{query}", {"action": name, "_selected_action": [appeal.pk]})
    assert [row.pk for row in asked.context["rows"]] == [appeal.pk]
    assert asked.context["back"] == reverse("admin:ranking_appeal_changelist")
    texts = {"reason": "We looked again.", "note": "Ticket 7."}
    client.post(asked.context["back"], {"action": name, "_selected_action": [appeal.pk], CONFIRMED: "yes", **texts})
    appeal.refresh_from_db()


@pytest.mark.parametrize("query", ["", "?state=decided", "?state=all"])
@pytest.mark.parametrize(("name", "decision"), [("grant", Appeal.GRANTED), ("confirm", Appeal.CONFIRMED)])
def test_an_appeal_is_decided_and_opened_again(
    moderator: Client, appeal: Appeal, name: str, decision: str, query: str
) -> None:
    act(moderator, name, appeal)
    assert appeal.decision == decision
    act(moderator, "reopen", appeal, query)
    assert (appeal.decision, appeal.decided_at) == ("", None)
    act(moderator, "confirm", appeal)
    assert appeal.decision == Appeal.CONFIRMED


def test_the_list_begins_with_the_inbox(moderator: Client, appeal: Appeal) -> None:
    assert [row.pk for row in moderator.get(LIST).context["cl"].result_list] == [appeal.pk]
    act(moderator, "confirm", appeal)
    assert list(moderator.get(LIST).context["cl"].result_list) == []
