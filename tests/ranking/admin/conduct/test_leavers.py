"""Leavers, incidents, bans, the audit log: acts ask why, say what follows, and are told in the log."""

import datetime as dt
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from ranking.models import AuditEntry, Ban, ComplaintCase, Incident, Match, Pardon, Player
from ranking.moderation.leavers import summarise
from ranking.moderation.merges import merge_players
from ranking.rules.report import PlayerReport
from tests.support.factories import ban_player, make_mode, record

pytestmark = pytest.mark.django_db


def url(model, page="changelist", *args):
    return reverse(f"admin:ranking_{model}_{page}", args=args)


def act(client, model, action, *rows, **answers):
    """Ask; with `confirmed` among the answers, send them from the page that asks."""
    fields = {"action": action, "index": 0, "_selected_action": [row.pk for row in rows]}
    if "confirmed" in answers:
        asked = client.post(url(model), fields)
        answers = {**(asked.context["hidden"] if asked.status_code == 200 else {}), **answers}
    return client.post(url(model), {**fields, **answers}, follow=True)


def player(key):
    return Player.objects.get(key=key)


def leave(key, *days_ago, mode="duel"):
    for days in days_ago:
        left = timezone.now() - dt.timedelta(days=days, seconds=1)
        record(["z"], [PlayerReport(id=key, left_early=True)], ended_at=left, now=timezone.now(), mode=mode)


@pytest.fixture(scope="module", autouse=True)
def _mode(module_db):
    make_mode()


YES = {"confirmed": "yes", "reason": "The server crashed."}


def names(client, query=""):
    return re.findall(r"/change/[^>]*>(\w+)</a></th>", client.get(url("leaver") + query).text)


def test_a_page_leads_to_what_was_reported(boss):
    record(["a"], ["b"])
    reviewed = {"reviewed_at": timezone.now(), "verdict": ComplaintCase.UPHELD, "reason": "Seen."}
    for key in "ab":
        ComplaintCase.objects.create(player=player(key), newest_at=timezone.now(), **reviewed)
    links = boss.get(url("leaver", "change", player("b").pk)).context["object_links"]
    found = {label: boss.get(address).context["cl"].queryset for address, label in links.items() if "?" in address}
    assert list(found) == ["Proposed bans", "Players' reports", "Abuse reports"]
    assert [case.player.key for case in found["Players' reports"]] == ["b"]
    assert not found["Abuse reports"]
    assert not found["Proposed bans"]


def test_the_worst_come_first_whatever_the_mode(boss):
    make_mode("strict", conduct={"points": 9})
    leave("old", 20, 20, 20)
    leave("twice", 0, 1)
    leave("once", 0)
    leave("hard", 0, mode="strict")
    leave("gone", 61)
    record(["good"], ["z"])
    assert names(boss) == ["hard", "twice", "once", "old"]
    assert names(boss, "?q=goo") == ["good"]
    act(boss, "leaver", "pardon", player("hard"), **YES)
    assert names(boss) == ["twice", "once", "old"]


def test_the_numbers_of_a_leaver():
    leave("b", 0, 0, 29, 31)
    record(["b"], ["z"])
    found = summarise([player("b").pk], timezone.now())[player("b").pk]
    assert (found.leaves, found.counting, found.rate) == (3, 4, 0.8)
    assert found.points == pytest.approx(6 + 3 * 0.9**29 + 3 * 0.9**31, abs=0.001)
    assert found.locked_until - timezone.now() < dt.timedelta(minutes=30)


@pytest.mark.parametrize("rows", [1, 5])
def test_as_many_queries_for_many_as_for_one(boss, rows):
    for number in range(rows):
        leave(f"p{number}", 0, 1)
        act(boss, "leaver", "ban", player(f"p{number}"), **YES, scope="both", days=1)
    taken = {}
    for model in ("leaver", "incident", "ban", "auditentry"):
        with CaptureQueriesContext(connection) as queries:
            assert boss.get(url(model)).status_code == 200
        assert not [query for query in queries.captured_queries if "COUNT(" in query["sql"].upper()]
        taken[model] = len(queries)
    with CaptureQueriesContext(connection) as queries:
        boss.get(url("leaver", "change", player("p0").pk))
    assert {**taken, "page": len(queries)} == {"leaver": 10, "incident": 5, "ban": 4, "auditentry": 4, "page": 16}


