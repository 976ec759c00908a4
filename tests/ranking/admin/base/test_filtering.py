"""Filters, sorting and what is wrong with an address: rows by filter, and sentences instead of other rows."""

import datetime as dt
import re
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from ranking.models import Ban, Incident, Match, Pardon, Player, SavedFilter, Source
from ranking.moderation.sanctions import ban_players, pardon_incidents
from ranking.players.search import MOST_FOUND
from ranking.rules.report import PlayerReport
from tests.support.factories import make_mode, make_role, record
from tests.support.plans import plan_of


def url(model, **query):
    return reverse(f"admin:ranking_{model}_changelist", query=query)


def rows(client, model, **query):
    response = client.get(url(model, **query))
    assert response.status_code == 200, response.text
    return [row.player.key if hasattr(row, "player") else getattr(row, "key", "") for row in shown(response)]


def shown(response):
    return list(response.context["cl"].result_list)


def messages(response):
    return " ".join(str(message) for message in response.context["messages"])


@pytest.fixture(scope="module")
def _evening(module_db):
    now = timezone.now()
    make_mode("duel")
    make_mode("other")
    for number, (key, days, mode, server) in enumerate(
        [("often", 0, "duel", "fra"), ("often", 0, "duel", "fra"), ("often", 0, "duel", "ams"),
         ("often", 0, "duel", ""), ("once", 0.5, "other", "fra"), ("old", 20, "duel", ""), ("old", 20, "duel", "")]
    ):  # fmt: skip
        ended = now - dt.timedelta(days=days, seconds=number + 1)
        record(["z"], [PlayerReport(id=key, left_early=True)], mode=mode, ended_at=ended, now=now, server=server,
               variant="mill" if server else "", id=f"m-{number}")  # fmt: skip
    moderator, banned = User.objects.create_user("mod"), Player.objects.get(key="old")
    ban_players([banned], scope="queue", by=moderator, reason="x", now=now)
    pardon_incidents(
        [Incident.objects.get(player__key="once").pk], by=None, reason="x", now=now - dt.timedelta(hours=1)
    )


@pytest.fixture(autouse=True)
def evening(_evening, db):
    """Leavers: `often` four times today in duel, `once` today in other, `old` twice, 20 days ago; `old` is banned."""


LEAVERS = [
    ({}, ["often", "old"]),
    ({"locked": "yes"}, ["often"]),
    ({"locked": "no"}, ["old"]),
    ({"banned": "yes"}, ["old"]),
    ({"banned": "no"}, ["often"]),
    ({"points": "3"}, ["often"]),
    ({"points": "0.5"}, ["often", "old"]),
    ({"locked": "yes", "banned": "yes"}, []),
    ({"o": "4"}, ["old", "often"]),
    ({"o": "-5"}, ["often", "old"]),
    ({"q": "o", "banned": "no"}, ["often"]),
]


def test_leavers_are_filtered_and_sorted(boss):
    given = {urlencode(query): rows(boss, "leaver", **query) for query, _ in LEAVERS}
    assert given == {urlencode(query): wanted for query, wanted in LEAVERS}
    assert sorted(rows(boss, "leaver", q="o")) == ["often", "old", "once"]


def test_leavers_are_filtered_by_mode(boss):
    modes = {row.mode.slug: row.mode_id for row in Incident.objects.all()}
    assert rows(boss, "leaver", mode=modes["duel"]) == ["often", "old"]
    assert rows(boss, "leaver", mode=modes["other"]) == []  # pardoned
    assert rows(boss, "incident", mode=modes["other"]) == ["once"]


INCIDENTS = [
    ({"kind": "leave"}, 7),
    ({"kind": "missed"}, 0),
    ({"server": "fra"}, 3),
    ({"server": "FRA"}, 0),
    ({"pardoned": "yes"}, 1),
    ({"pardoned": "no"}, 6),
    ({"since": "1d"}, 5),
    ({"until": "2020-01-01T00:00"}, 0),
    ({"since": "2020-01-01", "server": "fra", "pardoned": "no"}, 2),
]


