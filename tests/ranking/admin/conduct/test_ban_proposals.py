"""Bans of juniors in the admin: the form's limits, proposals, and who decides them."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from config.people.work_queue import work_queue
from ranking.models import Ban, BanProposal, Player
from ranking.moderation.ban_proposals import propose_bans, refuse_proposals
from tests.support.factories import NOW, make_mode, make_staff, record

pytestmark = pytest.mark.django_db
YES = {"confirmed": "yes"}
TEXTS = {"reason": "Four leaves.", "note": "Asked twice."}


@pytest.fixture(scope="module", autouse=True)
def _matches(module_db):
    make_mode()
    for key in "bcd":
        record(["a"], [key])


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def junior() -> User:
    return make_staff("junior moderator")


@pytest.fixture
def moderator() -> User:
    return make_staff("moderator")


def players(keys: str) -> list[Player]:
    return list(Player.objects.filter(key__in=list(keys)).order_by("key"))


def act(client, model, name, rows, **given):
    address = reverse(f"admin:ranking_{model}_changelist")
    return client.post(address, {"action": name, "_selected_action": [row.pk for row in rows], **given}, follow=True)


def propose(by: User, keys: str = "b", hours: int | None = 168) -> list[BanProposal]:
    return propose_bans(players(keys), scope="both", hours=hours, by=by, now=NOW, **TEXTS)


def buttons(client: Client, row: BanProposal) -> list[str]:
    return list(client.get(reverse("admin:ranking_banproposal_change", args=[row.pk])).context["object_actions"])


def messages(answer) -> list[str]:
    return [str(message) for message in answer.context["messages"]]


def test_the_ban_form_offers_what_they_may(junior, moderator):
    given = {
        who.username: {
            name: [str(value) for value, _ in form.fields[name].choices]
            for name in ("scope", "length")
            for form in [act(client_of(who), "leaver", "ban", players("b")).context["form"]]
        }
        for who in (junior, moderator)
    }
    hours = ["1", "6", "24", "72", "168", "720", "2160"]
    assert given == {
        "junior moderator": {"scope": ["queue"], "length": ["", *hours[:3]]},
        "moderator": {"scope": ["queue", "boards", "both"], "length": ["", *hours]},
    }


def test_usual_lengths_days_or_hours(moderator, subtests):
    client = client_of(moderator)
    for sent, hours in (
        ({"length": "1"}, 1),
        ({"length": "720"}, 720),
        ({"days": "2"}, 48),
        ({"hours": "5"}, 5),
        ({}, None),
        ({"length": "1", "days": "2"}, "chose a length and wrote another"),
        ({"days": "1", "hours": "2"}, "Give days or hours, not both."),
        ({"length": "5"}, "not one of the available choices"),
    ):
        with subtests.test(sent):
            Ban.objects.all().delete()
            answer = act(client, "leaver", "ban", players("b"), scope="queue", **sent, **TEXTS, **YES)
            if isinstance(hours, str):
                assert (hours in answer.text, Ban.objects.count()) == (True, 0)
                continue
            ban = Ban.objects.get()
            length = ban.ends_at and (ban.ends_at - ban.starts_at).total_seconds() / 3600
            assert length == hours


def test_too_long_a_ban_is_asked_about_again_and_keeps_the_words(junior):
    client = client_of(junior)
    answer = act(client, "leaver", "ban", players("bc"), scope="queue", days="7", **TEXTS, **YES)
    assert (Ban.objects.count(), "You may ban from queues for at most 24 hours." in answer.text) == (0, True)
    assert 'value="Four leaves."' in answer.text
    keys = answer.context["hidden"]["chosen"]
    client.post(
        reverse("admin:ranking_leaver_changelist"),
        {"action": "ban", "chosen": keys, "scope": "queue", "length": "24", **TEXTS, **YES},
    )
    assert Ban.objects.count() == 2
    late = act(client, "ban", "extend", Ban.objects.all(), days="3", reason="More.", **YES)
    assert "You may ban from queues for at most 24 hours." in late.text
    lifted = act(client, "ban", "lift", Ban.objects.all(), reason="Wrong players.", **YES)
    assert messages(lifted)[0].startswith("Lifted: ")


def test_a_junior_proposes_and_a_moderator_decides_several(junior, moderator):
    answer = act(client_of(junior), "leaver", "propose", players("bcd"), scope="both", length="168", **TEXTS, **YES)
    assert re.match("Ban proposed for 7 days: ", messages(answer)[0])
    assert {(row.by, row.hours, row.scope) for row in BanProposal.objects.all()} == {(junior, 168, "both")}
    b, c, d = BanProposal.objects.order_by("player__key")
    client = client_of(moderator)
    asked = act(client, "banproposal", "confirm", [b, c])
    assert "Four leaves. · by junior moderator · 0.0 points" in asked.text
    done = act(client, "banproposal", "confirm", [b, c], reason="Seen.", **YES)
    assert messages(done)[0].startswith("Confirmed: ")
    refused = act(client, "banproposal", "refuse", [d], reason="Once only.", **YES)
    assert refused.redirect_chain == [(reverse("admin:ranking_banproposal_change", args=[d.pk]), 302)]
    assert sorted(Ban.objects.values_list("player__key", "by__username")) == [("b", "moderator"), ("c", "moderator")]
    assert "Once only." in refused.text


def test_the_second_reads_who_decided(junior, moderator):
    [row] = propose(junior)
    refuse_proposals([row.pk], by=moderator, reason="No.", now=NOW)
    answer = act(client_of(make_staff("moderator", "other")), "banproposal", "confirm", [row], reason="Yes.", **YES)
    assert messages(answer) == [f"Already refused by moderator: {row}."]
    assert Ban.objects.count() == 0


def test_whose_page_has_which_buttons(junior, moderator):
    [row] = propose(junior)
    other = make_staff("junior moderator", "another")
    boss, viewer = User.objects.create_superuser("boss"), make_staff("viewer")
    everybody = {who.username: client_of(who) for who in (junior, moderator, other, boss, viewer)}
    assert {name: buttons(client, row) for name, client in everybody.items()} == {
        "junior moderator": ["withdraw"],
        "moderator": ["confirm", "refuse"],
        "another": [],
        "boss": ["confirm", "refuse"],
        "viewer": [],
    }
    answer = act(everybody["junior moderator"], "banproposal", "confirm", [row], reason="Mine.", **YES)
    assert messages(answer)[0].startswith("You proposed this yourself: another moderator decides")
    refuse_proposals([row.pk], by=moderator, reason="No.", now=NOW)
    assert {name: buttons(client, row) for name, client in everybody.items()} == {
        "junior moderator": [], "moderator": ["reopen"], "another": [], "boss": ["reopen"], "viewer": [],
    }  # fmt: skip


def test_the_list_begins_with_open_ones_and_home_counts_them(junior, moderator):
    b, *_ = propose(junior, "bcd")
    propose(moderator, "a")
    refuse_proposals([b.pk], by=moderator, reason="No.", now=NOW)
    client = client_of(moderator)

    def listed(query: str) -> list[str]:
        rows = client.get(reverse("admin:ranking_banproposal_changelist") + query).context["cl"].result_list
        return [row.player.key for row in rows]

    assert [listed(query) for query in ("", "?state=refused", "?proposed=me", "?proposed=others", "?state=all")] == [
        ["c", "d", "a"], ["b"], ["a"], ["c", "d"], ["a", "d", "c", "b"],
    ]  # fmt: skip
    assert {line.words: line.number for line in work_queue(moderator, NOW)}["Proposed bans"] == "3"


@pytest.mark.parametrize("rows", ["b", "bcd"])
def test_as_many_queries_for_many(junior, moderator, rows, django_assert_num_queries):
    propose(junior, rows)
    client, address = client_of(moderator), reverse("admin:ranking_banproposal_changelist")
    client.get(address)
    with django_assert_num_queries(6):
        assert len(client.get(address).context["cl"].result_list) == len(rows)
