"""Matches are voided and restored for a reason, after a look at what follows; modes are rated anew."""

import re

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.urls import reverse

from ranking.models import AuditEntry, Match, Mode, Rerating, Void
from ranking.moderation.voids import Extent, find_extents, restore, void
from ranking.rerating.reratings import rerate
from ranking.trials.runs import ask_for_evaluation
from tests.support.admin_pages import page
from tests.support.factories import NOW, record

LIST = reverse("admin:ranking_match_changelist")
BOSS = {"by__username": "boss"}


def match(external_id):
    return Match.objects.get(external_id=external_id)


def send(client, action, *ids, **more):
    rows = [match(external_id).pk for external_id in ids]
    return client.post(LIST, {"action": action, "index": "0", "_selected_action": rows, **more})


def confirmed(client, action, *ids, reason="Cheated."):
    return send(client, action, *ids, confirmed="yes", reason=reason)


def allow(*permissions):
    clerk = User.objects.get(username="clerk")
    clerk.user_permissions.set(Permission.objects.filter(codename__in=permissions))


@pytest.mark.parametrize(
    ("ids", "matches", "players"), [(["second"], "1", "2"), (["first"], "2", "3"), (["first", "second"], "2", "3")]
)
def test_what_follows_is_said_before_anything_happens(world, boss, ids, matches, players):
    asked = send(boss, "void", *ids)
    said = re.findall(r"In Duel, the (\d+) match.*? rated anew: the ratings of (\d+) players", asked.text)
    assert said == [(matches, players)]
    assert not asked.context["form"].errors
    assert not Void.objects.exists()


@pytest.mark.parametrize("reason", ["", "  ", "x" * 201])
def test_nothing_happens_without_a_reason(world, boss, reason):
    asked = confirmed(boss, "void", "first", reason=reason)
    assert asked.context["form"].errors
    assert not Void.objects.exists()


def test_voiding_one_goes_back_to_its_page_that_says_so(world, boss):
    done = confirmed(boss, "void", "first")
    assert done.url == page(match("first"))
    assert Void.objects.filter(match__external_id="first", reason="Cheated.", lifted_at=None, **BOSS).count() == 1
    assert LogEntry.objects.get().change_message == "Void"
    told = boss.get(done.url).text
    for words in (">Void</span>", "Cheated.", "boss", "Restore…"):
        assert words in told
    assert "Void…" not in told
    assert [row.external_id for row in boss.get(LIST, {"state": "void"}).context["cl"].result_list] == ["first"]


def test_restoring(world, boss):
    void([match("first")], by=None, reason="Cheated.", now=NOW)
    assert "It counts again" in send(boss, "restore", "first").text
    confirmed(boss, "restore", "first", reason="Mistaken.")
    assert Void.objects.filter(lifted_by__username="boss", lift_reason="Mistaken.").count() == 1
    assert "Mistaken." in boss.get(page(match("first"))).text


def test_many_at_once_and_one_of_them_void_already(world, boss):
    void([match("first")], by=None, reason="Cheated.", now=NOW)
    record(["b"], ["c"], id="third")
    confirmed(boss, "void", "first", "second", "third")
    assert sorted(Void.objects.filter(**BOSS).values_list("match__external_id", flat=True)) == ["second", "third"]
    assert confirmed(boss, "void", "first", "second").url == LIST
    assert Void.objects.count() == 3


@pytest.mark.parametrize(("permissions", "voids"), [(["view_match"], 0), (["view_match", "add_void"], 1)])
def test_who_may(world, clerk, permissions, voids):
    allow(*permissions)
    assert ("Void…" in clerk.get(page(match("first"))).text) is bool(voids)
    confirmed(clerk, "void", "first")
    assert Void.objects.count() == voids


def test_all_or_none_in_both_directions(world):
    rows = [match("second"), match("first")]
    asked = {"by": None, "reason": "x", "now": NOW}
    assert [row.external_id for row in void(rows, **asked)] == ["first", "second"]
    assert void(rows, **asked) == []
    assert [row.external_id for row in restore(rows[:1], **asked)] == ["second"]
    with pytest.raises(ValueError, match="Say why"):
        void(rows, by=None, reason=" ", now=NOW)
    assert Void.objects.filter(lifted_at=None).count() == 1