def test_incidents_are_filtered(boss):
    given = {urlencode(query): len(rows(boss, "incident", **query)) for query, _ in INCIDENTS}
    assert given == {urlencode(query): count for query, count in INCIDENTS}


MATCHES = [
    ({"server": "ams"}, 1),
    ({"variant": "mill"}, 4),
    ({"variant": "none"}, 0),
    ({"since": "1d"}, 5),
    ({"q": "onc"}, 1),
    ({"q": "m-3"}, 1),
]


def test_matches_are_filtered(boss):
    given = {urlencode(query): len(shown(boss.get(url("match", **query)))) for query, _ in MATCHES}
    assert given == {urlencode(query): count for query, count in MATCHES}


def test_matches_are_filtered_by_source_and_player(boss):
    source, often = Source.objects.get(), Player.objects.get(key="often")
    assert len(shown(boss.get(url("match", source=source.pk)))) == 7
    assert len(shown(boss.get(url("match", player=often.pk)))) == 4


def test_bans_and_the_audit_log_are_filtered(boss):
    counts = {
        (model, *query.items()): len(shown(boss.get(url(model, **query))))
        for model, query in [
            ("ban", {"by": "mod"}),
            ("ban", {"by": "nobody"}),
            ("ban", {"since": "1d"}),
            ("ban", {"running": "forever"}),
            ("ban", {"running": "lifted"}),
            ("auditentry", {"who": "mod"}),
            ("auditentry", {"who": "system:"}),
            ("auditentry", {"act": "ban", "since": "1d"}),
            ("auditentry", {"act": "ban", "until": "2d"}),
        ]
    }
    assert list(counts.values()) == [1, 0, 1, 1, 0, 1, 1, 1, 0]


@pytest.mark.parametrize("model", ["incident", "match"])
def test_facts_are_sorted_by_their_own_time_in_both_directions(boss, model):
    times = [getattr(row, "happened_at", None) or row.ended_at for row in shown(boss.get(url(model)))]
    assert times == sorted(times, reverse=True)
    column = {"incident": 1, "match": 3}[model]
    rising = shown(boss.get(url(model, o=column)))
    assert [getattr(row, "happened_at", None) or row.ended_at for row in rising] == times[::-1]


WRONG = [  # what is wrong by which field, and what the sentence names of it
    ("leaver", {"points": "abc"}, "points", "“abc”"),
    ("leaver", {"points": "-1"}, "points", "“-1”"),
    ("leaver", {"mode": "999999"}, "mode", "“999999”"),
    ("leaver", {"locked": "perhaps"}, "locked", "yes, no"),
    ("leaver", {"p": "9999"}, "p", "page “9999”"),
    ("leaver", {"p": "x"}, "p", "page “x”"),
    ("leaver", {"o": "zzz"}, "o", "“zzz”"),
    ("leaver", {"o": "1"}, "o", "“1”"),
    ("leaver", {"o": "4.5"}, "o", "“4.5”"),
    ("incident", {"since": "yesterday"}, "since", "UTC"),
    ("incident", {"since": "1d", "until": "2d"}, "since", "before it begins"),
    ("incident", {"occasion": "x"}, "occasion", "filter “occasion”"),
    ("incident", {"player": "999999"}, "player", "“999999”"),
    ("match", {"source": "9" * 30}, "source", f"“{'9' * 30}”"),
    ("match", {"player__name": "x"}, "player__name", "filter “player__name”"),
    ("ban", {"done": "never"}, "done", "“never”"),
    *(
        (model, {"done": extreme}, "done", f"“{extreme}”")
        for model in ("incident", "ban", "match", "player")
        for extreme in ("0001-01-01T00:00+14:00", "9999-12-31T23:59-14:00")
    ),
    ("auditentry", {"act": "x"}, "act", "“x”"),
]