FILTERED = [
    ("leaver", "locked=yes", 14),
    ("leaver", "locked=no", 14),
    ("leaver", "banned=yes", 10),
    ("leaver", "banned=no", 10),
    ("leaver", "points=1", 10),
    ("leaver", "mode=MODE&points=1&locked=no&banned=no", 13),
    ("leaver", "o=-5", 10),
    ("leaver", "q=p&points=1", 11),
    ("incident", "q=p", 10),
    ("incident", "server=fra", 5),
    ("incident", "kind=leave&pardoned=no&since=1d", 5),
    ("ban", "running=yes", 4),
    ("ban", "q=p", 7),
    ("auditentry", "act=ban&since=1d", 4),
    ("auditentry", "q=p", 7),
]


@pytest.mark.parametrize("rows", [1, 5])
def test_filters_take_as_many_queries_for_many_as_for_one(boss, rows):
    for number in range(rows):
        leave(f"p{number}", 0, 1)
        leave(f"plain{number}", 0.5, 1)
        act(boss, "leaver", "ban", player(f"p{number}"), **YES, scope="both", days=1)
    mode, taken = Match.objects.latest("pk").mode_id, []
    for model, query, _ in FILTERED:
        with CaptureQueriesContext(connection) as queries:
            assert boss.get(f"{url(model)}?{query.replace('MODE', str(mode))}").status_code == 200
        taken.append((model, query, len(queries)))
    assert taken == FILTERED, taken


def test_nothing_happens_without_a_reason(boss):
    leave("b", 0)
    acts = [("leaver", "pardon", {}), ("leaver", "ban", {"scope": "queue"}), ("incident", "pardon", {})]
    for model, action, more in acts:
        row = player("b") if model == "leaver" else Incident.objects.get()
        for answers in ({}, {"confirmed": "yes"}, {"confirmed": "yes", "reason": "  "}):
            asked = act(boss, model, action, row, **more, **answers)
            given = (asked.status_code, 'name="reason"' in asked.text, bool(asked.context["form"].errors))
            assert (model, action, answers, given) == (model, action, answers, (200, True, "confirmed" in answers))
            assert not any(model.objects.exists() for model in (Pardon, Ban, AuditEntry)), (action, answers)


EFFECT = re.compile(
    r"\d+ of \d+|[\d.]+ points(?: → [\d.]+)?|\d+ incidents? counts?|locked out until|lockout ends \w+|nothing counts"
)


def effects(asked):
    return sorted(EFFECT.findall(row.effect) for row in asked.context["rows"])


def test_a_question_says_what_is_against_them(boss):
    leave("b", 0, 0)
    assert effects(act(boss, "leaver", "ban", player("b"))) == [["6.0 points", "2 incidents count", "locked out until"]]
    assert effects(act(boss, "leaver", "pardon", player("b"), player("z"))) == [
        ["2 of 2", "6.0 points → 0.0", "lockout ends now"], ["nothing counts"],
    ]  # fmt: skip
    older = Incident.objects.earliest("happened_at")
    [effect] = effects(act(boss, "incident", "pardon", older))
    assert effect == ["1 of 2", "6.0 points → 3.0", "lockout ends on"]


def test_pardoned_in_bulk_with_who_and_why(boss):
    leave("b", 0, 1)
    leave("c", 0)
    done = act(boss, "leaver", "pardon", player("b"), player("c"), player("z"), **YES)
    assert "Pardoned: c, b." in done.text
    assert set(Pardon.objects.values_list("by__username", "reason")) == {("boss", "The server crashed.")}
    act(boss, "leaver", "pardon", player("b"), **YES)  # once more
    assert (Pardon.objects.count(), AuditEntry.objects.filter(act="pardon", by__username="boss").count()) == (3, 3)


