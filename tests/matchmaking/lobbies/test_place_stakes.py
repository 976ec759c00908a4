"""The stakes of more than two teams: a strip of places, which is what the match then does, computed once a viewer."""

import re
from dataclasses import replace
from decimal import Decimal

import pytest
from django.test import Client

from matchmaking.lobbies.page import load_lobby_page
from matchmaking.models import Lobby
from ranking.models import Mode, Player, Rating
from ranking.systems.elo.system import Elo
from tests.support.factories import NOW, make_report, make_source, record, record_result
from tests.support.matchmaking import accept_all, form, later, make_player, make_queue, queue_up, start
from tests.support.matchmaking_calls import as_player
from tests.support.page_tree import read_page
from tests.support.savepoints import rolled_back

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]


def lobby_of(teams: int, system: str = "elo") -> tuple[Lobby, list[Player]]:
    """An accepted lobby of p00, p01 …, each of whom is stronger than the next."""
    queue = make_queue("ffa", rematches="any", rematch_after=0, mode={"team_count": teams, "system": system})
    people = [make_player(f"p{number:02}") for number in range(teams)]
    for _ in range(2):
        record(*[[person.key] for person in people], mode="ffa")
    for person in people:
        queue_up(queue, person, width=100)
    [lobby] = form(queue)
    return accept_all(lobby), people


def stakes_of(lobby: Lobby, player: Player) -> dict:
    return as_player("GET", f"lobbies/{lobby.pk}/", player).body["you"]["stakes"]


def strip_of(client: Client, lobby: Lobby) -> list[str]:
    """For what the page says what is at stake."""
    page = read_page(client.get(f"/lobbies/{lobby.pk}/").text)
    return [term.text for strip in page.all("dl.stakes") for term in strip.all("dt")]


def test_the_match_does_what_the_strip_says_if_the_others_come_by_strength():
    told, done = {}, {}
    for system in ("elo", "weng-lin", "trueskill"):
        with rolled_back():
            lobby, people = lobby_of(4, system)
            viewer = people[1]
            stakes = stakes_of(lobby, viewer)
            changes = {each["place"]: each["change"] for each in stakes["places"]}
            assert [*changes] == [1, 2, 3, 4]
            assert (stakes["win"], stakes["loss"]) == (changes[1], changes[4])
            before = Rating.objects.get(player=viewer).display_hundredths
            start(lobby)
            for place in (1, 2, 4):
                order = [person for person in people if person != viewer]
                order.insert(place - 1, viewer)
                with rolled_back():
                    record(
                        *[[each.key] for each in order], mode="ffa", lobby=lobby.pk, ended_at=later(60), now=later(60)
                    )
                    done[system, place] = Rating.objects.get(player=viewer).display_hundredths - before
                told[system, place] = Decimal(changes[place]) * 100
    assert told == done


def test_quartiles_of_many():
    lobby, people = lobby_of(10)
    assert [each["place"] for each in stakes_of(lobby, people[3])["places"]] == [1, 3, 5, 8, 10]


def test_a_better_place_is_never_worth_less():
    lobby, people = lobby_of(8)
    for person in people:
        changes = [float(each["change"]) for each in stakes_of(lobby, person)["places"]]
        assert (len(changes), changes) == (8, sorted(changes, reverse=True))


def test_two_teams_have_no_strip():
    queue = make_queue("duel")
    a, b = make_player("a"), make_player("b")
    queue_up(queue, a, width=100)
    queue_up(queue, b, width=100)
    [lobby] = form(queue)
    assert stakes_of(accept_all(lobby), a)["places"] == []


def test_the_page_shows_the_strip_and_neither_win_nor_loss(client: Client, django_user_model):
    lobby, people = lobby_of(8)
    user = django_user_model.objects.create_user("me")
    Player.objects.filter(pk=people[0].pk).update(user=user)
    client.force_login(user)
    assert strip_of(client, lobby) == ["1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th"]


@pytest.fixture
def rated(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Counts what the system rates."""
    calls: list[object] = []
    rate = Elo.rate

    def counted(self, result):
        calls.append(result)
        return rate(self, result)

    monkeypatch.setattr(Elo, "rate", counted)
    return calls


@pytest.mark.parametrize("teams", [2, 8])
def test_stakes_are_computed_once_a_lobby_and_viewer(rated, teams):
    lobby, (one, other, *_) = lobby_of(teams)
    rated.clear()
    first = load_lobby_page(lobby, one, later(3)).stakes
    once = len(rated)
    assert 0 < once <= 9
    assert [load_lobby_page(lobby, one, later(at)).stakes for at in (4, 5, 60)] == [first] * 3
    assert len(rated) == once
    load_lobby_page(lobby, other, later(6))
    assert len(rated) == 2 * once


def test_stakes_are_computed_again_if_a_rating_changes(rated):
    lobby, (one, other, *_) = lobby_of(3)
    before = load_lobby_page(lobby, one, later(3)).stakes
    rated.clear()
    Rating.objects.filter(player=other).update(display_hundredths=9_000, mu=90.0)
    after = load_lobby_page(lobby, one, later(4)).stakes
    assert (len(rated) > 0, before == after) == (True, False)


def test_nothing_is_kept_that_the_mode_hides_meanwhile():
    lobby, (one, *_) = lobby_of(3)
    assert load_lobby_page(lobby, one, later(3)).stakes is not None
    Mode.objects.update(shows_rating=False)
    lobby = Lobby.objects.select_related("queue__mode", "server").get(pk=lobby.pk)
    assert load_lobby_page(lobby, one, later(4)).stakes is None


def test_the_strip_of_teams_speaks_of_the_team(client: Client, django_user_model):
    queue = make_queue("ffa", size=2, rematches="any", rematch_after=0, mode={"team_count": 3, "system": "weng-lin"})
    people = [make_player(f"p{number}") for number in range(6)]
    for person in people:
        queue_up(queue, person, width=100)
    [lobby] = form(queue)
    accept_all(lobby)
    user = django_user_model.objects.create_user("me")
    Player.objects.filter(pk=people[0].pk).update(user=user)
    client.force_login(user)
    assert strip_of(client, lobby) == ["1st", "2nd", "3rd"]
    assert "by the place of your team" in client.get(f"/lobbies/{lobby.pk}/").text


def test_the_page_names_scores_and_the_most_that_they_may_do(client: Client, django_user_model):
    queue = make_queue("duel", rematches="any", rematch_after=0, mode={"system": "margin"})
    a, b = make_player("a"), make_player("b")
    for loser in range(10):
        teams = [replace(team, place=None) for team in make_report([a.key], [b.key]).teams]
        scored = [replace(team, score=score) for team, score in zip(teams, (15.0, float(loser)), strict=True)]
        report = replace(make_report([a.key], [b.key]), teams=tuple(scored))
        record_result(report, source=make_source(), now=NOW)
    for player in (a, b):
        queue_up(queue, player, width=100)
    [lobby] = form(queue)
    accept_all(lobby)
    user = django_user_model.objects.create_user("me")
    Player.objects.filter(pk=a.pk).update(user=user)
    client.force_login(user)
    page = client.get(f"/lobbies/{lobby.pk}/").content.decode()
    words = re.findall(r'<small class="stake-score">([^<]*)</small>', page)
    assert words == ["15–8", "15–4", "15–0", "at most", "8–15", "4–15", "0–15", "at most"]
    assert "your rank here" not in page.lower()
