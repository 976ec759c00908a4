"""Notes on players and warnings: who they go to, what stays when they are withdrawn, and what leaves with a player."""

import datetime as dt

import pytest
from django.contrib.auth.models import User

from ranking.models import AuditEntry, Merge, Player, PlayerNote, PlayerWarning
from ranking.moderation.eligibility import find_restrictions
from ranking.moderation.merges import merge_players
from ranking.moderation.notes import add_notes, warn_players, withdraw_notes, withdraw_warnings
from ranking.moderation.splits import split_players
from ranking.players.anonymising import anonymise_player
from tests.support.factories import NOW, make_mode, record

pytestmark = pytest.mark.django_db
LATER = NOW + dt.timedelta(hours=1)


@pytest.fixture(autouse=True)
def moderator(db) -> User:
    make_mode()
    record(["a"], ["b"])
    record(["c"], ["b"])
    return User.objects.create_user("mod", is_staff=True)


def player(key: str = "b") -> Player:
    return Player.objects.get(key=key)


def lines() -> list[tuple[str, str, str, str, str]]:
    entries = AuditEntry.objects.order_by("pk")
    return list(entries.values_list("who", "act", "player__key", "reason", "note"))


def test_a_note_is_withdrawn_once_and_stays(moderator):
    [note] = add_notes([player()], text="  Shares a flat with a.  ", by=moderator, now=NOW)
    assert withdraw_notes([note.pk], by=moderator, reason="Wrong b.", now=LATER) == [note]
    assert withdraw_notes([note.pk], by=moderator, reason="Again.", now=LATER) == []
    [row] = PlayerNote.objects.values("player__key", "text", "by", "written_at", "withdrawn_at", "withdraw_reason")
    assert row == {
        "player__key": "b", "text": "Shares a flat with a.", "by": moderator.pk, "written_at": NOW,
        "withdrawn_at": LATER, "withdraw_reason": "Wrong b.",
    }  # fmt: skip
    assert lines() == [
        ("mod", "add note", "b", "A note for moderators.", ""),
        ("mod", "withdraw note", "b", "Wrong b.", ""),
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [(" \n", "Write a note."), ("x" * 1001, "Write at most 1,000 characters; these are 1,001.")],
)
def test_notes_that_are_refused(text, sentence):
    with pytest.raises(ValueError, match=sentence):
        add_notes([player()], text=text, by=None, now=NOW)
    assert (PlayerNote.objects.count(), lines()) == (0, [])


def test_a_warning_bars_nobody_and_is_withdrawn_once(moderator):
    given = {"reason": "Mind your words.", "note": "Third time this week."}
    [_, warning] = warn_players([player("b"), player("a")], by=moderator, now=NOW, **given)
    assert find_restrictions([row.pk for row in Player.objects.all()], NOW) == {}
    back = {"by": moderator, "reason": "It was a.", "note": "Mixed up.", "now": LATER}
    assert [row.pk for row in withdraw_warnings([warning.pk], **back)] == [warning.pk]
    assert withdraw_warnings([warning.pk], **back) == []
    rows = PlayerWarning.objects.order_by("player__key")
    assert list(rows.values_list("player__key", "reason", "note", "lifted_at", "lift_reason", "lift_note")) == [
        ("a", "Mind your words.", "Third time this week.", None, "", ""),
        ("b", "Mind your words.", "Third time this week.", LATER, "It was a.", "Mixed up."),
    ]
    assert [line[1:] for line in lines()] == [
        ("warn", "a", "Mind your words.", "Third time this week."),
        ("warn", "b", "Mind your words.", "Third time this week."),
        ("withdraw warning", "b", "It was a.", "Mixed up."),
    ]


@pytest.mark.parametrize("act", [warn_players, withdraw_warnings, withdraw_notes])
def test_acts_need_a_reason(act):
    with pytest.raises(ValueError, match="Say why"):
        act([], by=None, reason=" ", now=NOW)


def whose() -> list[tuple[str, str]]:
    notes = PlayerNote.objects.order_by("pk").values_list("player__key", "text")
    return [*notes, *PlayerWarning.objects.order_by("pk").values_list("player__key", "reason")]


def write_about(key: str) -> None:
    add_notes([player(key)], text=f"note on {key}", by=None, now=NOW)
    warn_players([player(key)], by=None, reason=f"warned {key}", now=NOW)


def test_they_go_over_with_a_merge_and_back_with_a_split():
    write_about("a")
    write_about("c")
    before = whose()
    merge = merge_players(player("a"), player("c"), by=None, reason="One person.", now=NOW)
    assert {key for key, _ in whose()} == {"a"}
    split_players(merge, by=None, reason="Two persons.", now=LATER)
    assert whose() == before


def test_what_is_written_about_a_merged_account_goes_to_the_one_that_was_kept():
    merge_players(player("a"), player("c"), by=None, reason="One person.", now=NOW)
    write_about("c")
    assert whose() == [("a", "note on c"), ("a", "warned c")]
    split_players(Merge.objects.get(), by=None, reason="Two persons.", now=LATER)
    assert whose() == [("a", "note on c"), ("a", "warned c")]


def test_notes_go_with_a_player_who_leaves_and_the_name_leaves_warnings():
    Player.objects.filter(key="b").update(name="Bertha")
    add_notes([player("b"), player("a")], text="Bertha and a know each other.", by=None, now=NOW)
    warn_players([player("b")], by=None, reason="Bertha, mind your words.", note="Bertha again.", now=NOW)
    gone = player("b")
    anonymise_player(gone, now=NOW)
    gone.refresh_from_db()
    assert list(PlayerNote.objects.values_list("player__key", "text")) == [("a", f"{gone.name} and a know each other.")]
    texts = PlayerWarning.objects.values_list("reason", "note").get()
    assert texts == (f"{gone.name}, mind your words.", f"{gone.name} again.")
    assert add_notes([gone], text="x", by=None, now=NOW) == []
    assert warn_players([gone], by=None, reason="x", now=NOW) == []
