"""GET /api/v1/matches/ and /matches/{number}/: matches as they were sent, latest first, and what they changed."""

import datetime as dt
import json

import pytest

from ranking.matches.exporting import ResultsExport
from ranking.models import Match, Player, Source
from ranking.moderation.voids import void
from ranking.rules.report import PlayerReport
from tests.support.api import call, get, make_key, walk
from tests.support.factories import NOW, make_mode, make_report, make_source, record, record_result

pytestmark = pytest.mark.django_db


def hours(number: float) -> dt.datetime:
    return NOW + dt.timedelta(hours=number)


@pytest.fixture
def season():
    """Matches 1 to 5, of which 2 and 3 ended together."""
    make_mode()
    make_mode("other")
    for name, mode, players, ended_at in (
        ("1", "duel", "ab", 1), ("2", "other", "bc", 2), ("3", "duel", "ca", 2), ("4", "duel", "bc", 3),
        ("5", "other", "ab", 0),
    ):  # fmt: skip
        record([players[0]], [players[1]], id=name, mode=mode, ended_at=hours(ended_at), now=hours(9))


def ids(query: str) -> list[str]:
    return [match["id"] for match in walk(f"matches/{query}")]


def test_filters_and_pages(season, subtests):
    for query, found in [
        ("", "43215"),
        ("?limit=1", "43215"),
        ("?limit=2", "43215"),
        ("?mode=duel", "431"),
        ("?mode=other&limit=1", "25"),
        ("?player=a", "315"),
        ("?player=a&mode=duel&limit=1", "31"),
        ("?since=2026-05-20T14:00:00Z", "432"),
        ("?until=2026-05-20T14:00:00Z", "15"),
        ("?since=2026-05-20T13:00:00Z&until=2026-05-20T15:00:00Z&limit=1", "321"),
        ("?since=2027-01-01T00:00:00Z", ""),
    ]:
        with subtests.test(query=query):
            assert ids(query) == list(found)


def test_bad_parameters_are_named(season, subtests):
    for query, field in [
        ("?mode=nowhere", "mode"),
        ("?player=nobody", "player"),
        ("?player=%00", "player"),
        ("?since=2026-05-20", "since"),
        ("?until=2026-05-20T14:00:00", "until"),
        ("?limit=0", "limit"),
        ("?limit=101", "limit"),
        ("?limit=x", "limit"),
        ("?limit=" + "9" * 5000, "limit"),
        ("?page=2", "page"),
        ("?mode=duel&mode=other", "mode"),
        ("?after=x", "after"),
        ("?after=WzFd", "after"),
        ("?after=WyJ4IiwgMV0", "after"),
        ("?after=WyIyMDI2LTA1LTIwVDE0OjAwOjAwIiwgMV0", "after"),
        ("?after=" + "W" * 1001, "after"),
    ]:
        with subtests.test(query=query):
            answer = get(f"matches/{query}")
            assert (answer.status, answer.fields) == (400, [field])


@pytest.mark.parametrize("number", [1, 3])
def test_a_list_takes_as_many_queries_however_long(django_assert_num_queries, number):
    make_mode()
    for index in range(number):
        record(["a", "b"], ["c", "d"], id=str(index))
    with django_assert_num_queries(3):
        assert len(get("matches/").body["items"]) == number
    with django_assert_num_queries(5):
        get("matches/?mode=duel&player=a")


def test_a_match_is_told_as_it_was_sent():
    make_mode()
    record(
        [PlayerReport(id="a/1", name="Kestrel", seconds=40.0, left_early=True, rounds_played=2,
                      stats={"kills": 3.0})], ["b"], id="x", duration=60.0, rounds=3, variant="Slayer", server="eu1",
        region="eu", started_at=hours(-1),
    )  # fmt: skip
    number = Match.objects.get().pk
    facts = {
        "number": number, "source": "test", "id": "x", "mode": "duel", "started_at": "2026-05-20T11:00:00Z",
        "ended_at": "2026-05-20T12:00:00Z", "duration": 60.0, "rounds": 3, "variant": "Slayer", "server": "eu1",
        "region": "eu", "state": "rated", "uncounted": "", "reason": "", "late": False,
        "links": [], "teams": [
            {"name": "", "score": None, "place": 1, "players": [
                {"id": "a/1", "name": "Kestrel", "bot": False, "seconds": 40.0, "joined_at": None, "left_early": True,
                 "rounds_played": 2,
                 "stats": {"kills": 3.0}}]},
            {"name": "", "score": None, "place": 2, "players": [
                {"id": "b", "name": "b", "bot": False, "seconds": None, "joined_at": None, "left_early": False,
                 "rounds_played": None, "stats": {}}]},
        ],
    }  # fmt: skip
    detail = get(f"matches/{number}/").body
    changes = detail.pop("changes")
    assert (detail, get("matches/").body["items"]) == (facts, [facts])
    assert [(change["player"], change["outcome"]) for change in changes] == [("a/1", "left"), ("b", "win")]


def test_a_match_that_never_counts_says_why():
    make_mode(least_seconds=60)
    record(["a"], [PlayerReport("x", bot=True)], places=[None, None], no_contest="The map broke.", id="off")
    record(["a"], ["b"], duration=30.0, id="short")
    record(["a"], [PlayerReport("x", bot=True)], id="bots")
    told = {row["id"]: (row["state"], row["uncounted"], row["reason"]) for row in get("matches/").body["items"]}
    assert told == {
        "off": ("void", "no-contest", "The map broke."),
        "short": ("void", "", ""),
        "bots": ("void", "bots", "Bots alone were on a side."),
    }
    [bot] = get(f"matches/{Match.objects.get(external_id='off').pk}/").body["teams"][1]["players"]
    assert (bot["id"], bot["bot"]) == ("x", True)


