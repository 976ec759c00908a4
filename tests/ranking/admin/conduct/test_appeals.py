"""Appeals in the admin: decided on their page, and opened again from there and from the list."""

import datetime as dt

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from ranking.admin.base.acts.confirmation import CONFIRMED
from ranking.models import Appeal, AuditEntry, Ban, Player
from ranking.moderation.appeals import appeal_against, decide_appeals
from tests.support.factories import NOW, ban_player, make_mode, make_staff, record

pytestmark = pytest.mark.django_db
LIST = "/admin/ranking/appeal/"


@pytest.fixture
def appeal(_appeal: None, db: None) -> Appeal:
    return Appeal.objects.get()


@pytest.fixture(scope="module")
def _appeal(module_db: None) -> None:
    make_mode()
    record(["a"], ["b"])
    player = Player.objects.get(key="a")
    ban = ban_player(player, scope=Ban.QUEUE, by=None, reason="Insults.", now=NOW)
    appeal_against(player, words="No.", now=NOW, ban=ban.pk)


@pytest.fixture
def moderator(client: Client) -> Client:
    user = make_staff("moderator", "mod")
    client.force_login(user)
    return client


def act(client: Client, name: str, appeal: Appeal, query: str = "") -> None:
    """As a moderator does it: the button, the page that asks, its button."""
    asked = client.post(f"{LIST}{query}", {"action": name, "_selected_action": [appeal.pk]})
    assert [row.pk for row in asked.context["rows"]] == [appeal.pk]
    assert asked.context["back"] == f"{LIST}{query}"
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


def test_the_buttons_say_what_becomes_of_the_ban(moderator: Client, appeal: Appeal) -> None:
    page = moderator.get(f"{LIST}{appeal.pk}/change/")
    labels = page.context["object_actions"]
    assert (labels["grant"], labels["confirm"]) == ("Lift the ban…", "Uphold the ban…")


def test_the_list_begins_with_the_inbox(moderator: Client, appeal: Appeal) -> None:
    assert [row.pk for row in moderator.get(LIST).context["cl"].result_list] == [appeal.pk]
    act(moderator, "confirm", appeal)
    assert list(moderator.get(LIST).context["cl"].result_list) == []


def more_appeals(*keys: str) -> list[Appeal]:
    """An open appeal of each of these players, a minute after one another."""
    made = []
    for minutes, key in enumerate(keys, start=1):
        record([key], ["b"])
        player, now = Player.objects.get(key=key), NOW + dt.timedelta(minutes=minutes)
        ban = ban_player(player, scope=Ban.QUEUE, by=None, reason="Insults.", now=now)
        made.append(appeal_against(player, words="No.", now=now, ban=ban.pk))
    return made


def rows(client: Client, query: str) -> list[int]:
    return [row.pk for row in client.get(f"{LIST}{query}").context["cl"].result_list]


def next_of(client: Client, appeal: Appeal) -> list[str]:
    links = client.get(reverse("admin:ranking_appeal_change", args=[appeal.pk])).context.get("object_links") or {}
    return [address for address, label in links.items() if label == "Next appeal"]


def send(client: Client, name: str, appeal: Appeal, **given: object):
    return client.post(LIST, {"action": name, "_selected_action": [appeal.pk], **given}, follow=True)


def test_appeals_are_assigned_and_filtered_by_it(moderator: Client, appeal: Appeal) -> None:
    other = make_staff("moderator", "other")
    make_staff("viewer")
    second, third = more_appeals("c", "d")
    send(moderator, "take", appeal)
    asked = send(moderator, "assign", second)
    assert [user.username for user in asked.context["form"].fields["to"].queryset] == ["mod", "other"]
    send(moderator, "assign", second, to=other.pk, confirmed="yes")
    everything = [appeal.pk, second.pk, third.pk]
    assert [rows(moderator, query) for query in ("", "?assigned=me", "?assigned=nobody")] == [
        everything, [appeal.pk], [third.pk],
    ]  # fmt: skip
    assert moderator.get(f"{LIST}?assigned=x").status_code == 400
    send(moderator, "unassign", second)
    assert rows(moderator, "?assigned=nobody") == [second.pk, third.pk]
    log = AuditEntry.objects.filter(act__endswith="assign appeal").order_by("pk")
    assert list(log.values_list("act", "reason")) == [
        ("assign appeal", "To mod."), ("assign appeal", "To other."), ("unassign appeal", "To nobody."),
    ]  # fmt: skip


def test_the_next_appeal_is_the_next_oldest_that_nobody_else_has(moderator: Client, appeal: Appeal) -> None:
    second, third = more_appeals("c", "d")
    order = {appeal: second, second: third, third: appeal}
    assert [next_of(moderator, row) for row in order] == [[f"{LIST}{row.pk}/change/"] for row in order.values()]
    act(moderator, "confirm", appeal)
    Appeal.objects.filter(pk=second.pk).update(assigned_to=User.objects.create_user("other"))
    assert next_of(moderator, appeal) == [f"{LIST}{third.pk}/change/"]
    assert next_of(moderator, third) == []


def test_a_decision_leads_to_the_next_appeal(moderator: Client, appeal: Appeal) -> None:
    second, third = more_appeals("c", "d")
    texts = {"reason": "We looked.", CONFIRMED: "yes"}
    for decided, then in ((second, third), (third, appeal), (appeal, appeal)):
        page = send(moderator, "confirm", decided, **texts)
        assert page.redirect_chain == [(f"{LIST}{then.pk}/change/", 302)]
        shown = f'<a href="{LIST}{decided.pk}/change/">Show it</a>' in page.content.decode()
        assert shown == (decided != then)


def test_who_comes_second_is_told_who_decided(moderator: Client, appeal: Appeal) -> None:
    other = User.objects.create_user("other", is_staff=True)
    Appeal.objects.filter(pk=appeal.pk).update(assigned_to=other)
    asked = send(moderator, "grant", appeal)
    assert "Assigned to other" in asked.text
    decide_appeals([appeal.pk], grant=False, by=other, reason="No.", now=NOW)
    for confirmed in ({}, {"confirmed": "yes", "reason": "Yes."}):
        text = send(moderator, "grant", appeal, **confirmed).text
        assert "turned down by other" in text
    assert Appeal.objects.values_list("decision", "answer").get() == (Appeal.CONFIRMED, "No.")
