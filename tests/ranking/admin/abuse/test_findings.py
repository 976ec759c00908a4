"""Abuse reports in the admin: the strongest first, what each rests on, and what moderators say of them."""

import re
from dataclasses import replace

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from ranking.abuse.search import search
from ranking.admin.abuse.evidence import rows_of
from ranking.matches.recording import record_results
from ranking.models import AuditEntry, Ban, Finding, Match, Player
from ranking.moderation.voids import void
from ranking.rules.report import PlayerReport
from tests.support.abuse_stories import crowd, duel, minutes
from tests.support.factories import make_finding, make_mode, make_source, record

pytestmark = pytest.mark.usefixtures("found")
LISTED, SHOWN = 5, 6  # queries
YES = {"confirmed": "yes", "reason": "It is plain to see."}
LIST = reverse("admin:ranking_finding_changelist")


def page(finding):
    return reverse("admin:ranking_finding_change", args=[finding.pk])


def act(client, action, *findings, model="finding", **answers):
    ticked = [finding.pk for finding in findings]
    data = {"action": action, "index": 0, "_selected_action": ticked, **answers}
    return client.post(reverse(f"admin:ranking_{model}_changelist"), data, follow=True)


@pytest.fixture
def found(_found, db):
    """A search that found one boosted account and one that threw matches, the latter by far the stronger."""
    return {finding.kind: finding for finding in Finding.objects.all()}


@pytest.fixture(scope="module")
def _found(module_db):
    story = [
        *[duel("Wren", "Moth", (7, 0), day=day) for day in minutes(14)],
        *[duel("Kite", f"p{n}", (7, 5) if n % 2 else (5, 7), day=n / 2) for n in range(20)],
        *[duel("Kite", f"p{n}", (-20, 2), day=day, left=("Kite", 0.1)) for n, day in enumerate(minutes(20))],
    ]
    reports = sorted([*crowd(120), *story], key=lambda report: report.ended_at)
    mode = make_mode()
    record_results(
        [replace(report, id=f"m{number}") for number, report in enumerate(reports)],
        source=make_source(), now=timezone.now(),
    )  # fmt: skip
    assert len(search(mode, now=timezone.now())) == 2


def staff(*permissions):
    user = User.objects.create_user("staff", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions, content_type__app_label="ranking"))
    client = Client()
    client.force_login(user)
    return client


def listed(client, query=""):
    return re.findall(r'<th class="field-names"><a href="[^"]*">(\w+)', client.get(LIST + query).text)


def test_the_strongest_first_and_filtered(boss, found):
    assert set(found) == {"boosting", "delevelling"}
    strongest = sorted(found.values(), key=lambda finding: -finding.score)
    assert listed(boss) == [finding.player.name for finding in strongest]
    assert listed(boss, "?kind=boosting") == ["Wren"]
    assert listed(boss, "?kind=trading") == []
    assert listed(boss, "?q=Moth") == ["Wren"]
    assert listed(boss, f"?player={Player.objects.get(key='Moth').pk}") == ["Wren"]
    act(boss, "dismiss", found["delevelling"], **YES)
    assert listed(boss, "?verdict=open") == ["Wren"]
    assert listed(boss, "?verdict=dismissed") == ["Kite"]


def test_strong_newcomers_are_listed_apart(boss, found):
    seen = found["boosting"].evidence | {"won": 9, "expected": 4, "dominated": 0, "rose": 100}
    make_finding(Player.objects.get(name="p1"), kind="newcomer", evidence=seen)
    assert "p1" not in listed(boss)
    assert "p1" not in listed(boss, "?verdict=open")
    assert listed(boss, "?kind=newcomer") == ["p1"]
    assert "All but strong newcomers" in boss.get(LIST).content.decode()


def test_the_page_shows_what_it_rests_on(boss, found):
    html = boss.get(page(found["boosting"])).text
    assert re.search("Wren won 14 of 14 .* Moth, 14 ", html)
    assert html.count('<td class="number">7 : 0</td>') == 14
    assert html.count('<svg class="plot"') == 2
    assert "Void 14 matches…" in html
    assert [f"Ban {name}…" in html for name in ("Wren", "Moth", "Kite")] == [True, True, False]
    html = boss.get(page(found["delevelling"])).text
    assert html.count("at 10 % of it") == 20
    assert "−20 : 2" in html


def test_the_own_score_is_first_on_either_side(boss, found):
    finding = found["boosting"]
    finding.player, finding.other = finding.other, finding.player  # the second team's player
    finding.save()
    html = boss.get(page(finding)).text
    assert '<th scope="col" class="number">Score, Moth first</th>' in html
    assert html.count('<td class="number">0 : 7</td>') == 14


def test_the_page_knows_which_matches_are_void(boss, found):
    matches = list(Match.objects.filter(pk__in=found["boosting"].evidence["matches"][:4]))
    void(matches, by=None, reason="Arranged.", now=timezone.now())
    html = boss.get(page(found["boosting"])).text
    assert html.count(">Void</span>") == 4
    assert "Void 10 matches…" in html