def test_one_incident_is_pardoned_alone(boss):
    leave("b", 0, 1)
    act(boss, "incident", "pardon", Incident.objects.latest("happened_at"), **YES)
    assert Incident.objects.counting().count() == 1
    page = boss.get(url("leaver", "change", player("b").pk)).text
    assert page.count(f"boss: {YES['reason']}") == 1
    assert page.count('form="pardon-some" aria-label=') == 2  # one to pardon, and one whose pardon can be revoked


def test_both_texts_are_asked_for_and_each_act_has_its_way_back(boss):
    leave("b", 0)
    notes = {**YES, "note": "Seen in the log."}
    incident = Incident.objects.get()
    asked = act(boss, "incident", "pardon", incident).text
    assert ('name="reason"' in asked, 'name="note"' in asked) == (True, True)
    act(boss, "incident", "pardon", incident, **notes)
    page = boss.get(url("incident", "change", incident.pk)).text
    assert (notes["note"] in page, 'value="revoke"' in page, 'value="pardon"' in page) == (True, True, False)
    assert f"pardoned: {YES['reason']}" in act(boss, "incident", "revoke", incident).text
    act(boss, "incident", "revoke", incident, **notes)
    assert Incident.objects.counting().get() == incident
    act(boss, "leaver", "ban", player("b"), **notes, scope="both", days=9)
    ban = Ban.objects.get()
    assert 'value="shorten"' in boss.get(url("ban", "change", ban.pk)).text
    act(boss, "ban", "shorten", ban, **notes, days=2)
    act(boss, "ban", "lift", ban, **notes)
    assert "runs again" in act(boss, "ban", "resume", ban).text
    act(boss, "ban", "resume", ban, **notes)
    assert Ban.objects.running(timezone.now()).get().ends_at - timezone.now() < dt.timedelta(days=2)
    log = AuditEntry.objects.order_by("pk").values_list("act", "note")
    acts = ("pardon", "take back pardon", "ban", "shorten", "lift", "resume")
    assert list(log) == [(name, notes["note"]) for name in acts]


def test_bans_of_a_leaver_are_told_as_one(boss):
    record(["a"], ["b"])
    leave("a", 1)
    cell = re.compile(r'field-banned"><span class="badge badge-warn">([^<]*)<')
    words = []
    for scope in ("queue", "both", "boards"):
        ban_player(player("a"), by=None, reason="Why.", scope=scope, now=timezone.now())
        words += cell.findall(boss.get(url("leaver")).text)
    assert words == ["From queues", "From queues and boards", "From queues and boards"]


@pytest.mark.parametrize(
    ("asked", "length", "words"),
    [
        ({"days": "3"}, dt.timedelta(days=3), "for 3 days"),
        ({"hours": "12"}, dt.timedelta(hours=12), "for 12 hours"),
        ({"days": "", "hours": ""}, None, "for good"),
    ],
)
def test_banned_and_lifted(boss, asked, length, words):
    leave("b", 0)
    assert f"Banned {words}: b." in act(boss, "leaver", "ban", player("b"), **YES, scope="both", **asked).text
    ban = Ban.objects.get()
    assert ((ban.ends_at and ban.ends_at - ban.starts_at), ban.scope, ban.by.username) == (length, "both", "boss")
    act(boss, "ban", "lift", ban, confirmed="yes", reason="Not them.")
    ban.refresh_from_db()
    assert (ban.lift_reason, ban.lifted_by.username) == ("Not them.", "boss")
    act(boss, "ban", "lift", ban, **YES)  # once more
    ban.refresh_from_db()
    assert (ban.lift_reason, AuditEntry.objects.filter(act="lift").count()) == ("Not them.", 1)
    page = boss.get(url("leaver", "change", player("b").pk)).text
    assert "boss: Not them." in page


