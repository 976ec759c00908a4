"""What goes with a player who leaves for good, beside the ledger, and what of others stays."""

import pytest

from leaderboards.accounts.erasure import erase_player
from leaderboards.models import Avoidance, Blocking, Delivery, Following, Notice, Watch, Webhook
from leaderboards.people.following import avoid_player
from leaderboards.webhooks.events import MATCH_RATED, PLAYER_PROMOTED
from ranking.models import Mode, Player, Rating
from tests.support.factories import NOW, make_mode, record

pytestmark = pytest.mark.django_db


@pytest.fixture
def people() -> dict[str, Player]:
    """Three, each of whom follows, blocks and avoids the others, has a notice, a watch and a promotion on its way."""
    mode = make_mode()
    record(["me"], ["a"])
    record(["me"], ["b"])
    found = {player.key: player for player in Player.objects.all()}
    hook = Webhook.objects.create(name="hook", kind=Webhook.GAME, url="https://example.org", created_at=NOW)
    for player in found.values():
        for other in (other for other in found.values() if other != player):
            Following.objects.create(follower=player, followed=other, since=NOW)
            Blocking.objects.create(blocker=player, blocked=other, since=NOW)
            avoid_player(player, other, now=NOW)
        Notice.objects.create(player=player, kind="top", occasion="1:5", data={"percent": 5}, mode=mode, created_at=NOW)
        Watch.objects.create(rating=Rating.objects.get(player=player))
        deliver(hook, PLAYER_PROMOTED, f"1-{player.pk}-3", {"player": {"id": player.key, "name": player.name}})
    deliver(hook, MATCH_RATED, str(found["me"].pk))
    return found


def deliver(hook: Webhook, type: str, occasion: str, data: dict | None = None) -> None:
    Delivery.objects.create(webhook=hook, type=type, occasion=occasion, data=data, created_at=NOW, due_at=NOW)


def counts() -> dict[str, int]:
    return {
        model.__name__: model.objects.count() for model in (Following, Blocking, Avoidance, Notice, Watch, Delivery)
    }


def test_what_is_theirs_goes_and_that_of_others_stays(people: dict[str, Player]) -> None:
    assert counts() == {"Following": 6, "Blocking": 6, "Avoidance": 6, "Notice": 3, "Watch": 3, "Delivery": 4}
    erase_player(people["me"])
    assert counts() == {"Following": 2, "Blocking": 2, "Avoidance": 2, "Notice": 2, "Watch": 2, "Delivery": 3}
    promoted = Delivery.objects.filter(type=PLAYER_PROMOTED).values_list("data__player__id", flat=True)
    assert set(promoted) == {"a", "b"}
    assert not Notice.objects.filter(player=people["me"]).exists()
    assert Mode.objects.count() == 1


def test_a_part_of_a_number_is_somebody_else(people: dict[str, Player]) -> None:
    hook = Webhook.objects.get()
    pk = people["me"].pk
    others = [f"{pk}-{pk}0-{pk}", f"{pk}-1{pk}-{pk}"]
    for occasion in others:
        deliver(hook, PLAYER_PROMOTED, occasion)
    erase_player(people["me"])
    assert set(Delivery.objects.filter(occasion__in=others).values_list("occasion", flat=True)) == set(others)