def test_confirming_and_dismissing_ask_why_and_are_logged(boss, found):
    finding = found["boosting"]
    asked = act(boss, "confirm", finding)
    assert "Confirm findings" in asked.text
    assert "Wren won 14 of 14" in asked.text
    assert act(boss, "confirm", finding, confirmed="yes", reason="").status_code == 200
    finding.refresh_from_db()
    assert (finding.verdict, AuditEntry.objects.count()) == (Finding.OPEN, 0)
    act(boss, "confirm", finding, **YES)
    finding.refresh_from_db()
    assert (finding.verdict, finding.reason, finding.reviewed_by.username) == ("confirmed", YES["reason"], "boss")
    assert finding.reviewed_score == finding.score
    act(boss, "dismiss", *found.values(), **YES)
    acts = list(AuditEntry.objects.order_by("pk").values_list("act", "player__key", "reason", "by__username"))
    assert acts == [
        ("confirm", "Wren", YES["reason"], "boss"),
        *[("dismiss", row.player.key, YES["reason"], "boss") for row in sorted(found.values(), key=lambda row: row.pk)],
    ]
    assert (Ban.objects.count(), Match.objects.filter(voids__isnull=False).count()) == (0, 0)  # nothing else followed


def test_matches_are_voided_and_players_banned_from_the_page(boss, found):
    html = boss.get(page(found["boosting"])).text
    forms = re.findall(r'<form method="post" action="([^"]*)">(.*?)</form>', html, re.DOTALL)
    sent = {}
    for address, form in forms:
        fields = re.findall(r'name="(action|_selected_action)" value="(\w+)"', form)
        name = next((value for key, value in fields if key == "action"), "")
        sent[name, len(fields) - 1] = (address, [value for key, value in fields if key == "_selected_action"])
    address, ticked = sent["void", 14]
    boss.post(address, {"action": "void", "index": 0, "_selected_action": ticked, **YES})
    assert Match.objects.filter(voids__lifted_at=None, voids__isnull=False).count() == 14
    address, ticked = sent["ban", 1]
    boss.post(address, {"action": "ban", "index": 0, "_selected_action": ticked, "scope": "both", "days": 3, **YES})
    assert Ban.objects.get().player.key == "Moth"


PERMISSIONS = [
    # permissions, list, page, may review, void and ban from there
    ((), 403, 403, False, False),
    (("view_finding",), 200, 200, False, False),
    (("view_finding", "change_finding"), 200, 200, True, False),
    (("view_finding", "view_match", "add_void", "view_leaver", "add_ban"), 200, 200, False, True),
]


@pytest.mark.parametrize(("permissions", "listing", "status", "reviews", "acts"), PERMISSIONS)
def test_who_may(found, permissions, listing, status, reviews, acts):
    client, finding = staff(*permissions), found["boosting"]
    shown = client.get(page(finding))
    assert (client.get(LIST).status_code, shown.status_code) == (listing, status)
    assert ("Dismiss…" in shown.text) == reviews
    assert ("Void 14 matches…" in shown.text, "Ban Wren…" in shown.text) == (acts, acts)
    act(client, "dismiss", finding, **YES)
    finding.refresh_from_db()
    assert finding.verdict == (Finding.DISMISSED if reviews else Finding.OPEN)


def test_nobody_adds_edits_or_deletes_any(boss, found):
    finding = found["boosting"]
    assert boss.get(reverse("admin:ranking_finding_add")).status_code == 403
    assert boss.post(page(finding), {"score": 1}).status_code == 403
    assert boss.post(reverse("admin:ranking_finding_delete", args=[finding.pk])).status_code == 403


def copies(finding, count):
    for number in range(count):
        other = Player.objects.get(key=f"p{number}")
        Finding.objects.create(
            kind="boosting", mode=finding.mode, player=finding.player, other=other, score=7,
            evidence={**finding.evidence, "matches": finding.evidence["matches"][: 3 + number]},
            found_at=finding.found_at, seen_at=finding.seen_at,
        )  # fmt: skip


def test_as_many_queries_for_many_as_for_one(boss, found):
    copies(found["boosting"], 3)
    taken = []
    weakest, *_, longest = Finding.objects.filter(kind="boosting", score=7).order_by("pk")
    for address in (f"{LIST}?q=p0", LIST, page(weakest), page(longest)):
        boss.get(address)
        with CaptureQueriesContext(connection) as captured:
            assert boss.get(address).status_code == 200
        taken.append(len(captured))
    assert (taken[1], taken[3]) == (taken[0] - 3, taken[2])  # a search asks for key, names and last matches first
    assert taken[1:3] == [LISTED, SHOWN]


def test_matches_of_more_than_two_teams_show_places():
    mode = make_mode("ffa", "weng-lin", team_count=3, team_size_max=1)
    rosters = ["a"], [PlayerReport(id="b", left_early=True)], ["c"]
    match = record(*rosters, mode="ffa", places=(2, 1, 3)).record.match
    players = [Player.objects.get(key=key) for key in "abc"]
    findings = [make_finding(player, mode=mode, evidence={"matches": [match.pk]}) for player in players]
    rows = [rows_of(finding)[0].parts[0] for finding in findings]
    assert [row and row.outcome for row in rows] == ["Place 1 of 3", "Left", "Place 2 of 3"]
