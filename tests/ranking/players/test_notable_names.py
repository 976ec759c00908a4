"""Names that look like those of the staff or of top players are found, until a moderator accepts them."""

import datetime as dt

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from ranking.models import AcceptedName, Mode, Player, Rating
from ranking.players import notable_names
from ranking.players.administration import accept_names
from ranking.players.anonymising import anonymise_player
from ranking.players.notable_names import to_look_at
from ranking.rules.report import PlayerReport
from ranking.standings.publishing import publish
from tests.support.factories import NOW, make_mode, record

pytestmark = pytest.mark.django_db
ACT = {"by": None, "reason": "Their real name.", "now": NOW}


def name(**names: str) -> None:
    for key, given in names.items():
        minutes = dt.timedelta(minutes=Rating.objects.count())
        record([PlayerReport(id=key, name=given)], ["rival"], ended_at=NOW + minutes, now=NOW + minutes)


def found() -> list[str]:
    return list(Player.objects.filter(to_look_at()).order_by("key").values_list("key", flat=True))


@pytest.fixture(autouse=True)
def _stars(db, monkeypatch):
    """Two top players, and one of the staff with a player of another name."""
    monkeypatch.setattr(notable_names, "TOP", 2)
    mode = make_mode()
    name(star="Kestrel", moon="Night Owl", low="Sparrow", staff="Wren")
    User.objects.create_user("overseer", is_staff=True)
    Player.objects.filter(key="staff").update(user=User.objects.get())
    Player.objects.filter(key="low").update(user=User.objects.create_user("sparrow"))
    publish(mode, now=NOW + dt.timedelta(hours=1))
    for place, key in enumerate(("star", "moon", "low", "staff", "rival")):
        Rating.objects.filter(player__key=key).update(listed=True, published_hundredths=90_000 - place)


def test_who_looks_like_staff_or_a_top_player():
    name(a="KestreI", b="Night 0wl", c="Overseer", d="0verseer", e="Wгen", f="Sparr0w", g="Owl", h="Кestrel2")
    assert found() == ["a", "b", "c", "d", "e"]
    Mode.objects.update(ranked=False)
    assert found() == ["c", "d", "e"]
    User.objects.filter(username="overseer").update(is_active=False)
    assert found() == []


def test_a_top_player_may_look_like_staff_or_like_a_better_one():
    name(moon="0verseer")
    assert found() == ["moon"]
    name(moon="KestreI")
    assert found() == ["moon"]
    name(moon="Night Owl")
    assert found() == []


def test_an_accepted_name_is_looked_at_again_once_it_looks_otherwise():
    name(a="KestreI", b="Kestre1")
    players = list(Player.objects.filter(key__in="ab").order_by("key"))
    assert accept_names([players[0].pk], **ACT) == players[:1]
    assert accept_names([players[0].pk], **ACT) == []
    assert found() == ["b"]
    name(a="Dove")
    name(a="0verseer")
    assert found() == ["a", "b"]
    assert accept_names([players[0].pk], **ACT) == players[:1]
    assert found() == ["b"]
    anonymise_player(players[0], now=NOW)
    assert not AcceptedName.objects.exists()


def test_as_many_queries_however_many_players(django_assert_num_queries):
    for number in (1, 30):
        name(**{f"k{number}{index}": f"Kestrel {index}" for index in range(3)}, **{f"l{number}": "KestreI"})
        with django_assert_num_queries(4):  # seasons, the board of one mode, staff, players
            assert list(Player.objects.filter(to_look_at()).values_list("name", flat=True))


def test_the_list_and_the_page(admin_client):
    name(a="KestreI", b="0verseer", c="Dove")
    page = admin_client.get(reverse("admin:ranking_player_changelist", query={"lookalike": "notable"}))
    assert sorted(player.key for player in page.context["cl"].result_list) == ["a", "b"]
    staffish = Player.objects.get(key="b")
    address = reverse("admin:ranking_player_change", args=[staffish.pk])
    page = admin_client.get(address)
    assert "Like staff or a top player" in page.text
    assert "accept" in page.context["object_actions"]
    accept_names([staffish.pk], **ACT)
    assert "accept" not in admin_client.get(address).context["object_actions"]
