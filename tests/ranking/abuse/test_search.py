"""The search for abuse as a job: what it reads, what it keeps, and what becomes of it."""

import datetime as dt
import json
import re
from dataclasses import replace
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from ranking.abuse._loading import load_history
from ranking.abuse.detection.thresholds import Thresholds
from ranking.abuse.search import is_due, review_findings, search, thresholds
from ranking.abuse.wording import scores_text, sentence_of
from ranking.matches import invariants
from ranking.matches.devices import digest_of, drop_old_devices
from ranking.matches.recording import CONFLICT, KNOWN, RATED, record_results
from ranking.models import AbuseRun, AuditEntry, DeviceUse, Finding, Match, Player
from ranking.moderation.merges import merge_players
from ranking.moderation.voids import void
from ranking.players.anonymising import anonymise_player
from ranking.rerating.reratings import find_work, rerate
from ranking.rules.report import PlayerReport
from ranking.tasks import report_abuse
from tests.support.abuse_stories import crowd, duel, fed, minutes
from tests.support.factories import make_mode, make_source, record, record_result
from tests.support.paths import SHARED

pytestmark = pytest.mark.django_db
DATA = SHARED / "data"
LATER = timezone.now()
EVERYTHING = {"days": 10_000, "most": 1_000_000}


def lived(*story):
    """These matches among a crowd's, recorded."""
    reports = sorted([*crowd(150), *story], key=lambda report: report.ended_at)
    record_results(
        [replace(report, id=f"m{number}") for number, report in enumerate(reports)], source=make_source(), now=LATER
    )


def boosted(count=16, one="b", other="o", since=20.0):
    return [duel(one, other, (7, 0), day=day) for day in minutes(count, since)]


@pytest.fixture
def mode():
    return make_mode()


def found(mode, now=LATER, **more):
    return [(f.kind, tuple(player.key for player in f.players)) for f in search(mode, now=now, **more)]


def test_the_history_is_what_was_played(mode):
    record(["a"], [PlayerReport(id="b", left_early=True, seconds=30)], duration=60.0)
    record_result(replace(duel("b", "a", (2, 9), day=80), id="x", duration=None), source=make_source(), now=LATER)
    columns = load_history(mode, Thresholds(), **EVERYTHING).columns
    keys = dict(Player.objects.values_list("pk", "key"))
    rows = zip(
        *(getattr(columns, name).tolist() for name in ("player", "won", "left", "seconds", "score")), strict=True
    )
    told = [(keys[player], won, left, "" if s != s else s, "" if p != p else p) for player, won, left, s, p in rows]
    assert told == [("a", 1, False, "", ""), ("b", 0, True, 30, ""), ("b", 0, False, 300, 2), ("a", 1, False, 300, 9)]
    assert columns.before.tolist()[0] == columns.before.tolist()[1] != columns.before.tolist()[2]
    assert columns.chance.tolist()[:2] == [0.5, 0.5]


def test_a_finding_is_kept_once_and_refreshed(mode):
    lived(*boosted())
    assert found(mode) == [("boosting", ("b", "o"))]
    first = Finding.objects.get()
    record_results([replace(duel("b", "o", (7, 0), day=20.1), id="one more")], source=make_source(), now=LATER)
    assert found(mode, LATER + dt.timedelta(days=1)) == [("boosting", ("b", "o"))]
    again = Finding.objects.get()
    assert (again.pk, again.found_at, again.evidence["count"]) == (first.pk, first.found_at, 17)
    assert again.score > first.score
    assert again.seen_at == LATER + dt.timedelta(days=1)


def test_two_searches_at_one_moment_say_the_same(mode):
    lived(*boosted())
    assert found(mode) == found(mode)
    assert Finding.objects.count() == 1


def test_void_matches_do_not_count(mode):
    lived(*boosted())
    found(mode)
    for_nothing = Match.objects.filter(participations__player__key="o")
    void(for_nothing, by=None, reason="Arranged.", now=LATER)
    assert found(mode) == []  # rated anew or not
    assert Finding.objects.count() == 0
    for work in find_work():
        rerate(work)
    assert found(mode) == []


def test_only_the_days_before_the_newest_match_and_so_many_of_them(mode):
    lived(*boosted(since=2.0))
    sizes = [len(load_history(mode, Thresholds(), days=days, most=most).columns) for days, most in (
        (10_000, 10**6), (10_000, 600), (1, 10**6))]  # fmt: skip
    assert sizes[0] == 2 * 166
    assert sizes[1] == 600 // 12 * 2  # a mode of teams of up to six
    assert 0 < sizes[2] < 20


def test_who_played_before_those_days_is_no_newcomer(mode):
    lived(duel("s", "p1", (3, 7), day=1), *[duel("s", f"p{n}", (7, 0), day=38 + n / 50) for n in range(15)])
    early = load_history(mode, Thresholds(), days=5, most=10**6)
    assert Player.objects.get(key="s").pk in early.veterans.tolist()
    assert {("smurfing", ("s",)), ("newcomer", ("s",))} & set(found(mode)) == set()


