"""A merge can be taken back: afterwards all is as if it had never been."""

import datetime as dt
import random
import re

import pytest
from django.contrib.auth.models import User

from leaderboards.achievements.reading import read_mode
from leaderboards.models import Achievement, Blocking, Following, Notice
from matchmaking.models import TicketMember
from ranking.matches.forfeits import record_forfeit
from ranking.matches.invariants import violations
from ranking.matches.recording import RECORDED
from ranking.models import (
    Appeal,
    AuditEntry,
    Ban,
    Change,
    ClaimCode,
    DeviceUse,
    Finding,
    Forfeit,
    Incident,
    Merge,
    Mode,
    Participation,
    Player,
    PlayerName,
    Rating,
)
from ranking.moderation.appeals import appeal_against
from ranking.moderation.eligibility import load_conduct
from ranking.moderation.merges import MergeRefused, merge_players
from ranking.moderation.sanctions import hide_players
from ranking.moderation.splits import find_objection, preview_split, split_players
from ranking.players.anonymising import anonymise_player
from ranking.players.claims import issue_claim_code
from ranking.rerating.reratings import request_rerating, rerate
from ranking.rules.report import PlayerReport
from ranking.seasons.dates import EndRequest, request_end
from ranking.seasons.taking_back import take_back_end
from ranking.standings.publishing import publish
from ranking.systems.base import KEEP, ResetRule
from tests.support.factories import NOW, ban_player, make_mode, record
from tests.support.replay import alike

pytestmark = pytest.mark.django_db
LATER = NOW + dt.timedelta(minutes=1)
TEXTS = {"by": None, "reason": "Two brothers", "note": "Their mother wrote."}
OWN = ("a", "b")  # who are merged
OTHERS = ("v", "w", "x", "y", "z")
WHOLE = (
    Player, PlayerName, Participation, Forfeit, Incident, Ban, Appeal, DeviceUse, Following, Blocking, Achievement,
    Notice, TicketMember,
)  # fmt: skip


def player(key: str) -> Player:
    return Player.objects.get(key=key)


def merge(kept: str = "a", merged: str = "b", **more) -> Merge:
    return merge_players(player(kept), player(merged), now=LATER, **{"by": None, "reason": "One person", **more})


def split(fact: Merge | None = None) -> Merge:
    return split_players(fact or Merge.objects.get(), now=LATER, **TEXTS)


def rate_anew() -> None:
    for mode in Mode.objects.order_by("pk"):
        rerate(mode)
        publish(mode, now=LATER)


def read_achievements(now: dt.datetime) -> None:
    for mode in Mode.objects.order_by("pk"):
        read_mode(mode, now)


def state() -> dict[str, list[dict]]:
    """Every row that a merge may touch, the ledger that holds, the boards, and everybody's points."""
    rows = {model.__name__: list(model.objects.order_by("pk").values()) for model in WHOLE}
    rows["Finding"] = list(Finding.objects.exclude(verdict=Finding.OPEN).order_by("pk").values())
    published = ("id", "player", "listed", "published_hundredths", "published_reached_at")
    fields = [name for name in Rating.RATED_FIELDS if name != "to_publish"]
    rows["Rating"] = list(Rating.objects.order_by("pk").values(*published, *fields))
    numbers = {"id", "generation", "superseded_in", "parameters"}
    columns = [field.name for field in Change._meta.fields if field.name not in numbers]
    rows["Change"] = list(Change.objects.live().order_by("event", "player").values(*columns))
    rows["points"] = [{"points": load_conduct(row.pk, LATER).points} for row in Player.objects.order_by("pk")]
    return rows


def differences(before: dict, after: dict) -> list[tuple]:
    """What differs, by table and row: nothing, it is to be hoped."""
    found = [
        (name, "rows", len(before[name]), len(after[name])) for name in before if len(before[name]) != len(after[name])
    ]
    for name, rows in before.items():
        for one, other in zip(rows, after[name], strict=False):
            found += [(name, key, one[key], other[key]) for key in one if not alike(one[key], other[key])]
    return found


def play(chance: random.Random, mode: str) -> None:
    """A match of two to four players, never with both who will be merged."""
    team, rivals = [chance.choice(OWN)], chance.sample(OTHERS, chance.randint(1, 3))
    team += [rivals.pop()] if len(rivals) > 1 else []
    if chance.random() < 0.2:
        team[0] = chance.choice([key for key in OTHERS if key not in {*team, *rivals}])
    reports = [
        PlayerReport(id=key, name=chance.choice(("", key * 2)), left_early=chance.random() < 0.2) for key in team
    ]
    first = chance.choice((1, 1, 2))
    record(reports, rivals, mode=mode, places=[first, 3 - first])