def test_a_wrong_address_is_answered_by_a_sentence(boss):
    wrong = {}
    for model, query, name, named in WRONG:
        answer = boss.get(url(model, **query, q="o"))
        sentence, kept = answer.context["sentence"], answer.context["rest"]
        status = boss.get(url(model).partition("?")[0] + kept).status_code
        if (answer.status_code, named in sentence, f"{name}=" in kept, status) != (400, True, False, 200):
            wrong[model, str(query)] = (answer.status_code, sentence, kept, status)
    assert wrong == {}


@pytest.mark.parametrize(
    "query", [{"is_staff__exact": "x"}, {"is_active__exact": "x"}, {"groups__id__exact": "x"}], ids=urlencode
)
def test_a_wrong_value_of_djangos_own_filters_is_refused(boss, query):
    make_role("viewer")  # without any role, Django has no filter of roles
    answer = boss.get(reverse("admin:auth_user_changelist", query=query))
    assert (answer.status_code, answer.context["rest"]) == (400, "")
    assert answer.context["sentence"]


TIMES = {
    "7d": "2026-11-15T14:30",
    "12h": "2026-11-22T02:30",
    "2026-11-20T10:00Z": "2026-11-20T10:00",
    "2026-11-20T10:00:07 02:00": "2026-11-20T08:00:07",
    "2026-11-20": "2026-11-20T00:00",
}


def test_a_time_stays_in_its_field_and_means_the_same_again(boss, time_machine):
    time_machine.move_to(dt.datetime(2026, 11, 22, 14, 30, 59, tzinfo=dt.UTC), tick=False)
    boss.force_login(User.objects.get(username="boss"))
    given, bounds = {}, {}
    for time in TIMES:
        page = boss.get(url("incident", since=time))
        given[time] = re.search(r'type="datetime-local" name="since" value="([^"]*)"', page.text)[1]
        again = boss.get(url("incident", since=given[time], until="2026-11-22T14:30"))
        bounds[time] = [filter_of(answer, "since").values["since"] for answer in (page, again)]
    assert given == TIMES
    assert {time: (first, second) for time, (first, second) in bounds.items() if first != second} == {}


def filter_of(page, name):
    return next(spec for spec in page.context["cl"].filter_specs if spec.parameter_name == name)


def test_a_filter_is_saved_under_a_name_for_its_owner_alone(boss, client):
    address = url("incident", pardoned="no", since="7d", p="1")
    saved = boss.post(address, {"filter_name": "  Last   week "}, follow=True)
    assert "“Last week”" in messages(saved)
    assert 'href="?pardoned=no&amp;since=7d"' in saved.text
    other = User.objects.create_superuser("other")
    client.force_login(other)
    assert "Last week" not in client.get(url("incident")).text
    assert "Last week" not in boss.get(url("ban")).text
    number = SavedFilter.objects.get().pk
    assert "It is gone." in messages(client.post(url("incident"), {"forget_filter": number}, follow=True))
    boss.post(url("incident", kind="leave"), {"filter_name": "Last week"})
    assert SavedFilter.objects.get().query == "kind=leave"
    assert "“Last week”" in messages(boss.post(url("incident"), {"forget_filter": number}, follow=True))
    assert not SavedFilter.objects.exists()


@pytest.mark.parametrize(
    ("query", "name", "named"),
    [({"kind": "leave"}, "  ", "a name"), ({"kind": "leave"}, "x" * 61, "a name"), ({}, "all", "no filter")],
    ids=("no name", "a long name", "no filter"),
)
def test_what_is_no_filter_is_not_saved(boss, query, name, named):
    assert named in messages(boss.post(url("incident", **query), {"filter_name": name}, follow=True))
    assert not SavedFilter.objects.exists()