def review(finding, verdict, reason="Looked at it."):
    return review_findings([finding], verdict, by=None, reason=reason, now=LATER)


def test_what_was_dismissed_stays_so_unless_it_grows_much_stronger(mode, settings):
    lived(*boosted())
    found(mode)
    finding = Finding.objects.get()
    assert review(finding, Finding.DISMISSED) == [finding]
    assert review(finding, Finding.DISMISSED) == []
    record_results([replace(duel("b", "o", (7, 0), day=20.1), id="one more")], source=make_source(), now=LATER)
    found(mode)
    assert Finding.objects.get().verdict == Finding.DISMISSED
    settings.ABUSE = {**settings.ABUSE, "reopen": 1.01}
    found(mode)
    again = Finding.objects.get()
    assert (again.verdict, again.reviewed_at, again.reviewed_score, again.reason) == (Finding.OPEN, None, None, "")
    acts = list(AuditEntry.objects.order_by("id").values_list("act", "player__key", "by"))
    assert acts == [("dismiss", "b", None), ("reopen", "b", None)]


def test_what_was_reviewed_stays_when_it_is_no_longer_found(mode):
    lived(*boosted())
    found(mode)
    review(Finding.objects.get(), Finding.CONFIRMED)
    void(Match.objects.filter(participations__player__key="o"), by=None, reason="Arranged.", now=LATER)
    assert found(mode) == []
    assert Finding.objects.get().verdict == Finding.CONFIRMED


def test_a_review_needs_a_reason(mode):
    lived(*boosted())
    found(mode)
    with pytest.raises(ValueError, match="Say why"):
        review(Finding.objects.get(), Finding.CONFIRMED, "  ")
    assert AuditEntry.objects.count() == 0


def test_one_who_leaves_for_good_is_no_longer_reported(mode):
    lived(*boosted(), duel("b", "p1", day=21, devices=("pc", "")))
    found(mode)
    anonymise_player(Player.objects.get(key="b"), now=LATER)
    assert (Finding.objects.count(), DeviceUse.objects.count()) == (0, 0)
    assert found(mode) == []


def test_merged_players_are_reported_as_the_one_they_are(mode):
    lived(*boosted(8), *boosted(12, one="second", since=22.0), duel("second", "p1", day=25, devices=("pc", "")))
    found(mode)
    kept, merged = Player.objects.get(key="b"), Player.objects.get(key="second")
    merge_players(kept, merged, by=None, reason="One person.", now=LATER)
    assert Finding.objects.count() == 0
    assert DeviceUse.objects.get().player == kept
    for work in find_work():
        rerate(work)
    assert found(mode) == [("boosting", ("b", "o"))]
    assert Finding.objects.get().evidence["count"] == 20


def test_devices_are_kept_as_digests_that_need_the_pepper(mode, settings):
    lived(duel("a", "b", day=1, devices=("ABC-1", "")))
    use = DeviceUse.objects.get()
    assert (use.player.key, use.digest, use.used_at) == ("a", digest_of("ABC-1"), use.match.ended_at)
    assert len(use.digest) == 32
    settings.DEVICE_PEPPER = "another"
    assert digest_of("ABC-1") != use.digest


def test_a_device_is_no_part_of_what_makes_a_result_the_same(mode):
    sent = replace(duel("a", "b", day=1, devices=("pc", "")), id="m")
    states = [
        record_result(report, source=make_source(), now=LATER).state
        for report in (
            sent,
            sent,
            replace(duel("a", "b", day=1, devices=("laptop", "")), id="m"),
            replace(duel("a", "b", day=1), id="m"),
            replace(duel("a", "b", (6, 4), day=1, devices=("pc", "")), id="m"),
        )
    ]
    assert states == [RATED, KNOWN, KNOWN, KNOWN, CONFLICT]
    assert [use.digest for use in DeviceUse.objects.all()] == [digest_of("pc")]


def test_devices_are_forgotten_in_time(mode, settings):
    lived(*[duel("a", "b", day=day, devices=("pc", "mac")) for day in (1, 2, 3)])
    settings.DEVICES_KEPT = 30
    newest = DeviceUse.objects.latest("used_at").used_at
    assert drop_old_devices(newest + dt.timedelta(days=29)) == 2
    assert DeviceUse.objects.count() == 4


def test_devices_tell_shared_accounts(mode):
    home = [duel("w", f"p{n % 20}", (7, 5) if n % 2 else (5, 7), day=6 + n / 5, devices=("pc", "")) for n in range(30)]
    shared = [
        duel("v", f"p{n % 20}", (7, 5) if n % 2 else (5, 7), day=20 + n / 50, devices=(f"d{n % 3}", ""))
        for n in range(14)
    ]
    lived(*home, *shared)
    assert found(mode, kinds=["sharing"]) == [("sharing", ("v",))]


