"""Two players become one: every match counts, under either key, and the ledger is what was played."""

import datetime as dt

import pytest
from django.contrib.auth.models import User
from django.db import connection

from leaderboards.models import Achievement, Avoidance, Blocking, Following, Notice
from leaderboards.people.following import avoid_player
from ranking.matches.forfeits import record_forfeit
from ranking.matches.invariants import broken_chains, first_changes, violations
from ranking.matches.recording import KNOWN, RATED
from ranking.matches.records import load_records
from ranking.models import AuditEntry, Change, Forfeit, Incident, Merge, Mode, Participation, Player, Rating, Rerating
from ranking.moderation.appeals import appeal_against
from ranking.moderation.merges import MergeRefused, find_objection, merge_players
from ranking.players.anonymising import anonymise_player
from ranking.players.claims import ClaimRefused, claim_player, issue_claim_code
from ranking.players.players import find_player, names_of
from ranking.players.tokens import find_bearer
from ranking.rerating.reratings import request_rerating, rerate
from ranking.rules.report import BadReport, PlayerReport
from ranking.seasons.invariants import resets
from ranking.standings.publishing import publish
from ranking.systems.registry import SYSTEMS
from tests.support import api
from tests.support.api import make_token
from tests.support.factories import NOW, ban_player, make_mode, make_report, make_source, record, record_result
from tests.support.replay import alike, replayed_states
from tests.support.seasons import end
from tests.support.systems import largest_team

pytestmark = pytest.mark.django_db
LATER = NOW + dt.timedelta(minutes=1)


def player(key: str) -> Player:
    return Player.objects.get(key=key)


def merge(kept: str = "a", merged: str = "b", **more) -> Merge:
    return merge_players(player(kept), player(merged), now=LATER, **{"by": None, "reason": "One person", **more})


def rate_anew() -> None:
    for mode in Mode.objects.all():
        rerate(mode)
        publish(mode, now=LATER)


def states(mode: str = "duel") -> dict[str, object]:
    """Of everybody who played."""
    return {
        rating.player.key: rating.state
        for rating in Rating.objects.filter(mode__slug=mode).select_related("player")
        if rating.matches
    }


@pytest.fixture
def duel(db) -> Mode:
    """a and b play by turns, never in one match."""
    mode = make_mode()
    for me, outcome in zip("abaabb", (1, 2, 1, 2, 1, 1), strict=True):
        record([me], ["x"], places=[outcome, 3 - outcome])
    record(["x"], ["y"])
    publish(mode, now=NOW)
    return mode


@pytest.mark.parametrize("system", sorted(SYSTEMS))
def test_the_history_is_that_of_one_player_from_the_start(system):
    size = largest_team(system, 6)
    one, two = (make_mode(slug, system=system, team_size_max=size) for slug in ("one", "two"))
    for key, other in ("ax", "bx", "ay", "by", "xy", "bx"):
        record([key], [other], mode="one")
        record([key.replace("b", "a")], [other], mode="two")
    merge()
    assert states("one") != states("two")
    rate_anew()
    assert alike(states("one"), states("two"))
    assert list(violations(LATER)) == []
    assert {one.slug, two.slug} == {"one", "two"}


def test_replayed_is_what_is_lived(duel):
    merge()
    record(["b"], ["y"])
    rate_anew()
    record(["a"], ["y"])
    rated = {rating.player_id: rating.state for rating in Rating.objects.all() if rating.matches}
    assert alike(replayed_states(duel), rated)
    assert list(violations(LATER)) == []
    assert player("a").ratings.get().matches == 8


def test_what_is_recorded_of_it(duel):
    boss = User.objects.create_user("boss")
    fact = merge(by=boss, reason=" Same phone ")
    assert (fact.kept.key, fact.merged.key, fact.by, fact.reason, fact.merged_at) == (
        "a",
        "b",
        boss,
        "Same phone",
        LATER,
    )
    assert fact.sequence == Change.objects.latest("event").event_id
    assert Participation.objects.filter(player=fact.kept, played_as=fact.merged).count() == 3
    assert Participation.objects.filter(player=fact.kept, played_as=None).count() == 3
    assert not Participation.objects.filter(player=fact.merged).exists()
    assert Rerating.objects.get().since == Change.objects.filter(player=fact.merged).earliest("event").event_id


