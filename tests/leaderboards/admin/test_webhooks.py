"""Webhooks in the admin: made with a secret shown once, tested, rotated, switched off; messages sent again."""

import datetime as dt
import re

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from leaderboards.models import Delivery, Webhook
from leaderboards.tasks import deliver_webhooks
from leaderboards.webhooks.signing import secret_of
from tests.support.factories import make_mode
from tests.support.page_tree import read_page
from tests.support.webhooks import make_hook

LIST, ADD = reverse("admin:leaderboards_webhook_changelist"), reverse("admin:leaderboards_webhook_add")
DELIVERIES = reverse("admin:leaderboards_delivery_changelist")
SECRET = re.compile(r"whsec_[\w+/=]{44}")


def page(row: object) -> str:
    return reverse(f"admin:leaderboards_{row._meta.model_name}_change", args=[row.pk])


def act(client: Client, action: str, *rows: object, address: str = LIST, **more: str):
    ticked = [row.pk for row in rows]
    return client.post(address, {"action": action, "index": 0, "_selected_action": ticked, **more}, follow=True)


def answers_of(response) -> list[str]:
    """What kinds of messages the admin answers with: success or warning."""
    return [each.attributes["class"] for each in read_page(response.text).one("ul.messagelist").all("li")]


@pytest.fixture
def boss(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("boss"))
    return client


@pytest.fixture
def clerk(db: None) -> Client:
    """May look at webhooks, and no more."""
    client, user = Client(), User.objects.create_user("clerk", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=["view_webhook", "view_delivery"]))
    client.force_login(user)
    return client


@pytest.fixture
def form() -> dict[str, object]:
    return {"name": "eu", "kind": "game", "url": "https://example.org/x", "events": ["match.rated"]}


def test_a_games_webhook_is_made_and_its_secret_shown_once(boss, form):
    mode = make_mode()
    made = boss.post(ADD, {**form, "modes": [mode.pk]})
    row = Webhook.objects.get()
    assert SECRET.findall(made.text) == [secret_of(row)]
    assert "no-store" in made.headers["Cache-Control"]
    assert (row.events, [*row.modes.all()], row.disabled_at) == (["match.rated"], [mode], None)
    assert not any(SECRET.search(boss.get(address).text) for address in (LIST, page(row)))


def test_a_discord_channel_has_no_secret(boss, form):
    made = boss.post(ADD, {**form, "kind": "discord"}, follow=True)
    assert (made.status_code, SECRET.findall(made.text)) == (200, [])


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("https://10.0.0.1/", "10.0.0.1 isn&#x27;t an address of the public internet."),
        ("https://me:pw@example.org/", "Leave name and password out of the address"),
        ("gopher://example.org/", "Enter a valid URL."),
    ],
)
def test_addresses_that_messages_may_not_go_to_are_refused(boss, form, url, said):
    assert said in boss.post(ADD, {**form, "url": url}).text
    assert Webhook.objects.count() == 0


def test_a_test_says_what_became_of_it(boss, hook, receiver):
    receiver.answers = [204, 500]
    for state, answer in (("Arrived", "204"), ("Trying again", "500: Internal Server Error")):
        sent = act(boss, "test", hook)
        assert (sent.redirect_chain[-1][0], answers_of(sent)) == (page(hook), ["success"])
        assert "Waiting" in sent.text
        deliver_webhooks()
        shown = boss.get(page(hook)).text
        assert ("Waiting" in shown, state in shown, answer in shown) == (False, True, True)
    assert [message.split("_")[0] for message in receiver.ids] == ["test", "test"]


def test_a_webhook_that_is_off_sends_no_test(boss, hook):
    act(boss, "switch_off", hook)
    assert "Send a test" not in boss.get(page(hook)).text
    assert answers_of(act(boss, "test", hook)) == ["warning"]
    assert Delivery.objects.count() == 0