REPORTS = "matches/?as=report"


def export(**options):
    return [json.loads(line) for line in ResultsExport(**options).lines()]


def test_a_source_reads_its_matches_as_reports_that_can_be_sent():
    mode = make_mode(least_seconds=60)
    make_mode("other")
    full = make_report(
        [PlayerReport("a", name="Kestrel", party="x", absences=((1.0, 2.0),), stats={"kills": 3.0})],
        [PlayerReport("b", left_early=True, seconds=60.0)], id="full", duration=90.0, lobby="L", variant="Slayer",
    )  # fmt: skip
    record_result(full, source=make_source(), now=NOW, elsewhere=True)
    record(["a"], [PlayerReport("robot", bot=True)], id="bots", duration=90.0)
    record(["a"], ["b"], id="short", duration=30.0)
    record(["a"], ["b"], id="off", places=[None, None], no_contest="The map broke.", duration=90.0)
    record(["c"], [PlayerReport("d", seconds=0.0, left_early=True)], id="walkover", duration=90.0)
    record(["a"], ["b"], id="other", mode="other", duration=90.0)
    voided = record(["a"], ["b"], id="void", duration=90.0).record.match
    void([voided], by=None, reason="Cheated.", now=NOW)
    record_result(make_report(["a"], ["b"], id="theirs"), source=make_source("elsewhere"), now=NOW)
    Player.objects.filter(key="a").update(hides_matches=True)
    key, own = make_key(), Source.objects.get(slug="test")
    told = walk(f"{REPORTS}&limit=2", key=key)
    assert {row["id"] for row in told} == {"full", "bots", "off", "walkover", "other"}
    by_id = {row["id"]: row for row in export(source=own)}
    assert {row["id"]: row for row in told} == by_id
    assert walk(f"{REPORTS}&mode=duel&player=a&limit=1", key=key) == [
        row for row in told if row["mode"] == "duel" and row["id"] != "walkover"
    ]
    assert walk(REPORTS, key=make_key(modes=[mode])) == [row for row in told if row["mode"] == "duel"]
    assert [row["id"] for row in walk(REPORTS, key=make_key(source="elsewhere"))] == ["theirs"]
    for row in told:
        assert call("POST", "matches/", row, key=key).status == 200, row["id"]


def test_who_may_read_reports():
    make_mode()
    for key, status, code in ((("read",), 403, "missing-scope"), ((), 200, None), (None, 401, "credentials-missing")):
        answer = get(REPORTS, key="" if key is None else make_key(*key))
        assert (answer.status, answer.body.get("code")) == (status, code), key
    assert get("matches/?as=match", key=make_key()).fields == ["as"]


@pytest.mark.parametrize("number", [1, 3])
def test_reports_take_as_many_queries_however_long(django_assert_num_queries, number):
    make_mode()
    key = make_key()
    for index in range(number):
        record([f"a{index}"], [PlayerReport(f"b{index}", seconds=0.0, left_early=True)], id=f"w{index}", duration=9.0)
        record(["a"], [PlayerReport(f"c{index}", bot=True)], id=f"b{index}", duration=9.0)
    get(REPORTS, key=key)
    with django_assert_num_queries(5):  # the key, matches, parts, bots, forfeits
        assert len(get(REPORTS, key=key).body["items"]) == 2 * number


def test_what_is_between_players_and_their_game_is_not_told():
    make_mode()
    report = make_report([PlayerReport(id="a", party="x", absences=((1.0, 2.0),))], ["b"], lobby="secret", duration=9.0)
    record_result(report, source=make_source(), now=NOW, elsewhere=True)
    told = get(f"matches/{Match.objects.get().pk}/").body
    assert "lobby" not in told
    assert set(told["teams"][0]["players"][0]) == {
        "id", "name", "bot", "seconds", "joined_at", "left_early", "rounds_played", "stats",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("scopes", "rating"), [((), (None, None)), (("read",), (None, None)), (("ratings:hidden",), ("25.00", "25.26"))]
)
def test_an_unranked_mode_shows_no_rating(scopes, rating):
    make_mode(ranked=False)
    record(["a"], ["b"])
    key = make_key(*scopes) if scopes else ""
    change = get(f"matches/{Match.objects.get().pk}/", key=key).body["changes"][0]
    assert (change["rating"]["before"], change["rating"]["after"]) == rating


@pytest.mark.parametrize("number", ["0", "7", "9" * 30])
def test_no_such_match(number):
    answer = get(f"matches/{number}/")
    assert (answer.status, answer.body["detail"]) == (404, f"There is no match {number}.")


def test_a_match_takes_four_queries(django_assert_num_queries):
    make_mode()
    number = record(["a", "b", "c"], ["d", "e", "f"]).record.match.pk
    with django_assert_num_queries(4):
        assert get(f"matches/{number}/").status == 200


def test_a_bad_key_is_refused_where_none_is_needed():
    assert get("matches/", key="nonsense").status == 401


def test_an_answer_depends_on_the_key():
    assert "Authorization" in get("matches/").headers["Vary"]