def live(chance: random.Random) -> None:
    """Everything that a merge moves besides matches."""
    rows = [player(key) for key in (*OWN, *OTHERS)]
    pairs = [(one, other) for one in rows for other in rows if one != other]
    blocks = chance.sample(pairs, 4)
    Blocking.objects.bulk_create(Blocking(blocker=one, blocked=other, since=NOW) for one, other in blocks)
    follows = [pair for pair in chance.sample(pairs, 20) if pair[::-1] not in blocks]
    Following.objects.bulk_create(Following(follower=one, followed=other, since=NOW) for one, other in follows)
    mode = Mode.objects.get(slug="one")
    for number in range(12):
        Notice.objects.get_or_create(
            player=chance.choice(rows[:2]), kind="rank", occasion=str(number // 3), defaults={"created_at": NOW}
        )
        Incident.objects.get_or_create(
            player=chance.choice(rows[:2]), kind="missed", occasion=f"lobby:{number // 3}", happened_at=NOW, mode=mode
        )
    for row in rows[:2]:
        ban = ban_player(row, scope=chance.choice(("queue", "boards", "both")), by=None, reason="Rude.", now=NOW)
        appeal_against(row, words="No.", now=NOW, ban=ban.pk)
    owner = chance.choice(rows[:2])
    owner.refresh_from_db()
    owner.user, owner.hides_matches, owner.hides_from_friends = User.objects.create_user("fox"), True, False
    owner.save()
    if chance.random() < 0.5:
        hide_players([chance.choice(rows[:2]).pk], now=NOW, **TEXTS)
    Finding.objects.create(
        kind="smurfing", mode=mode, player=rows[1], score=1.0, evidence={"matches": 3}, found_at=NOW, seen_at=NOW,
        verdict="dismissed", reviewed_score=1.0, reviewed_at=NOW, reason="A friend.",
    )  # fmt: skip


def drop(key: str, other: str, lobby: str = "L1") -> Forfeit:
    mode, teams = Mode.objects.order_by("pk")[0], [[player(key)], [player(other)]]
    return record_forfeit(mode, lobby=lobby, teams=teams, player=player(key), reason="left", now=NOW)


@pytest.mark.parametrize("seed", range(8))
def test_merged_and_split_all_is_as_before(seed):
    chance = random.Random(seed)
    for slug in ("one", "two"):
        make_mode(slug, system=chance.choice(("elo", "trueskill", "two-layer")), team_size_max=6)
    for key in (*OWN, *OTHERS):
        record([key], ["q"], mode="one")
    for number in range(14):
        play(chance, "one")
        if number % 7 == 3:
            drop(chance.choice(OWN), "x", f"L{number}")
    for _ in range(2):
        record([chance.choice(OWN[:1] if seed % 2 else OWN[1:])], ["x"], mode="two")  # one of them only
    live(chance)
    read_achievements(NOW)
    rate_anew()
    before = state()
    fact = merge(*chance.choice((OWN, OWN[::-1])))
    assert differences(before, state())
    if chance.random() < 0.7:
        rate_anew()
    read_achievements(NOW)
    split(fact)
    rate_anew()
    assert differences(before, state()) == []
    read_achievements(LATER)
    assert differences(before, state()) == []
    assert list(violations(LATER)) == []


@pytest.fixture
def duel(db) -> Mode:
    mode = make_mode()
    for key in "abc":
        record([key], ["x"])
    return mode


def test_what_is_recorded_of_it(duel):
    boss = User.objects.create_user("boss")
    fact = split_players(merge(), now=LATER, by=boss, reason=" Two brothers ", note="x")
    fact.refresh_from_db()
    assert (fact.lifted_at, fact.lifted_by, fact.lift_reason, fact.lift_note, fact.taken) == (
        LATER, boss, "Two brothers", "x", None,
    )  # fmt: skip
    a, b = player("a"), player("b")
    cause = f"player {b.pk} split from {a.pk}"
    log = AuditEntry.objects.filter(act="split").order_by("pk").values_list("subject", "player", "reason", "note", "by")
    assert list(log) == [(cause, row.pk, "Two brothers", "x", boss.pk) for row in (a, b)]


def test_the_two_may_be_merged_and_split_again(duel):
    split(merge())
    split(merge("b", "a"))
    rate_anew()
    assert (Merge.objects.count(), player("a").merged_into, player("b").merged_into) == (2, None, None)
    assert list(violations(LATER)) == []


def test_later_results_count_for_each(duel):
    split(merge())
    rate_anew()
    record(["b"], ["a"])
    assert set(Participation.objects.filter(match__external_id__isnull=False).values_list("played_as", flat=True)) == {
        None
    }
    assert list(violations(LATER)) == []


def test_what_came_after_the_merge_stays_with_the_one_who_was_kept(duel):
    merge()
    given = ban_player(player("a"), scope="both", by=None, reason="Rude.", now=LATER)
    Following.objects.create(follower=player("x"), followed=player("a"), since=LATER)
    issue_claim_code(player("a"), now=LATER)
    split()
    assert list(Ban.objects.values_list("pk", "player__key")) == [(given.pk, "a")]
    assert list(Following.objects.values_list("follower__key", "followed__key")) == [("x", "a")]
    assert not ClaimCode.objects.exists()  # nobody knows for whose key it was made


def test_a_block_since_then_keeps_followings_away(duel):
    a, b, x = map(player, "abx")
    Following.objects.create(follower=x, followed=a, since=NOW)
    Following.objects.create(follower=x, followed=b, since=NOW)
    merge()
    Following.objects.all().delete()
    Blocking.objects.create(blocker=player("a"), blocked=x, since=LATER)
    split()
    assert list(Following.objects.values_list("follower__key", "followed__key")) == [("x", "b")]


def test_who_left_meanwhile_is_in_no_row_that_comes_back(duel):
    a, b, x = map(player, "abx")
    for one in (a, b):
        Following.objects.create(follower=one, followed=x, since=NOW)
    merge()
    anonymise_player(x, now=LATER)
    split()
    assert not Following.objects.exists()


@pytest.mark.parametrize("chain", [("b", "a"), ("c", "a")])
def test_merges_in_a_row_are_split_backwards(duel, chain):
    """First b into a; then a itself, or c, is merged."""
    before = state()
    first = merge("a", "b")
    second = merge("c", "a") if chain == ("b", "a") else merge("a", "c")
    first = Merge.objects.get(pk=first.pk)
    sentence = "a was merged into c" if chain == ("b", "a") else "c was merged into a"
    assert find_objection(first, LATER).startswith(sentence)
    split(second)
    split(first)
    rate_anew()
    after = state()
    names = [name for name in before if name != "Rating"]
    assert differences({name: before[name] for name in names}, {name: after[name] for name in names}) == []


def play_as(key):
    return lambda: record([key], ["y"], id="next")


def forget():
    Merge.objects.update(taken=None)


def lease():
    Mode.objects.update(lease=request_rerating(Mode.objects.get(), reason="x", now=NOW))


REFUSALS = {
    "a has played since: match next (test) was recorded after the merge.": play_as("a"),
    "b has played since: match next (test) was recorded after the merge.": play_as("b"),
    "a has been in lobby L1 since, which ended with a forfeit.": lambda: drop("a", "x"),
    "They were merged before merges kept a record of what went over, so they can't be split.": forget,
    "b was split from a already.": split,
    "Duel: being rated anew at this moment. Try again when that is done.": lease,
}


@pytest.mark.parametrize("sentence", REFUSALS)
def test_refused(duel, sentence):
    merge()
    rate_anew()
    REFUSALS[sentence]()
    fact, before = Merge.objects.get(), state()
    assert (preview_split(fact, LATER).objection, preview_split(fact, LATER).consequences) == (sentence, [])
    with pytest.raises(MergeRefused) as caught:
        split(fact)
    assert (str(caught.value), state()) == (sentence, before)


def test_who_left_for_good_stays_gone(duel):
    fact = merge()
    anonymise_player(player("a"), now=LATER)
    fact.refresh_from_db()
    fact.kept.refresh_from_db()
    objection = find_objection(fact, LATER)
    assert (fact.kept.name in objection, fact.merged.name in objection) == (True, True)


def test_a_reason_is_needed(duel):
    with pytest.raises(ValueError, match="Say why"):
        split_players(merge(), by=None, reason=" ", now=LATER)


@pytest.mark.parametrize("who", ["a", "b"])
def test_who_is_rated_since_for_an_earlier_match_has_played_since(who):
    """The match waited for the next season when the two were merged; then the season's end was taken back."""
    mode = make_mode(late_results=600)
    record(["b"], ["x"])
    Player.objects.create(key="a", name="a", search_name="a", created_at=NOW)
    request_end(mode, EndRequest(ResetRule(KEEP)), by=None, reason="x", now=LATER)
    waited = record([who], ["x"], id="waited", now=LATER, ended_at=LATER)
    assert waited.state == RECORDED
    merged = merge()
    assert find_objection(merged, LATER) == ""
    take_back_end(mode, by=None, reason="x", now=LATER)
    expected = f"{who} has played since: match waited (test) was rated after the merge."
    with pytest.raises(MergeRefused, match=re.escape(expected)):
        split_players(merged, now=LATER, **TEXTS)


def test_whose_earlier_forfeit_is_rated_since_is_not_split():
    mode = make_mode(late_results=600)
    record(["b"], ["x"])
    Player.objects.create(key="a", name="a", search_name="a", created_at=NOW)
    request_end(mode, EndRequest(ResetRule(KEEP)), by=None, reason="x", now=LATER)
    teams = [[player("b")], [player("x")]]
    record_forfeit(mode, lobby="L1", teams=teams, player=player("b"), reason="left", now=LATER)
    merged = merge()
    assert find_objection(merged, LATER) == ""
    take_back_end(mode, by=None, reason="x", now=LATER)
    assert find_objection(merged, LATER) == "a has been in lobby L1 since, which ended with a forfeit."