def test_rotating_asks_and_happens_once(boss, hook):
    old = secret_of(hook)
    asked = act(boss, "rotate", hook)
    seen = re.search(r'name="seen" value="(\d+)"', asked.text)[1]
    made = act(boss, "rotate", hook, confirmed="yes", seen=seen)
    act(boss, "rotate", hook, confirmed="yes", seen=seen)
    hook.refresh_from_db()
    assert hook.rotation == 1
    assert SECRET.findall(made.text) == [secret_of(hook)] != [old]
    assert secret_of(hook, rotations_ago=1) == old


@pytest.mark.parametrize(("action", "verb"), [("test", "Test"), ("rotate", "Rotate the secret of")])
def test_an_act_on_a_webhook_that_is_gone_says_so(boss, hook, action, verb):
    Webhook.objects.all().delete()
    assert f"{verb} one " in act(boss, action, hook).text


def test_switching_off_and_on(boss, hook):
    assert "Switched off: game." in act(boss, "switch_off", hook).text
    assert Webhook.objects.get().disabled_at is not None
    assert "Switch on" in boss.get(page(hook)).text
    act(boss, "switch_on", hook)
    assert Webhook.objects.get().disabled_at is None


def test_a_viewer_sees_no_address_and_does_nothing(clerk, hook):
    Webhook.objects.update(url="https://discord.com/api/webhooks/1/hush", kind="discord")
    shown = clerk.get(page(hook)).text
    assert ("discord.com" in shown, "hush" in shown, "Send a test" in shown) == (True, False, False)
    assert "hush" not in clerk.get(LIST).text
    act(clerk, "switch_off", hook)
    assert Webhook.objects.get().disabled_at is None


def test_nobody_deletes(boss, hook):
    assert boss.post(reverse("admin:leaderboards_webhook_delete", args=[hook.pk]), {"post": "yes"}).status_code == 403


@pytest.fixture
def deliveries(hook) -> list[Delivery]:
    now = timezone.now()
    states = [{"delivered_at": now, "status": 204}, {"parked_at": now, "attempts": 8, "last_error": "500: No"}, {}]
    return [
        Delivery.objects.create(webhook=hook, type="match.rated", occasion=number, created_at=now, due_at=now, **state)
        for number, state in enumerate(states)
    ]


@pytest.mark.parametrize(
    ("state", "expected"), [("arrived", ["0"]), ("parked", ["1"]), ("waiting", ["2"]), ("", ["2", "1", "0"])]
)
def test_filters(boss, deliveries, state, expected):
    rows = boss.get(DELIVERIES, {"state": state} if state else {}).context["cl"].result_list
    assert [row.occasion for row in rows] == expected


def test_what_was_given_up_is_sent_again(boss, deliveries, hook):
    assert "Messages are parked" in boss.get(LIST).text
    assert "500: No" in boss.get(page(hook)).text
    done = act(boss, "again", deliveries[1], address=DELIVERIES)
    assert ("1 message is" in done.text, answers_of(done)) == (True, ["success"])
    assert Delivery.objects.filter(parked_at=None, delivered_at=None, attempts=0).count() == 2
    assert boss.get(page(deliveries[1])).status_code == 200


@pytest.mark.parametrize("more", [0, 30])
def test_lists_take_as_many_queries_however_long(boss, deliveries, hook, django_assert_num_queries, more):
    now = timezone.now() - dt.timedelta(days=1)
    Delivery.objects.bulk_create(
        Delivery(webhook=hook, type="test", occasion=f"x{number}", created_at=now, due_at=now) for number in range(more)
    )
    for number in range(more):
        make_hook(name=f"hook {number}")
    with django_assert_num_queries(5):
        boss.get(DELIVERIES)
    with django_assert_num_queries(5):
        boss.get(LIST)


def test_a_webhook_is_found_by_a_part_of_its_name(boss):
    make_hook(name="Night shift")
    make_hook(name="Day shift")
    rows = boss.get(LIST, {"q": "NIGHT"}).context["cl"].result_list
    assert [hook.name for hook in rows] == ["Night shift"]
