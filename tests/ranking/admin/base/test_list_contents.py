"""Lists hold what a search or a filter asks for, in their order."""

import json

import pytest
from django.urls import reverse

from ranking.models import Match, Player
from ranking.players.players import ensure_players
from tests.support.factories import NOW, make_report, make_source, record

pytestmark = pytest.mark.usefixtures("world")


def rows(client, model, query):
    response = client.get(reverse(f"admin:ranking_{model}_changelist"), query)
    assert response.status_code == 200, (model, query, response.headers)
    return response.context["cl"].result_list


def found(client, model, term):
    return [row.pk for row in rows(client, model, {"q": term})]


def test_players_are_found_by_a_part_of_their_name_or_their_whole_key(boss):
    names = {"key-1": "anna", "key-2": "Anne", "key-3": "an%", "key-4": "Bert", "key-5": "other"}
    players, _ = ensure_players([make_report(list(names), ["z"])], NOW)
    for key, name in names.items():
        players[key].name, players[key].search_name = name, name.casefold()
        players[key].save()
    wanted = {
        "an": ["Anne", "an%", "anna"],
        "ANN": ["Anne", "anna"],
        "an%": ["an%"],
        "nna": ["anna"],
        "key-5": ["other"],
        "key": [],
        "_": [],
    }
    rows = {term: Player.objects.in_bulk(found(boss, "player", term)).values() for term in wanted}
    assert {term: sorted(player.name for player in players) for term, players in rows.items()} == wanted


def test_matches_are_found_by_their_whole_id(boss):
    first, second = Match.objects.order_by("pk")
    record(["a"], ["b"], id=str(second.pk))
    other = Match.objects.latest("pk")
    assert found(boss, "match", "first") == [first.pk]
    assert found(boss, "match", "fir") == []
    assert found(boss, "match", str(second.pk)) == [other.pk, second.pk]


def test_matches_are_filtered_by_when_they_ended(boss, world):
    assert list(rows(boss, "match", {"mode": world.pk, "since": "1d"})) == []
    ends = sorted(Match.objects.values_list("ended_at", flat=True))
    found_then = rows(boss, "match", {"until": ends[0].isoformat(), "since": "2020-01-01"})
    assert [row.ended_at for row in found_then] == [end for end in ends if end <= ends[0]][::-1]


def test_a_board_is_listed_in_its_order_and_a_player_by_what_they_did(boss, world):
    board = rows(boss, "rating", {"board": world.pk})
    assert [row.player.key for row in board] == ["a", "c"]
    a = Player.objects.get(key="a")
    assert {row.player_id for row in rows(boss, "rating", {"player": a.pk})} == {a.pk}
    changes = rows(boss, "change", {"player": a.pk, "mode": world.pk})
    assert [row.match.external_id for row in changes] == ["second", "first"]
    assert [row.player.key for row in rows(boss, "change", {"q": "c"})] == ["c"]


def test_autocomplete_finds_sources(boss):
    make_source("testing")
    answer = boss.get(
        reverse("admin:autocomplete"),
        {"app_label": "ranking", "model_name": "key", "field_name": "source", "term": "tes"},
    )
    assert [row["text"] for row in json.loads(answer.content)["results"]] == ["test", "testing"]
