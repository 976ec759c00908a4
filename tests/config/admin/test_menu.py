"""The admin's menu: each model once, and no group that the reader sees nothing of."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.support.factories import make_staff

pytestmark = pytest.mark.django_db


def groups(client: Client, address: str) -> dict[str, list[str]]:
    """The headings of a page's menu, each with its models."""
    modules = client.get(address).text.split("<caption>")[1:]
    return {re.findall(r">([^<]+)</a>", module)[0]: re.findall(r'<th scope="row" id="ranking-(\w+)"', module)
            for module in modules}  # fmt: skip


@pytest.mark.parametrize("address", ["/admin/", "/admin/ranking/"])
def test_moderators_see_each_model_once_and_no_empty_group(client: Client, address: str) -> None:
    user = make_staff("moderator", "mod")
    client.force_login(user)
    menu = groups(client, address)
    ledger = {heading: models for heading, models in menu.items() if models}
    assert list(ledger) == ["Play", "Conduct", "Under the hood"]
    assert "Senders" not in menu
    models = [model for names in ledger.values() for model in names]
    assert len(models) == len(set(models))
    assert ledger["Play"] == ["match", "mode", "player", "rating"]


def test_who_may_see_nothing_reads_whom_to_ask(client: Client) -> None:
    client.force_login(User.objects.create_user("clerk", is_staff=True))
    assert "Ask an administrator for a role." in client.get("/admin/").text
