"""Proposed bans: who decides them, what the decision does, and what players hear."""

import datetime as dt

import pytest
from django.contrib.auth.models import User

from ranking.models import AuditEntry, Ban, BanProposal, Merge, Player
from ranking.moderation.ban_limits import MayNotBan
from ranking.moderation.ban_proposals import (
    MayNotDecide,
    confirm_proposals,
    propose_bans,
    refuse_proposals,
    reopen_proposals,
    withdraw_proposals,
)
from ranking.moderation.eligibility import find_restrictions
from ranking.moderation.merges import merge_players
from ranking.moderation.splits import split_players
from ranking.players.anonymising import anonymise_player
from tests.support.factories import NOW, ban_player, make_mode, make_staff, record

pytestmark = pytest.mark.django_db
LATER = NOW + dt.timedelta(hours=1)
WEEK = {"scope": Ban.BOTH, "hours": 168, "reason": "Four leaves in a day.", "note": "Asked twice."}


@pytest.fixture(autouse=True)
def _players(db):
    make_mode()
    record(["a"], ["b"])
    record(["c"], ["b"])


@pytest.fixture
def junior() -> User:
    return make_staff("junior moderator")


@pytest.fixture
def moderator() -> User:
    return make_staff("moderator")


def player(key: str = "b") -> Player:
    return Player.objects.get(key=key)


def propose(by: User, *keys: str, **changed) -> list[BanProposal]:
    return propose_bans([player(key) for key in keys or "b"], by=by, now=NOW, **{**WEEK, **changed})


def decided(by: User, reason: str = "Seen.") -> dict:
    return {"by": by, "reason": reason, "now": LATER}


def lines() -> list[tuple[str, str, str, str]]:
    return list(AuditEntry.objects.order_by("pk").values_list("who", "act", "subject", "reason"))


def states() -> list[tuple[str, str]]:
    return list(BanProposal.objects.order_by("pk").values_list("player__key", "decision"))


def test_a_confirmed_proposal_is_a_ban_from_then_on(junior, moderator):
    [row] = propose(junior)
    assert (Ban.objects.count(), find_restrictions([player().pk], NOW)) == (0, {})
    assert confirm_proposals([row.pk], **decided(moderator)) == [row]
    ban = Ban.objects.get()
    assert (ban.player, ban.scope, ban.reason, ban.note, ban.by) == (
        player(),
        "both",
        WEEK["reason"],
        WEEK["note"],
        moderator,
    )
    assert (ban.starts_at, ban.ends_at) == (LATER, LATER + dt.timedelta(days=7))
    row = BanProposal.objects.get()
    assert (row.decision, row.decided_by, row.decided_at, row.answer, row.ban) == (
        "confirmed",
        moderator,
        LATER,
        "Seen.",
        ban,
    )
    assert lines() == [
        ("junior moderator", "propose ban", f"proposed ban {row.pk} from queues and boards for 7 days", WEEK["reason"]),
        ("moderator", "ban", f"ban {ban.pk} from queues and boards", WEEK["reason"]),
        ("moderator", "confirm proposed ban", f"proposed ban {row.pk}", "Seen."),
    ]


def test_it_is_decided_once(junior, moderator):
    [row] = propose(junior)
    other = make_staff("moderator", "other")
    assert refuse_proposals([row.pk], **decided(moderator, "No.")) == [row]
    assert confirm_proposals([row.pk], **decided(other)) == []
    assert withdraw_proposals([row.pk], **decided(junior)) == []
    assert (Ban.objects.count(), states()) == (0, [("b", "refused")])


