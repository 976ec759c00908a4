"""Pages of matchmaking say only messages in each of their states, and say them in German."""

import pytest
from django.test import Client
from django.utils.translation import override

from matchmaking.models import Lobby
from matchmaking.refusals import Refusal
from tests.matchmaking.views.test_queues import visit
from tests.support.factories import NOW, ban_player
from tests.support.matchmaking import accept_all, make_lobby, make_player, make_queue, queue_up, start
from tests.support.pseudo_locale import faults_of, pseudo_locale

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]


def read(client: Client, address: str, language: str) -> str:
    response = client.get(address, {"lang": language})
    assert response.status_code == 200
    return response.text


def check(client: Client, address: str, german: str) -> None:
    assert german in " ".join(read(client, address, "de").split())
    with pseudo_locale() as code:
        body = read(client, address, code)
        assert f'<html lang="{code}"' in body
        assert [*faults_of(body)] == []


def test_joining_waiting_and_being_banned() -> None:
    queue, me = make_queue(), make_player()
    check(visit(me), "/play/", "Match suchen")
    check(visit(me), "/play/duel/", "Wo du stehst")
    queue_up(queue, me)
    check(visit(me), "/play/duel/", "Warteschlange verlassen")
    banned = make_player()
    ban_player(banned, scope="queue", by=None, reason="Cheating.", now=NOW)
    check(visit(banned), "/play/duel/", "Du bist dauerhaft für Warteschlangen gesperrt: Cheating.")


def test_a_lobby_until_its_match_is_on() -> None:
    lobby, people = make_lobby(make_queue())
    client, address = visit(people[0]), f"/lobbies/{lobby.pk}/"
    check(client, address, "Match gefunden")
    accept_all(lobby)
    assert "+0.26" in read(client, address, "en")
    check(client, address, "+0,26")  # the stakes are kept, but not for another language
    check(client, address, "Alle sind dabei")
    start(Lobby.objects.get(pk=lobby.pk))
    check(client, address, "Das Match läuft")


def test_refusals_speak_the_reader_s_language() -> None:
    refusal = Refusal("gone", player="kestrel")
    with override("de"):
        assert str(refusal) == "kestrel ist kein Spieler mehr."
    assert (str(refusal), refusal.code) == ("kestrel isn’t a player any more.", "gone")
