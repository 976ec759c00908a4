"""Merging players in the admin: chosen, previewed, with a reason."""

import re

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from ranking.models import AuditEntry, Merge, Mode, Player, Rating
from ranking.moderation.merges import merge_players
from tests.support.factories import NOW, make_mode, record

RECORD = r"0 first · 1 [^·<]* · [^·<]* 2\.0"


@pytest.fixture
def players(world):
    return {player.key: player for player in Player.objects.all()}


def page_of(players, kept: str, merged: str = "") -> str:
    address = reverse("admin:ranking_player_merge", args=[players[kept].pk])
    return f"{address}?merged={players[merged].pk}" if merged else address


def test_a_player_s_page_leads_there(players, boss):
    page = boss.get(reverse("admin:ranking_player_change", args=[players["a"].pk])).text
    assert f'<a href="{page_of(players, "a")}">' in page
    assert 'name="merged"' in boss.get(page_of(players, "a")).text


def test_what_would_follow_is_shown_first(players, boss):
    page = boss.get(page_of(players, "b", "c")).text
    assert re.search("1 match becomes b’s, .* key c", page)
    assert "Duel is rated anew" in page
    assert not Merge.objects.exists()


def test_both_records_are_shown_by_places_if_there_are_more_than_two_teams(players, boss):
    make_mode("ffa", "weng-lin", team_count=4, team_size_max=1)
    record(["b"], ["x"], ["y"], ["z"], mode="ffa", places=(2, 1, 3, 4))
    page = boss.get(page_of(players, "b", "c")).text
    assert re.search(RECORD, page)
    assert " won · 0 drawn · " in page
    rating = Rating.objects.get(player=players["b"], mode__slug="ffa")
    for address in (
        reverse("admin:ranking_rating_change", args=[rating.pk]),
        reverse("admin:ranking_player_change", args=[players["b"].pk]),
    ):
        assert re.search(RECORD, boss.get(address).text), address


def test_a_match_of_more_than_two_teams_shows_places(players, boss):
    make_mode("ffa", "weng-lin", team_count=3, team_size_max=1)
    match = record(["b"], ["x"], ["y"], mode="ffa", places=(2, 1, 3)).record.match
    page = boss.get(reverse("admin:ranking_match_change", args=[match.pk])).text
    assert [f"place {place} of 3" in page for place in (1, 2, 3)] == [True] * 3
    assert [f'<span class="quiet">{word}</span>' in page for word in ("win", "loss")] == [False] * 2


def test_merged_with_a_reason(players, boss):
    asked = boss.post(page_of(players, "b", "c"), {"reason": ""})
    assert asked.context["reason"].errors
    assert not Merge.objects.exists()
    done = boss.post(page_of(players, "b", "c"), {"reason": "Same phone"}, follow=True)
    assert "Merged c into b." in done.text
    fact = Merge.objects.get()
    assert (fact.kept, fact.merged, fact.reason, fact.by.username) == (players["b"], players["c"], "Same phone", "boss")
    assert "Same phone" in boss.get(reverse("admin:ranking_merge_changelist")).text


def test_an_objection_leaves_nothing_to_press(players, boss):
    page = boss.get(page_of(players, "a", "b")).text
    assert "match first (test)" in page
    assert 'name="reason"' not in page
    boss.post(page_of(players, "a", "b"), {"reason": "x"})
    assert not Merge.objects.exists()


def test_who_was_merged_stays_off_the_boards_and_has_no_login(players, boss):
    boss.post(page_of(players, "b", "c"), {"reason": "Same phone"})
    said = {"action": "show", "index": 0, "_selected_action": [players["c"].pk], "confirmed": "yes", "reason": "x"}
    boss.post(reverse("admin:ranking_player_changelist"), said)
    assert Player.objects.get(key="c").hidden_at is not None
    assert not AuditEntry.objects.filter(act="show").exists()
    page = boss.get(reverse("admin:ranking_player_change", args=[players["c"].pk])).text
    assert 'name="user"' not in page


def test_a_clerk_may_not(players, clerk):
    assert clerk.get(page_of(players, "b", "c")).status_code == 403
    assert clerk.post(page_of(players, "b", "c"), {"reason": "x"}).status_code == 403


@pytest.mark.parametrize("matches", [1, 3])
def test_as_many_queries_for_any_number_of_matches(players, boss, django_assert_num_queries, matches):
    for _ in range(matches):
        record(["c"], ["z"])
    Player.objects.filter(key="c").update(user=User.objects.create_user("fox"))
    assert Mode.objects.count() == 2
    with django_assert_num_queries(24):
        boss.get(page_of(players, "b", "c"))


def split_page(players, merged: str = "c") -> str:
    return reverse("admin:ranking_player_split", args=[players[merged].pk])


@pytest.fixture
def fact(players) -> Merge:
    texts = {"by": None, "reason": "Same phone", "now": NOW}
    return merge_players(players["b"], players["c"], **texts)


def test_pages_of_both_and_of_the_merge_lead_to_the_split(players, boss, fact):
    link = f'<a href="{split_page(players)}">'
    for key in "bc":
        page = boss.get(reverse("admin:ranking_player_change", args=[players[key].pk])).text
        assert f"{link}Split c from b…</a>" in page
    assert f"{link}Split them again…</a>" in boss.get(reverse("admin:ranking_merge_change", args=[fact.pk])).text
    assert link not in boss.get(reverse("admin:ranking_player_change", args=[players["a"].pk])).text


def test_split_with_both_texts_after_a_preview(players, boss, fact):
    page = boss.get(split_page(players)).text
    assert re.search("1 match becomes c’s again, .* key c", page)
    assert "Duel is rated anew" in page
    assert "c is back" in page
    assert boss.post(split_page(players), {"reason": ""}).context["reason"].errors
    assert not Merge.objects.exclude(lifted_at=None).exists()
    texts = {"reason": "Two brothers", "note": "Their mother wrote"}
    assert "Split c from b." in boss.post(split_page(players), texts, follow=True).text
    fact.refresh_from_db()
    assert (fact.lift_reason, fact.lift_note, fact.lifted_by.username) == (*texts.values(), "boss")
    page = boss.get(reverse("admin:ranking_merge_change", args=[fact.pk])).text
    assert ("Two brothers" in page, "Split them again" in page) == (True, False)
    assert boss.get(split_page(players)).status_code == 404


def test_the_page_says_why_two_can_t_be_split(players, boss, fact):
    Merge.objects.update(taken=None)
    page = boss.get(split_page(players)).text
    assert 'class="errornote"' in page
    assert 'name="reason"' not in page
    boss.post(split_page(players), {"reason": "x"})
    assert not Merge.objects.exclude(lifted_at=None).exists()


def test_a_clerk_may_not_split(players, clerk, fact):
    assert clerk.get(split_page(players)).status_code == 403
    assert clerk.post(split_page(players), {"reason": "x"}).status_code == 403