def test_more_than_anybody_needs_counted(world):
    assert find_extents([match("first")], most=1) == [Extent(world, None, None)]
    assert find_extents([match("second")], most=1) == [Extent(world, 1, 2)]


def test_a_mode_rated_anew(world, boss):
    address = reverse("admin:ranking_mode_rate_anew", args=[world.pk])
    assert address in boss.get(page(world)).text
    assert "2 matches of Duel" in boss.get(address).text
    assert boss.post(address, {"reason": ""}).context["form"].errors == {"reason": ["Say why."]}
    asked = boss.post(address, {"reason": "To be sure."})
    rerating = Rerating.objects.get(state=Rerating.WAITING)
    assert (asked.url, rerating.reason, rerating.by.username) == (page(rerating), "To be sure.", "boss")
    assert "Waiting" in boss.get(asked.url).text
    rerate(world)
    told = boss.get(asked.url).text
    assert "2 of 2" in told
    assert "Everything" in told
    assert boss.get(reverse("admin:ranking_rerating_changelist"), {"state": "failed"}).context["cl"].result_count == 0


def test_a_mode_rated_anew_in_the_order_of_time(world, boss):
    address = reverse("admin:ranking_mode_rate_anew", args=[world.pk])
    assert 'name="chronological"' in boss.get(address).text
    asked = boss.post(address, {"reason": "Late ones.", "chronological": "on"})
    assert Rerating.objects.get(state=Rerating.WAITING).sorted_from == 0
    assert AuditEntry.objects.get(act="sort").reason == "Late ones."
    rerate(world)
    assert "order of time" in boss.get(asked.url).text


def test_going_over_to_an_evaluated_system(world, boss):
    run = ask_for_evaluation(world, [{"system": "trueskill", "params": {"tau": 0.1}}], by=None, now=NOW)
    index = next(index for index, tried in enumerate(run.candidates) if tried["params"])
    address = reverse("admin:ranking_mode_go_over", args=[world.pk, run.pk, index])
    assert "all that comes" in boss.get(address).text
    assert not Rerating.objects.filter(state=Rerating.WAITING).exists()
    boss.post(address, {"reason": "It foresees more."})
    assert list(Rerating.objects.exclude(system="").values_list("system", "params", "reason")) == [
        ("trueskill", {"tau": 0.1}, "It foresees more.")
    ]
    in_force = reverse("admin:ranking_mode_go_over", args=[world.pk, run.pk, 0])
    assert "already" in str(boss.post(in_force, {"reason": "Again."}).context["form"].errors)
    assert boss.get(reverse("admin:ranking_mode_go_over", args=[world.pk, run.pk, 9])).status_code == 404


def test_only_who_may_change_a_mode_rates_it_anew(world, clerk):
    allow("view_mode")
    address = reverse("admin:ranking_mode_rate_anew", args=[world.pk])
    assert address not in clerk.get(page(world)).text
    assert clerk.post(address, {"reason": "x"}).status_code == 403
    assert Mode.objects.get(pk=world.pk).lease is None


def test_matches_that_never_count_are_found_and_not_restored(world, boss):
    record(["a"], ["b"], id="off", no_contest="The map broke.")
    record(["a"], ["b"], id="fun", unrated=True)
    found = {
        state: [row.external_id for row in boss.get(LIST, {"state": state}).context["cl"].result_list]
        for state in ("no-contest", "unrated", "walkover", "void", "waiting")
    }
    assert {state: sorted(ids) for state, ids in found.items()} == {
        "no-contest": ["off"], "unrated": ["fun"], "walkover": [], "void": ["fun", "off"], "waiting": [],
    }  # fmt: skip
    told = boss.get(page(match("off"))).text
    assert [words in told for words in (">No contest</span>", "The map broke.", "Restore…", "Void…")] == [
        True, True, False, False,
    ]  # fmt: skip
    done = boss.post(
        LIST,
        {"action": "restore", "index": "0", "_selected_action": [match("off").pk], "confirmed": "yes", "reason": "x"},
        follow=True,
    )
    assert "Match off can&#x27;t be restored: it was called off. Nothing has changed." in done.text
    assert Void.objects.filter(match__external_id="off", lifted_at=None).count() == 1