def test_who_may_not_decide(junior, moderator, subtests):
    [week], [own] = propose(junior), propose(moderator, "a")
    second = make_staff("junior moderator", "second")
    for name, act, rows, by, sentence in (
        ("one's own", confirm_proposals, [week, own], moderator, "You proposed this yourself"),
        ("one's own", refuse_proposals, [own], moderator, "You proposed this yourself"),
        ("the junior's own", refuse_proposals, [week], junior, "You proposed this yourself"),
        ("longer than they may", confirm_proposals, [week], second, "You may not give such a ban yourself"),
        ("longer than they may", refuse_proposals, [week], second, "You may not give such a ban yourself"),
        ("another's", withdraw_proposals, [week], moderator, "Only who proposed a ban withdraws it"),
    ):
        with subtests.test(f"{act.__name__}: {name}"), pytest.raises(MayNotDecide, match=sentence):
            act([row.pk for row in rows], **decided(by))
    assert (states(), Ban.objects.count()) == ([("b", ""), ("a", "")], 0)
    assert withdraw_proposals([week.pk], **decided(junior)) == [week]


def test_a_short_one_counts_with_other_bans(junior):
    """Another junior may confirm what they could do at once, and no more."""
    second = make_staff("junior moderator", "second")
    short = {"scope": Ban.QUEUE, "hours": 24}
    [first] = propose(junior, **short)
    ban_player(player(), scope=Ban.QUEUE, by=None, reason="x", now=NOW, ends_at=LATER)
    with pytest.raises(MayNotBan):
        confirm_proposals([first.pk], **decided(second))
    [other] = propose(junior, "a", **short)
    assert confirm_proposals([other.pk], **decided(second)) == [other]
    assert states() == [("b", ""), ("a", "confirmed")]


def test_one_open_proposal_a_player(junior, moderator):
    [row] = propose(junior)
    assert [each.player.key for each in propose(moderator, "a", "b")] == ["a"]
    refuse_proposals([row.pk], **decided(moderator))
    assert len(propose(junior)) == 1
    assert reopen_proposals([row.pk], **decided(moderator)) == []


def test_a_refused_one_is_reopened_by_another(junior, moderator):
    [row] = propose(junior)
    refuse_proposals([row.pk], **decided(moderator))
    with pytest.raises(MayNotDecide):
        reopen_proposals([row.pk], **decided(junior))
    assert reopen_proposals([row.pk], **decided(moderator, "I was wrong.")) == [row]
    row = BanProposal.objects.get()
    assert (row.decision, row.decided_at, row.decided_by, row.answer) == ("", None, None, "")
    assert [act for _, act, *_ in lines()] == ["propose ban", "refuse proposed ban", "reopen proposed ban"]


def test_many_alike_take_few_statements(junior, moderator, django_assert_max_num_queries):
    record(["d"], ["e"])
    record(["f"], ["g"])
    with django_assert_max_num_queries(16):
        rows = propose(junior, "a", "b", "c", "d", "e", "f", "g")
    with django_assert_max_num_queries(30):
        confirm_proposals([row.pk for row in rows], **decided(moderator))
    assert Ban.objects.filter(by=moderator).count() == 7


def test_a_merge_takes_it_over_and_a_split_gives_it_back(junior, moderator):
    record(["d"], ["e"])
    propose(junior, "a", "c")
    merge_players(kept=player("a"), merged=player("c"), by=moderator, reason="One person.", now=NOW)
    assert states() == [("a", ""), ("c", "")]  # one open proposal a player
    assert len(confirm_proposals(BanProposal.objects.values_list("pk", flat=True), **decided(moderator))) == 2
    assert list(Ban.objects.values_list("player__key", flat=True)) == ["a"]
    merge_players(kept=player("d"), merged=player("a"), by=moderator, reason="One person.", now=LATER)
    assert states() == [("d", "confirmed"), ("c", "confirmed")]
    split_players(Merge.objects.latest("pk"), by=moderator, reason="Two.", now=LATER)
    assert states() == [("a", "confirmed"), ("c", "confirmed")]


def test_it_goes_with_a_player_who_leaves(junior, moderator):
    record(["quitter"], ["b"])
    propose(junior, "quitter", reason="The quitter left four times.")
    gone = player("quitter")
    anonymise_player(gone, now=LATER)
    row = BanProposal.objects.get()
    assert (row.decision, row.answer, "quitter" in row.reason) == ("withdrawn", "Their player has left.", False)
    assert propose_bans([Player.objects.get(pk=gone.pk)], by=junior, now=LATER, **WEEK) == []
