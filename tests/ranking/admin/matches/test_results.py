"""Results that people type in the admin: new ones, and corrections of wrong ones."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils.html import strip_tags

from ranking.admin.base.acts.confirmation import ONCE
from ranking.models import AuditEntry, Match, Mode, Rating
from ranking.moderation.voids import void
from ranking.rules.report import PlayerReport
from tests.support.factories import NOW, make_mode, make_source, make_staff, record

pytestmark = pytest.mark.django_db
ADD = "admin:ranking_match_add"
WHY = {"reason": "Typed wrong.", "note": "They both said so."}
ENDED = {"ended_at": "2026-05-20T11:00:00"}


def typed(*teams: dict[str, Any], **more: Any) -> dict[str, Any]:
    fields = {f"team-{index}-{name}": value for index, team in enumerate(teams) for name, value in team.items()}
    return {**ENDED, **fields, **more}


def words(text: str) -> str:
    return re.sub(r"\s+", " ", strip_tags(text))


def errors_of(page: str) -> list[tuple[str, str]]:
    """The sentences of a page, each with the id of the field that it stands beside ("" for none)."""
    found = re.findall(r'<ul class="errorlist[^"]*"(?: id="id_([\w-]+)_error")?>\s*<li>(.*?)</li>', page)
    return [(field, unescape(words(sentence))) for field, sentence in found]


def players_of(match: Match) -> list[tuple[int, str, bool]]:
    rows = match.participations.order_by("team", "slot")
    return list(rows.values_list("team", "player__key", "left_early"))


@pytest.mark.parametrize(
    ("mode", "teams", "players", "winner"),
    [
        ({"team_size_max": 1}, [("a", 2, ""), ("b", 1, "")], [(0, "a", False), (1, "b", False)], "a"),
        ({}, [("a\nB", "", 2), ("c\n\n d ", "", 1)],
         [(0, "a", False), (0, "b", False), (1, "c", False), (1, "d", False)], "c"),
        ({"team_count": 6, "team_count_min": 3, "team_size_max": 1},
         [("a", "", 2), ("", "", ""), ("b", "", 1), ("c", "", 3)],
         [(0, "a", False), (1, "b", False), (2, "c", False)], "b"),
        ({"least_is_best": True}, [("a", 61.5, ""), ("b", 60, "")], [(0, "a", False), (1, "b", False)], "b"),
    ],
)  # fmt: skip
def test_a_result_is_added(boss: Client, mode: Any, teams: Any, players: Any, winner: str) -> None:
    make_mode(**mode)
    rows = [dict(zip(("players", "score", "place"), team, strict=True)) for team in teams]
    page = boss.get(reverse(ADD)).text
    once = re.search(rf'name="{ONCE}" value="(\w+)"', page)
    assert once is not None
    sent = typed(*rows, create="on", **{ONCE: once[1]})
    answer = boss.post(reverse(ADD), {key: "" if value is None else value for key, value in sent.items()})
    match = Match.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, reverse("admin:ranking_match_change", args=[match.pk]))
    assert [(team, key.lower(), left) for team, key, left in players_of(match)] == players
    assert (match.source.slug, match.external_id) == ("admin", f"typed-{once[1]}")
    assert [own.player.key for own in Rating.objects.filter(wins=1)][:1] == [winner]
    assert list(AuditEntry.objects.values_list("act", "who", "subject")) == [
        ("add result", "boss", f"match typed-{once[1]}")
    ]
    again = boss.post(reverse(ADD), {key: "" if value is None else value for key, value in sent.items()})
    assert (again.status_code, Match.objects.count(), AuditEntry.objects.count()) == (302, 1, 1)


def test_players_by_name_and_who_left(boss: Client) -> None:
    make_mode()
    record([PlayerReport("p1", name="Anna")], [PlayerReport("p2", name="Bert")])
    rows = {"players": "anna", "score": 1}, {"players": "p2", "score": 2, "left": "Bert"}
    assert errors_of(boss.post(reverse(ADD), typed(*rows)).text) == [
        ("team-1-left", "'Bert' isn't among the players of this team.")
    ]
    rows[1]["left"] = "p2"
    assert boss.post(reverse(ADD), typed(*rows, duration="60")).status_code == 302
    match = Match.objects.get(source__slug="admin")
    assert (players_of(match), match.duration) == ([(0, "p1", False), (1, "p2", True)], 60.0)


def test_what_is_wrong_stands_beside_its_field(boss: Client) -> None:
    make_mode(team_size_max=1)
    record([PlayerReport("p1", name="Anna")], [PlayerReport("p2", name="Bert")])
    record([PlayerReport("p3", name="anna")], ["p2"])
    before = Match.objects.count()
    bert = {"players": "Bert", "score": "1"}
    for rows, more, wanted in [
        ([{"players": "Anna", "score": "1"}, bert], {}, ("team-0-players", "2 players are called 'Anna'")),
        ([{"players": "Zoe", "score": "1"}, bert], {}, ("team-0-players", "Nobody has the key or the name 'Zoe'")),
        ([{"players": "p1"}, bert], {}, ("team-0-score", "A team without a place needs a score.")),
        ([{"players": "p1", "place": "1"}, bert], {}, ("team-1-place", "Either every team has a place")),
        ([{"players": "p1\np3", "score": "1"}, bert], {}, ("team-0-players", "Teams of duel have 1 to 1 players")),
        ([{"players": "p2", "score": "1"}, bert], {}, ("team-1-players", "is in this match twice")),
        ([{"players": "p1", "score": "x"}, bert], {}, ("team-0-score", "Enter a number.")),
        ([{"players": "p1", "score": "1"}, bert], {"ended_at": "2036-01-01T00:00"}, ("ended_at", "in the future")),
        ([{"players": "p1", "score": "1"}, bert], {"duration": "-1"}, ("duration", "greater than or equal to 0")),
        ([bert], {}, ("", "duel has 2 teams; this result has 1")),
        ([], {}, ("team-0-players", "No team has a player yet: name the players of each team, one a line.")),
        ([{"score": "1"}, {"score": "2"}], {}, ("team-0-players", "No team has a player yet: ")),
    ]:
        page = boss.post(reverse(ADD), typed(*rows, **more)).text
        [(field, sentence)] = errors_of(page)
        assert (field, wanted[1] in sentence) == (wanted[0], True), (field, sentence)
    assert Match.objects.count() == before


def test_the_mode_is_chosen_first_if_there_are_several(boss: Client) -> None:
    make_mode("duel")
    make_mode("cup", team_count=4)
    page = boss.get(reverse(ADD)).text
    assert ('name="mode"' in page, "team-0-players" in page) == (True, False)
    cup = boss.get(reverse(ADD), {"mode": Mode.objects.get(slug="cup").pk}).text
    assert cup.count('-players"') >= 4


def test_a_correction_begins_with_what_is_recorded(boss: Client) -> None:
    make_mode()
    left = PlayerReport("b", left_early=True, seconds=10.0)
    old = record(["a", "c"], [left], id="m1", duration=60.0, rounds=3, variant="dust").record
    assert old is not None
    address = reverse("admin:ranking_match_correct", args=[old.match.pk])
    assert address in boss.get(reverse("admin:ranking_match_change", args=[old.match.pk])).text
    page = boss.get(address).text
    assert "1 match" in words(page)
    fields = dict(re.findall(r'<textarea name="([\w-]+)"[^>]*>\s*(.*?)</textarea>', page, re.DOTALL))
    fields |= dict(re.findall(r'<input type="(?:number|datetime-local)" name="([\w-]+)" value="(.*?)"', page))
    assert fields == {
        "ended_at": "2026-05-20T12:00:00", "duration": "60.0", "team-0-players": "a\nc", "team-0-left": "",
        "team-0-place": "1", "team-1-players": "b", "team-1-left": "b", "team-1-place": "2",
    }  # fmt: skip
    assert errors_of(boss.post(address, {**fields, **WHY}).text) == [
        ("", "This is the result as it is recorded: change what is wrong.")
    ]
    answer = boss.post(address, {**fields, "team-0-place": "2", "team-1-place": "1", "team-1-left": "", **WHY})
    new = Match.objects.get(replaces=old.match)
    assert answer["Location"] == reverse("admin:ranking_match_change", args=[new.pk])
    assert players_of(new) == [(0, "a", False), (0, "c", False), (1, "b", False)]
    seconds = new.participations.get(team=1).seconds
    assert (new.ended_at, new.rounds, new.variant, new.duration, seconds) == (NOW, 3, "dust", 60.0, None)
    assert list(AuditEntry.objects.values_list("act", "who", "note")) == [("correct", "boss", WHY["note"])]
    for one, other in ((old.match, new), (new, old.match)):
        page = boss.get(reverse("admin:ranking_match_change", args=[one.pk])).text
        assert reverse("admin:ranking_match_change", args=[other.pk]) in page
    assert "This match was corrected already" in boss.get(address).text


def test_the_wrong_one_is_not_restored_beside_the_right_one(boss: Client) -> None:
    make_mode()
    old = record(["a"], ["b"], id="m1").record
    assert old is not None
    boss.post(
        reverse("admin:ranking_match_correct", args=[old.match.pk]),
        typed({"players": "a", "place": 2}, {"players": "b", "place": 1}, **WHY),
    )
    body = {"action": "restore", "_selected_action": [old.match.pk], "confirmed": "1", **WHY}
    page = boss.post(reverse("admin:ranking_match_changelist"), body, follow=True).text
    assert "only one of them may count" in words(page)


def test_a_void_match_has_no_form(boss: Client) -> None:
    make_mode()
    old = record(["a"], ["b"]).record
    assert old is not None
    void([old.match], by=None, reason="x", now=NOW)
    page = boss.get(reverse("admin:ranking_match_correct", args=[old.match.pk])).text
    assert ("This match is void: restore it first." in page, '<form method="post" class="question"' in page) == (
        True,
        False,
    )


@pytest.mark.parametrize(
    ("role", "permission", "may"),
    [
        ("viewer", None, (403, 403)),
        ("moderator", None, (403, 200)),
        ("administrator", None, (200, 200)),
        ("viewer", "add_match", (200, 403)),
    ],
)
def test_who_may(role: str, permission: str | None, may: tuple[int, int]) -> None:
    make_mode()
    match = record(["a"], ["b"]).record
    assert match is not None
    user = make_staff(role, "staff")
    user.user_permissions.add(*Permission.objects.filter(codename=permission or ""))
    client = Client()
    client.force_login(user)
    addresses = reverse(ADD), reverse("admin:ranking_match_correct", args=[match.match.pk])
    assert tuple(client.get(address).status_code for address in addresses) == may
    assert ("Add result" in client.get(reverse("admin:ranking_match_changelist")).text) == (may[0] == 200)


def test_as_many_queries_for_many_players_as_for_two(boss: Client, django_assert_num_queries: Any) -> None:
    make_mode(team_size_max=10)
    make_source()
    few, many = record(["a"], ["b"]).record, record([f"l{n}" for n in range(9)], [f"r{n}" for n in range(9)]).record
    assert few is not None
    assert many is not None
    addresses = [reverse("admin:ranking_match_correct", args=[one.match.pk]) for one in (few, many)]
    boss.get(addresses[0])
    for address in addresses:
        with django_assert_num_queries(10 if connection.vendor == "postgresql" else 9):
            boss.get(address)


def test_marking_who_left_outweighs_the_recorded_presence(boss: Client) -> None:
    """Recorded seconds until the end would make a leaver stay, and few seconds a part-time player of who stayed."""
    make_mode()
    there, gone = PlayerReport("p1", seconds=600.0), PlayerReport("p2", seconds=300.0, left_early=True)
    match = record([there], [gone], duration=600.0).record
    assert match is not None
    rows = {"players": "p1", "left": "p1", "place": 2}, {"players": "p2", "place": 1}
    answer = boss.post(
        reverse("admin:ranking_match_correct", args=[match.match.pk]), typed(*rows, duration="600", reason="Mixed up.")
    )
    assert answer.status_code == 302
    new = Match.objects.get(replaces=match.match)
    assert list(new.participations.order_by("team").values_list("player__key", "left_early", "seconds")) == [
        ("p1", True, None), ("p2", False, None),
    ]  # fmt: skip