def test_until_rated_anew_doctor_is_content_and_pages_show_what_was(duel, client):
    merge()
    publish(duel, now=LATER)
    assert [each.code for each in violations(LATER)] == []
    for play in load_records(m.match for m in Participation.objects.filter(played_as__key="b")).values():
        assert [change.player_id for change in play.changes] == [part.player_id for part in play.parts]
        assert client.get(f"/matches/{play.match.pk}/").status_code == 200


def test_a_season_that_only_one_played_changes_hands_as_it_is():
    mode = make_mode()
    record(["b"], ["x"])
    record(["b"], ["y"])
    make_mode("other")
    record(["a"], ["x"], mode="other")
    publish(mode, now=NOW)
    before = states()
    merge()
    assert not Rerating.objects.exists()
    assert states() == {**{key: state for key, state in before.items() if key != "b"}, "a": before["b"]}
    assert Rating.objects.get(mode=mode, player__key="a").listed
    rate_anew()
    assert list(violations(LATER)) == []


def test_later_results_that_name_the_old_key(duel):
    merge()
    recorded = record([PlayerReport("b", name="Bee")], ["y"])
    part = recorded.record.parts[0]
    assert (recorded.state, part.player.key, part.played_as.key, player("a").name) == (RATED, "a", "b", "a")
    rate_anew()
    assert not Rating.objects.filter(player__key="b", wins__gt=0).exists()


def test_a_result_sent_again_is_known(duel):
    report = make_report(["b"], ["y"])
    record_result(report, source=make_source(), now=NOW)
    merge()
    again = record_result(report, source=make_source(), now=LATER)
    assert (again.state, again.record.parts[0].player.key) == (KNOWN, "a")


def test_both_keys_in_one_later_result_are_refused(duel):
    merge()
    with pytest.raises(BadReport) as caught:
        record(["y", "b"], ["x", "a"])
    assert (caught.value.path, caught.value.sentence) == (
        "teams[1].players[1].id", "'a' and 'b' are one player: a moderator merged them.")  # fmt: skip


def test_a_result_costs_one_query_more_where_a_key_was_merged(duel, django_assert_num_queries):
    record(["a"], ["y"])  # reads the rank table
    merge()
    for key, more in (("a", 0), ("b", 1)):
        with django_assert_num_queries((14 if connection.vendor == "sqlite" else 15) + more):
            record([key], ["y"])


def test_merged_twice_ends_at_the_last(duel):
    record(["c"], ["y"])
    merge("a", "b")
    rate_anew()
    merge("c", "a")
    rate_anew()
    assert [find_player(key).key for key in "abc"] == ["c", "c", "c"]
    played = Participation.objects.filter(player__key="c").order_by("pk").values_list("played_as__key", flat=True)
    assert list(played) == ["a", "b", "a", "a", "b", "b", None]
    assert list(violations(LATER)) == []
    assert names_of(player("c")) == ["b", "a"] or names_of(player("c")) == ["a", "b"]


def test_names_become_former_names(duel):
    for name in ("Bee", "Buzz"):
        record([PlayerReport("b", name=name)], ["y"])
    merge()
    assert names_of(player("a")) == ["Buzz", "Bee", "b"]
    record([PlayerReport("a", name="Buzz")], ["y"])
    assert (player("a").name, player("a").lookalike, names_of(player("a"))) == ("Buzz", False, ["a", "Bee", "b"])


@pytest.mark.parametrize("owner", ["a", "b"])
def test_the_login_of_either_is_kept(duel, owner):
    user = User.objects.create_user("fox")
    Player.objects.filter(key=owner).update(user=user)
    tokens = [make_token(player(key)) for key in "ab"]
    merge()
    assert (player("a").user, player("b").user) == (user, None)
    assert [find_bearer(token)[0].key for token in tokens] == ["a", "a"]


def test_what_either_hid_stays_hidden(duel):
    Player.objects.filter(key="b").update(hides_matches=True, hides_from_friends=True)
    merge()
    assert (player("a").hides_matches, player("a").hides_from_friends, player("a").hidden_at) == (True, True, None)
    assert player("b").hidden_at == LATER


def test_a_code_for_the_old_key_is_void_and_a_new_one_is_the_other_s(duel):
    user = User.objects.create_user("fox")
    code = issue_claim_code(player("b"), now=LATER).code
    merge()
    with pytest.raises(ClaimRefused):
        claim_player(code, by=user, now=LATER)
    assert claim_player(issue_claim_code(find_player("b"), now=LATER).code, by=user, now=LATER).key == "a"