def test_nobody_saves_more_than_twenty_filters_of_a_list(boss):
    for number in range(20):
        boss.post(url("incident", kind="leave"), {"filter_name": f"filter {number}"})
    answer = boss.post(url("incident", kind="leave"), {"filter_name": "filter 20"}, follow=True)
    assert "20 saved filters" in messages(answer)
    assert SavedFilter.objects.count() == 20


def test_a_list_without_permission_saves_nothing(clerk):
    assert clerk.post(url("incident", kind="leave"), {"filter_name": "x"}).status_code == 403


def confirm(client, address, action, **answers):
    """Ask for all that match, then press the button of the page that asks."""
    asked = client.post(address, {"action": action, "index": 0, "all_that_match": 1})
    if asked.status_code != 200:
        return client.get(asked.url)
    fields = {**asked.context["hidden"], "action": action, "index": 0, "reason": "x", **answers}
    return client.post(asked.context["back"], fields, follow=True)


def test_all_that_match_are_banned_and_the_link_in_the_message_takes_it_back(boss):
    done = confirm(boss, url("leaver", points="0.5"), "ban", scope="both", days="3")
    assert re.search(r"Banned for 3 days: (often, old|old, often)\.", done.text)
    link = re.search(r'href="([^"]*done=[^"]*)"', done.text)[1].replace("&amp;", "&")
    assert {ban.player.key for ban in shown(boss.get(link))} == {"often", "old"}
    assert Ban.objects.running(timezone.now()).count() == 3
    confirm(boss, link, "lift")
    assert [ban.reason for ban in Ban.objects.running(timezone.now())] == ["x"]
    assert Ban.objects.running(timezone.now()).get().scope == "queue"


def test_the_link_after_each_act_on_bans_shows_these_bans(boss):
    address, link = url("leaver", points="0.5"), None
    for action, answers in (("ban", {"scope": "both", "days": "3"}), ("extend", {"days": "9"}),
                            ("shorten", {"days": "2"}), ("lift", {}), ("resume", {})):  # fmt: skip
        done = confirm(boss, link or address, action, **answers)
        link = re.search(r'href="([^"]*done=[^"]*)"', done.text)[1].replace("&amp;", "&")
        with CaptureQueriesContext(connection) as queries:
            bans = shown(boss.get(link))
        assert sorted((ban.player.key, ban.scope) for ban in bans) == [("often", "both"), ("old", "both")], action
        listing = next(each["sql"] for each in queries.captured_queries if "UNION" in each["sql"])
        plan = plan_of([listing])
        assert ("ban_act_recent" in plan and "ban_since" in plan) or "ban_of_moderator" in plan, plan


def test_the_set_does_not_grow_after_the_preview(boss):
    address = url("incident", pardoned="no", kind="leave")
    asked = boss.post(address, {"action": "pardon", "index": 0, "all_that_match": 1})
    assert (asked.context["total"], len(asked.context["rows"])) == (6, 6)
    record(
        ["z"],
        [PlayerReport(id="late", left_early=True)],
        mode="duel",
        ended_at=timezone.now(),
        now=timezone.now(),
        id="late",
    )
    fields = {**asked.context["hidden"], "action": "pardon", "index": 0, "reason": "x"}
    boss.post(asked.context["back"], fields)
    assert [row.player.key for row in Incident.objects.counting()] == ["late"]


REFUSED = [
    ("leaver", "ban", "filter first"),
    ("leaver?points=9999", "ban", "No row"),
    ("match?server=%20", "void", "filter first"),
    ("match?server=fra&server=%20", "void", "filter first"),
    ("player?q=often", "anonymise", "ticked rows only"),
    ("leaver?points=1", "nonsense", "No action"),
]


