"""What belongs to another player, named by its number: nothing of it is told, and nothing happens to it."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from leaderboards.models import Notice
from matchmaking.models import Invitation
from matchmaking.parties import parties
from ranking.models import Appeal, Ban, Player
from tests.support.api import Answer, call, make_token
from tests.support.factories import NOW, ban_player, record
from tests.support.matchmaking import make_queue

pytestmark = pytest.mark.django_db
NOTHING = 999_999


@pytest.fixture
def owned() -> dict[str, int]:
    """What `me` has: an invitation of `friend` to a party, an unread notice, a ban. `thief` has an account, too."""
    make_queue(size=2)
    record(["me"], ["friend"])
    record(["thief"], ["friend"])
    people = {player.key: player for player in Player.objects.all()}
    for key in ("me", "thief"):
        Player.objects.filter(key=key).update(user=User.objects.create_user(key))
    invitation = parties.invite(people["me"], by=people["friend"], now=NOW)
    ban = ban_player(people["me"], scope=Ban.BOTH, by=None, reason="Cheating.", now=NOW)
    Notice.objects.all().delete()
    notice = Notice.objects.create(player=people["me"], kind="placed", occasion="1", created_at=NOW)
    return {"party": invitation.party_id, "notice": notice.pk, "ban": ban.pk}


@pytest.fixture
def thief(owned) -> Client:
    client = Client()
    client.force_login(User.objects.get(username="thief"))
    return client


def state() -> tuple[Any, ...]:
    rows = (model.objects.order_by("pk").values() for model in (Invitation, Notice, Appeal, Ban))
    return tuple(map(list, rows))


def as_thief(path: str) -> Answer:
    return call("POST", path, key=make_token(Player.objects.get(key="thief")))


@pytest.mark.parametrize("verb", ["accept", "decline"])
def test_an_invitation_to_a_party(owned, thief, verb):
    before = state()
    theirs, nothing = (as_thief(f"parties/{number}/{verb}/") for number in (owned["party"], NOTHING))
    assert (theirs.status, theirs.body["detail"]) == (nothing.status, nothing.body["detail"])
    pages = [thief.post(f"/party/{verb}/", {"party": number}) for number in (owned["party"], NOTHING)]
    assert [page.status_code for page in pages] == [409, 409]
    assert state() == before


@pytest.mark.parametrize("field", ["notice", "upto"])
def test_a_notice(owned, thief, field):
    before = state()
    assert thief.post("/notifications/read/", {field: owned["notice"]}).status_code == 302
    assert state() == before
    assert list(thief.get("/notifications/").context["page"].lines) == []


@pytest.mark.parametrize("method", ["get", "post"])
def test_an_appeal(owned, thief, method):
    before = state()
    answers = [
        getattr(thief, method)(f"/conduct/appeal/ban/{number}/", {"words": "Not me."}, follow=True)
        for number in (owned["ban"], NOTHING)
    ]
    assert [[str(message) for message in answer.context["messages"]] for answer in answers] == [
        [str(message) for message in answers[1].context["messages"]]
    ] * 2
    assert "Cheating." not in answers[0].content.decode()
    assert state() == before