def both_log_in():
    for key in "ab":
        Player.objects.filter(key=key).update(user=User.objects.create_user(f"login-{key}"))


def lease():
    mode = Mode.objects.get()
    Mode.objects.update(lease=request_rerating(mode, reason="x", now=NOW))


REFUSALS = {
    "This is the same player: choose another.": (lambda: None, "a"),
    "Both have a login: login-a and login-b. Release b from their account first, if it really is the same person.":
        (both_log_in, "b"),
    "Both played in match first (test), so they aren't one player. If they are, void it first.":
        (lambda: record(["a"], ["b"], id="first"), "b"),
    "Both were in lobby L1, so they aren't one player. If they are, void its forfeit first.":
        (lambda: drop("a", "b"), "b"),
    "Duel: being rated anew at this moment. Try again when that is done.": (lease, "b"),
    "b was merged into x already.": (lambda: merge("x", "b"), "b"),
}  # fmt: skip


@pytest.mark.parametrize("sentence", REFUSALS)
def test_refused(sentence):
    make_mode()
    record(["a"], ["y"])
    record(["b"], ["y"])
    record(["x"], ["y"])
    cause, key = REFUSALS[sentence]
    cause()
    before = list(Participation.objects.order_by("pk").values())
    assert find_objection(player("a"), player(key)) == sentence
    with pytest.raises(MergeRefused, match=sentence.split("(")[0]):
        merge("a", key)
    assert list(Participation.objects.order_by("pk").values()) == before


@pytest.mark.parametrize("gone", ["a", "b"])
def test_who_has_left_is_not_merged(duel, gone):
    a, b = player("a"), player("b")
    anonymise_player(player(gone), now=LATER)
    with pytest.raises(MergeRefused, match=r"Former player \w+ has left for good; nobody can tell whose"):
        merge_players(a, b, by=None, reason="x", now=LATER)


def test_a_reason_is_needed(duel):
    with pytest.raises(ValueError, match="Say why"):
        merge(reason="  ")


def test_who_leaves_afterwards_leaves_with_either_key(duel):
    record([PlayerReport("b", name="Bumble")], ["y"], server="of Bumble")
    merge(reason="Bumble it is")
    rate_anew()
    anonymise_player(player("a"), now=LATER)
    assert not Player.objects.filter(key__in="ab").exists()
    assert Merge.objects.get().reason == "Their player has left."
    assert not Player.objects.filter(name="Bumble").exists()
    assert find_player("b") is None
    assert set(Participation.objects.filter(player__anonymised_at=LATER).values_list("match__server", flat=True)) == {
        ""
    }
    assert record(["b"], ["y"]).record.parts[0].player.key == "b"


def test_followers_blocks_achievements_and_notices_are_handed_over_once(duel):
    a, b, x, y = map(player, "abxy")
    Following.objects.bulk_create(
        Following(follower=one, followed=two, since=NOW)
        for one, two in ((a, b), (a, x), (b, x), (b, y), (y, b), (x, a))
    )
    Blocking.objects.bulk_create(Blocking(blocker=one, blocked=two, since=NOW) for one, two in ((b, x), (a, b)))
    for one, two in ((b, x), (a, x), (a, b), (y, b)):
        avoid_player(one, two, now=NOW)
    for one in (a, b):
        Achievement.objects.create(player=one, mode=duel, feat="first-win", earned_at=NOW)
        Notice.objects.create(player=one, kind="rank", occasion="one", created_at=NOW)
    Notice.objects.create(player=b, kind="rank", occasion="two", created_at=NOW)
    merge()
    follows = Following.objects.values_list("follower__key", "followed__key")
    assert set(follows) == {("a", "x"), ("a", "y"), ("y", "a")}
    assert list(Blocking.objects.values_list("blocker__key", "blocked__key")) == [("a", "x")]
    assert set(Avoidance.objects.values_list("avoider__key", "avoided__key")) == {("a", "x"), ("y", "a")}
    assert list(Achievement.objects.values_list("player__key", "feat")) == [("a", "first-win")]
    assert set(Notice.objects.values_list("player__key", "occasion")) == {("a", "one"), ("a", "two")}


def test_the_old_key_leads_to_the_one_who_is_kept(duel, client):
    merge()
    assert client.get("/players/b/?mode=duel").headers["Location"] == "/players/a/?mode=duel"
    assert client.get("/players/b/badge.svg").status_code == 200
    assert client.get("/compare/b/x/").status_code == client.get("/compare/a/x/").status_code
    assert api.get("players/b/").body["id"] == "a"
    assert [each["id"] for each in api.get("players/").body["items"]] == ["a", "x", "y"]


