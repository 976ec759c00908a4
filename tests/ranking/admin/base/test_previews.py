"""An act concerns what its preview counted: what comes between the page that asks and the answer isn't decided."""

import datetime as dt
import re

import pytest
from django.urls import reverse
from django.utils import timezone

from ranking.abuse.complaints import report_player
from ranking.admin.base.acts.chosen_rows import as_previewed
from ranking.models import CannedAnswer, ComplaintCase, Incident, Match, Merge, Pardon, Player
from ranking.moderation.merges import merge_players
from ranking.moderation.sanctions import pardon_incidents
from ranking.moderation.undoing import take_back_pardons
from ranking.rules.report import PlayerReport
from tests.support.factories import make_mode, record

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def now(_now, db):
    """When a match of four ended that b left."""
    return _now


@pytest.fixture(scope="module")
def _now(module_db):
    make_mode()
    now = timezone.now()
    record(["a", "z"], [PlayerReport(id="b", left_early=True), "c"], ended_at=now, now=now, id="first", server="fra")
    return now


def later(now, *, server="fra"):
    record(["z"], [PlayerReport(id="b", left_early=True)], ended_at=now, now=now, id="later", server=server)


def post(client, model, action, row, **answers):
    fields = {"action": action, "index": 0, "_selected_action": row.pk, **answers}
    return client.post(reverse(f"admin:ranking_{model}_changelist"), fields)


YES = {"confirmed": "yes", "reason": "x"}


def counting():
    return [row.match.external_id for row in Incident.objects.counting().select_related("match")]


def valid():
    return list(Match.objects.filter(voids=None).values_list("external_id", flat=True))


def test_a_players_pardon_leaves_what_came_meanwhile(boss, now):
    b = Player.objects.get(key="b")
    asked = post(boss, "leaver", "pardon", b)
    later(now)
    assert post(boss, "leaver", "pardon", b, **{**asked.context["hidden"], **YES}).status_code == 302
    assert counting() == ["later"]


def test_a_matchs_pardon_leaves_what_counts_again_meanwhile(boss, now):
    match, incident = Match.objects.get(), Incident.objects.get()
    acts = {"by": None, "reason": "x", "now": now}
    pardon_incidents([incident.pk], **acts)
    asked = post(boss, "match", "pardon", match)
    assert asked.context["hidden"]["previewed"] == ""
    take_back_pardons([incident.pk], **acts)
    post(boss, "match", "pardon", match, **{**asked.context["hidden"], **YES})
    assert counting() == ["first"]


@pytest.mark.parametrize("model", ["leaver", "match"])
def test_without_a_preview_an_act_asks_first(boss, model):
    row = Match.objects.get() if model == "match" else Player.objects.get(key="b")
    asked = post(boss, model, "pardon", row, **YES)
    assert (asked.status_code, Pardon.objects.count()) == (200, 0)
    post(boss, model, "pardon", row, **{**asked.context["hidden"], **YES})
    assert Pardon.objects.count() == 1


@pytest.mark.parametrize(
    ("name", "done"),
    [("incident_crash", counting), ("leaver_void_since", valid)],
)
def test_pages_with_a_time_do_what_they_showed(boss, now, name, done):
    rows = [Player.objects.get(key="b").pk] if name == "leaver_void_since" else []
    since, until = (now + dt.timedelta(days=days) for days in (-1, 1))
    query = f"?since={since:%Y-%m-%dT%H:%M}&until={until:%Y-%m-%dT%H:%M}"
    address = reverse(f"admin:ranking_{name}", args=rows) + query
    shown = boss.get(address)
    later(now)
    again = boss.post(address, {"reason": "x"})
    assert (again.status_code, len(again.context["previewed"].split(","))) == (200, 2)
    answer = boss.post(address, {"reason": "x", "previewed": shown.context["previewed"]}, follow=True)
    assert done() == ["later"]
    link = re.search(r'href="([^"]*done=[^"]*)">Show these', answer.text)[1]
    acted_on = {"incident_crash": Incident, "leaver_void_since": Match}[name].objects.earliest("pk")
    assert list(boss.get(link).context["cl"].result_list) == [acted_on]


@pytest.mark.parametrize("name", ["incident_crash", "leaver_void_since", "player_merge", "player_split"])
def test_pages_of_their_own_put_a_canned_answer_into_the_text(boss, now, name):
    record(["z"], ["y"], ended_at=now, now=now, id="second")
    b, y = (Player.objects.get(key=key) for key in "by")
    if name == "player_split":
        merge_players(b, y, by=None, reason="One person.", now=now)
    rows = {"incident_crash": [], "player_split": [y.pk]}.get(name, [b.pk])
    since, until = (now + dt.timedelta(days=days) for days in (-1, 1))
    query = {"since": f"{since:%Y-%m-%dT%H:%M}", "until": f"{until:%Y-%m-%dT%H:%M}", "merged": y.pk}
    address = reverse(f"admin:ranking_{name}", args=rows, query=query)
    canned = CannedAnswer.objects.create(title="Words", text="Insults cost a week.")
    shown = boss.get(address)
    assert '<button type="submit" name="insert" value="yes"' in shown.text
    previewed = shown.context.get("previewed", "")
    given = {"canned": canned.pk, "note": "Seen.", "insert": "yes", "previewed": previewed}
    form = boss.post(address, given).context["reason"]
    assert [form[field].value() for field in ("reason", "note")] == ["Insults cost a week.", "Seen."]
    assert not form.errors
    assert (counting(), len(valid()), Merge.objects.filter(lifted_at=None).count()) == (
        ["first"], 2, int(name == "player_split"),
    )  # fmt: skip


def test_a_field_of_nonsense_names_nothing(rf):
    for value in ("", "x", ",", "1;DROP", "9" * 40):
        assert not as_previewed(rf.post("/", {"previewed": value}), Incident.objects.all()).exists()


def cases():
    return list(ComplaintCase.objects.order_by("player__key").values_list("player__key", "verdict"))


def report(reporter, reported, reason="words"):
    first, second = (Player.objects.get(key=key) for key in (reporter, reported))
    report_player(Match.objects.get(external_id="first"), first, second, reason=reason, now=timezone.now())


def test_a_review_asks_again_about_a_case_with_a_new_report(boss):
    report("a", "b")
    report("a", "c")
    rows = [case.pk for case in ComplaintCase.objects.all()]
    address, ticked = reverse("admin:ranking_complaintcase_changelist"), {"action": "dismiss", "index": 0}
    asked = boss.post(address, {**ticked, "_selected_action": rows})
    report("z", "b", "cheating")
    again = boss.post(address, {**ticked, **asked.context["hidden"], **YES})
    assert cases() == [("b", "open"), ("c", "dismissed")]
    assert [(str(row.player), row.effect) for row in again.context["rows"]] == [("b", "cheating 1 · abusive words 1")]
    assert "meanwhile" in again.text
    assert 'value="x"' in again.text  # the reason
    boss.post(address, {**ticked, **again.context["hidden"], **YES})
    assert cases() == [("b", "dismissed"), ("c", "dismissed")]