def test_all_is_refused_with_a_sentence(boss):
    wrong = {}
    for address, action, named in REFUSED:
        model, _, query = address.partition("?")
        asked = {"action": action, "index": 0, "all_that_match": 1}
        answer = boss.post(f"{url(model)}?{query}", asked, follow=True)
        if named not in messages(answer):
            wrong[address, action] = messages(answer)
        assert (Ban.objects.count(), Player.objects.exclude(anonymised_at=None).count()) == (1, 0), address
    assert wrong == {}


@pytest.mark.parametrize(("model", "action"), [("player", "hide"), ("incident", "pardon"), ("match", "void")])
def test_all_that_a_cut_search_finds_are_none(boss, model, action):
    names = [f"pack {number}" for number in range(MOST_FOUND - 1)]
    Player.objects.bulk_create(
        Player(key=name, name=name, search_name=name, created_at=timezone.now())
        for name in [*names, "pack a", "pack b"]
    )
    asked = {"action": action, "index": 0, "all_that_match": 1}
    answer = boss.post(url(model, q="pack"), asked, follow=True)
    assert re.search(r"\b(500|50) players at most", messages(answer))
    assert not Player.objects.exclude(hidden_at=None).exists()
    answer = boss.post(url("player", q="pack 4"), {**asked, "action": "hide"})
    assert answer.context["total"] == 110


def test_more_than_the_most_are_none(boss, monkeypatch):
    monkeypatch.setattr("ranking.admin.base.acts.chosen_rows.MOST", 5)
    answer = boss.post(
        url("incident", kind="leave"), {"action": "pardon", "index": 0, "all_that_match": 1}, follow=True
    )
    assert "More than 5 rows" in messages(answer)
    many = ",".join(str(number) for number in range(1, 7))
    assert boss.post(url("incident"), {"action": "pardon", "index": 0, "chosen": many}).status_code == 400


def test_a_whole_act_is_taken_back_though_it_has_more_rows_than_the_most(boss, monkeypatch):
    before = Pardon.objects.filter(lifted_at=None).count()
    done = confirm(boss, url("leaver", points="0.5"), "pardon")
    link = re.search(r'href="([^"]*done=[^"]*)"', done.text)[1].replace("&amp;", "&")
    assert Pardon.objects.filter(lifted_at=None).count() == before + 6
    monkeypatch.setattr("ranking.admin.base.acts.chosen_rows.MOST", 5)
    confirm(boss, link, "revoke")
    assert Pardon.objects.filter(lifted_at=None).count() == before


def test_keys_that_no_row_has_are_refused(boss):
    asked = {(key, field) for key in ("x", "1,x", "1;DROP", "9" * 40) for field in ("chosen", "_selected_action")}
    given = {}
    for key, field in asked:
        answer = boss.post(url("ban"), {"action": "lift", "index": 0, field: key})
        given[key, field] = (answer.status_code, "no row of this list" in answer.text)
    assert given == dict.fromkeys(asked, (400, True))


INDEXES = [
    ("incident", {"mode": "MODE"}, "incident_of_mode"),
    ("incident", {"kind": "leave"}, "incident_of_kind"),
    ("incident", {"since": "7d"}, "incident_recent"),
    ("match", {"server": "fra"}, "match_of_server"),
    ("match", {"variant": "mill"}, "match_of_variant"),
    ("auditentry", {"act": "ban"}, "audit_of_act"),
    ("auditentry", {"who": "mod"}, "audit_of_person"),
    ("auditentry", {}, "ranking_auditentry_at"),
    ("ban", {}, "ban_since"),
]


def test_an_index_answers_each_filter(boss):
    plans = {}
    for model, query, index in INDEXES:
        filled = {"mode": str(Match.objects.first().mode_id)} if "mode" in query else query
        with CaptureQueriesContext(connection) as queries:
            boss.get(url(model, **filled))
        listing = next(each["sql"] for each in queries.captured_queries if f'FROM "ranking_{model}"' in each["sql"])
        plan = plan_of([listing])
        if index not in plan:
            plans[model, *query] = plan
    assert plans == {}