def drop(key: str, *others: str, lobby: str = "L1") -> Forfeit:
    mode, who = Mode.objects.get(), player(key)
    teams = [[who], [player(other) for other in others]]
    return record_forfeit(mode, lobby=lobby, teams=teams, player=who, reason="left", now=NOW)


def test_forfeits_are_handed_over_whoever_dropped_out(duel):
    own, others = drop("b", "x"), drop("y", "b")
    record(["b"], ["x"])
    fact = merge()
    assert fact.forfeits == [own.pk, others.pk]
    a, x, y = (player(key).pk for key in "axy")
    assert list(Forfeit.objects.order_by("pk").values_list("player", "teams")) == [(a, [[a], [x]]), (y, [[y], [a]])]
    rate_anew()
    assert list(violations(LATER)) == []
    rated = {rating.player_id: rating.state for rating in Rating.objects.all() if rating.matches}
    assert alike(replayed_states(duel), rated)


def test_a_forfeit_of_a_lobby_that_knew_the_old_player(duel):
    merge()
    assert drop("b", "x").player == player("a")


def test_who_were_in_one_lobby_are_two(duel):
    drop("b", "a")
    with pytest.raises(MergeRefused, match="lobby L1"):
        merge()


def test_conduct_becomes_that_of_the_one_who_is_kept(duel):
    record(["c"], [PlayerReport(id="b", left_early=True)])
    incident = Incident.objects.get()
    given = ban_player(player("b"), scope="both", by=None, reason="Cheating.", now=NOW)
    appeal_against(player("b"), words="No.", now=NOW, ban=given.pk)
    for key in ("a", "b"):
        Incident.objects.create(
            player=player(key), kind="missed", occasion="lobby:1", happened_at=NOW, mode=duel
        )  # the one occasion that both may have been at
    Rating.objects.update(to_publish=False)
    merge()
    assert set(player("a").incidents.values_list("kind", "occasion")) == {
        ("leave", incident.occasion), ("missed", "lobby:1"),
    }  # fmt: skip
    assert (player("a").bans.count(), player("a").appeals.count()) == (1, 1)
    assert Rating.objects.filter(player=player("a"), to_publish=True).exists()
    assert AuditEntry.objects.get(act="merge").reason == "One person"


def test_rows_of_an_archived_season_follow_two_merges():
    """a became b, who became c: a's old matches stand with c, while the archived ratings stay with a."""
    mode = make_mode()
    first = record(["a"], ["x"]).record.match
    record(["x"], ["y"])
    end(mode, at=LATER)
    now = LATER + dt.timedelta(minutes=1)
    for pair in ("bx", "cx", "xy"):
        record([pair[0]], [pair[1]], now=now, ended_at=now)
    merge("b", "a")
    request_rerating(mode, reason="test", now=LATER)
    rerate(mode)
    merge("c", "b")
    assert Change.objects.live(Mode.objects.get().generation).filter(match=first, player=player("c")).exists()
    request_rerating(mode, since=first.event_id + 1, reason="test", now=LATER)
    rate_anew()
    assert Rerating.objects.exclude(state=Rerating.DONE).count() == 0
    rated = Rating.objects.filter(season__current=True).values_list("player__key", "wins", "losses")
    assert sorted(row for row in rated if any(row[1:])) == [("c", 2, 0), ("x", 1, 2), ("y", 0, 1)]


@pytest.mark.parametrize("seasons", [1, 2])
def test_two_who_played_in_the_same_archived_seasons_become_one_who_did_not(seasons):
    """c has a's rows by the first merge, but no rating with them; then b's come, which share the seasons' steps."""
    mode, now = make_mode(), LATER
    for _ in range(seasons):
        record(["a"], ["x"], now=now, ended_at=now)
        record(["b"], ["x"], now=now, ended_at=now)
        now += dt.timedelta(minutes=1)
        end(mode, at=now)
    Player.objects.create(key="c", name="c", search_name="c", created_at=NOW)
    merge("c", "a")
    record(["c"], ["x"], now=now, ended_at=now)
    merge("c", "b")
    rate_anew()
    assert [*resets(), *broken_chains(now), *first_changes(now)] == []
    assert Change.objects.live().filter(player=player("c"), kind=Change.MATCH).count() == 2 * seasons + 1