@pytest.mark.parametrize(
    ("action", "asked", "field", "sentence"),
    [
        ("extend", {"days": "1", "hours": "2"}, "hours", "Give days or hours, not both."),
        ("shorten", {"days": "1", "hours": "2"}, "hours", "Give days or hours, not both."),
        ("shorten", {}, "days", "Give days or hours."),
        ("shorten", {"days": "0.5"}, "days", "This must be a whole number of days. For less than a day, give hours."),
        ("extend", {"hours": "1.5"}, "hours", "This must be a whole number of hours."),
    ],
)
def test_a_length_that_is_none_is_refused(boss, action, asked, field, sentence):
    leave("b", 0)
    act(boss, "leaver", "ban", player("b"), **YES, scope="both", days="9")
    refused = act(boss, "ban", action, Ban.objects.get(), **YES, **asked)
    assert refused.context["form"].errors == {field: [sentence]}
    assert (Ban.objects.get().ends_at - Ban.objects.get().starts_at).days == 9


def test_a_ban_is_extended_and_shortened_by_hours(boss):
    leave("b", 0)
    act(boss, "leaver", "ban", player("b"), **YES, scope="both", hours="2")
    ends = []
    for action, hours in (("extend", "9"), ("shorten", "3")):
        act(boss, "ban", action, Ban.objects.get(), **YES, hours=hours)
        ends.append(round((Ban.objects.get().ends_at - Ban.objects.get().starts_at) / dt.timedelta(hours=1)))
    assert ends == [9, 3]


def test_who_bans_a_merged_account_bans_the_player_who_was_kept(boss):
    leave("b", 0)
    leave("alt", 0)
    merge_players(player("b"), player("alt"), by=None, reason="One person.", now=timezone.now())
    listed = boss.get(url("leaver"), {"q": "alt"}).context["cl"].result_list
    asked = act(boss, "leaver", "ban", *listed)
    assert [(row.key, row.effect.partition(" ·")[0]) for row in asked.context["rows"]] == [("b", "6.0 points")]
    assert "Banned for 3 days: b." in act(boss, "leaver", "ban", *listed, player("b"), **YES, scope="both", days=3).text
    assert Ban.objects.get().player.key == "b"
    assert ban_player(player("alt"), scope="queue", by=None, reason="x", now=timezone.now()).player.key == "b"


def test_incidents_are_found_by_player_and_by_match(boss):
    leave("b", 0)
    leave("c", 0)
    match = Incident.objects.get(player__key="b").match.external_id
    for term in ("b", match):
        found = boss.get(url("incident"), {"q": term}).context["cl"].result_list
        assert [row.player.key for row in found] == ["b"]


def test_nobody_adds_edits_or_deletes(boss):
    leave("b", 0)
    act(boss, "leaver", "ban", player("b"), **YES, scope="both", days="")
    rows = {"leaver": player("b"), "incident": Incident.objects.get(), "ban": Ban.objects.get(),
            "auditentry": AuditEntry.objects.get()}  # fmt: skip
    statuses = {
        model: [
            boss.get(url(model, "change", row.pk)).status_code,
            boss.post(url(model, "add")).status_code,
            boss.post(url(model, "delete", row.pk)).status_code,
            boss.post(url(model, "change", row.pk), {}).status_code,
        ]
        for model, row in rows.items()
    }
    assert statuses == {model: [200, 403, 403, 403] for model in rows}


def test_a_clerk_may_do_nothing(clerk):
    leave("b", 0)
    assert act(clerk, "leaver", "ban", player("b"), **YES, scope="both").status_code == 403
    assert not Ban.objects.exists()


def test_incidents_and_matches_are_newest_first_by_their_own_time(boss):
    leave("new", 0)
    leave("reported_late", 30)
    players = re.findall(r">(new|reported_late)</", boss.get(url("incident")).text)
    assert players == ["new", "reported_late"]
    matches = re.findall(r"/match/(\d+)/change/", boss.get(url("match")).text)
    assert matches == [str(pk) for pk in Match.objects.order_by("-ended_at").values_list("pk", flat=True)]
    assert int(matches[0]) < int(matches[1])  # though the older one was recorded later