def test_the_job_searches_each_mode_once_a_night(mode, settings):
    make_mode("empty")
    lived(*boosted())
    report_abuse()
    assert Finding.objects.count() == 1
    runs = {run.mode.slug: (run.parts, run.ran_at) for run in AbuseRun.objects.select_related("mode")}
    assert {slug: parts for slug, (parts, _) in runs.items()} == {"duel": 2 * 166, "empty": 0}
    report_abuse()
    assert {run.mode.slug: (run.parts, run.ran_at) for run in AbuseRun.objects.select_related("mode")} == runs
    assert is_due(mode, timezone.now() + dt.timedelta(hours=21))


def test_doctor_tells_where_the_search_stopped(mode):
    search(mode, now=LATER)
    for days, told in ((2, []), (4, ["abuse.late"])):
        found = invariants.violations(LATER + dt.timedelta(days=days))
        assert [violation.code for violation in found if violation.code.startswith("abuse")] == told


def test_as_many_queries_for_much_as_for_little(mode):
    lived()
    counts = []
    for number in (1, 3):
        Finding.objects.all().delete()
        for each in range(number):
            record_results(
                [replace(match, id=f"{number}-{each}-{at}") for at, match in enumerate(
                    boosted(14, f"b{number}{each}", f"o{number}{each}"))],
                source=make_source(), now=LATER,
            )  # fmt: skip
        with CaptureQueriesContext(connection) as captured:
            assert len(search(mode, now=LATER + dt.timedelta(days=number), kinds=["boosting"])) == (
                1 if number == 1 else 4
            )
        counts.append(len(captured))
    assert counts == [14, 14]


def test_thresholds_are_the_settings(settings):
    assert thresholds() == Thresholds()
    settings.ABUSE = {**settings.ABUSE, "boosting": 9.5, "meetings": 12}
    assert thresholds() == replace(Thresholds(), boosting=9.5, meetings=12)


def call(*arguments):
    out = StringIO()
    call_command("report_abuse", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_prints_findings(mode):
    lived(*boosted())
    make_mode("other")
    [row] = json.loads(call("--json"))
    said = row.pop("evidence")
    assert row.pop("score") > 6
    assert row == {"kind": "boosting", "mode": "duel", "players": ["b", "o"]}
    assert (said["count"], said["won"], said["share"]) == (16, 16, 1.0)
    assert "duel: b won 16 of 16 matches against o, 16 lopsidedly or by their leaving: 100 % of all that b" in call()
    assert "Scores, b’s first: 7 : 0 (16 times)\n" in call()
    assert call("--kind", "trading") == "0 findings.\n"
    assert json.loads(call("--mode", "other", "--json")) == []


def test_the_command_says_how_often_a_pair_met_and_what_is_usual(mode):
    lived(*fed("b", "o"))
    assert re.findall(r"duel: (.*)", call("--kind", "trading")) == [
        "Within 12 hours b won 38 and o 12 of 50 matches against each other, 35 and 12 of them lopsidedly or by the"
        " other’s leaving (usual: 12 in all); they met again at once 48 times (usual: 11)."
    ]


def test_scores_have_the_own_side_first(mode):
    lived(*[duel(f"p{number}", "d", (7, -20 - number // 4), day=20 + number / 100) for number in range(8)])
    assert "Scores, d’s first: −20 : 7 (4 times), −21 : 7 (4 times)\n" in call("--kind", "delevelling")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--mode", "no"), "There is no mode 'no'; there are: duel."),
        (
            ("--kind", "no"),
            "There is no kind of abuse 'no'; they are boosting, trading, delevelling, smurfing, newcomer, sharing,"
            " unreported.",
        ),
    ],
)
def test_the_command_refuses_what_is_not(mode, arguments, sentence):
    with pytest.raises(CommandError) as refused:
        call(*arguments)
    assert (str(refused.value), refused.value.returncode) == (sentence, 2)


@pytest.mark.long
def test_the_job_finds_the_real_run_of_negative_scores():
    file = DATA / "halo2-head-to-head.jsonl"
    if not file.exists():
        pytest.skip("The real match histories aren't here.")
    call_command("import_matches", str(file), "--create-mode", "elo", stdout=StringIO(), stderr=StringIO())
    [row] = json.loads(call("--json"))
    assert (row["kind"], row["players"]) == ("delevelling", ["Gamer01179"])
    said = row["evidence"]
    assert (said["count"], said["lost"], said["negative"]) == (12, 12, 11)
    own = [
        match.teams[part.team]["score"]
        for match in Match.objects.filter(pk__in=said["matches"]).order_by("event_id")
        for part in match.participations.filter(player__key="Gamer01179")
    ]
    assert own == [-6, -19, -33, -20, -27, -11, -24, -34, -7, -34, -5, -8]


def test_findings_of_an_earlier_version_keep_their_sentence():
    old = {"count": 12, "wins": [7, 5], "lopsided": 11, "turns": 10}
    assert sentence_of("trading", ["A", "B"], old) == (
        "Of 12 matches against each other A won 7 and B 5; 11 were lopsided, and the winner changed 10 times."
    )
    assert scores_text(old) == ""
