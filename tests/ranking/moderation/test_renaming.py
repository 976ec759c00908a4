"""A moderator's name stays whatever results say, until it is unlocked or undone; the name before is for moderators."""

import datetime as dt
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from leaderboards.models import Delivery, Notice
from leaderboards.notifications.conduct_news import tell_conduct_news
from leaderboards.notifications.notices import load_page
from ranking.models import AuditEntry, Mode, Participation, Player, PlayerName, Rating, Renaming
from ranking.moderation.merges import merge_players
from ranking.moderation.renaming import RenameRefused, rename_player, reset_names, undo_renamings, unlock_names
from ranking.moderation.splits import split_players
from ranking.players.anonymising import anonymise_player
from ranking.players.former_names import find_by_former_name
from ranking.players.players import names_of
from ranking.rules.names import neutral_name
from ranking.rules.report import PlayerReport
from tests.support.api import Answer, call, make_key
from tests.support.factories import NOW, make_mode, record
from tests.support.webhooks import make_hook

pytestmark = pytest.mark.django_db
MINUTE = dt.timedelta(minutes=1)
ACT: dict[str, Any] = {"by": None, "reason": "Mind the rules.", "note": "Third time."}
BAD = "Nasty Name"


def play(name: str, minutes: int = 0) -> None:
    record([PlayerReport(id="b", name=name)], ["rival"], ended_at=NOW + minutes * MINUTE, now=NOW + minutes * MINUTE)


def b() -> Player:
    return Player.objects.get(key="b")


@pytest.fixture(autouse=True)
def _named(db):
    make_mode()
    play(BAD)


def test_a_result_is_rated_and_brings_no_other_name(subtests):
    rename_player([b().pk], name="Bee", now=NOW, **ACT)
    for minutes, name in ((1, BAD), (2, "Bee"), (3, ""), (4, "Another")):
        with subtests.test(name=name):
            play(name, minutes)
            assert (b().name, Rating.objects.get(player=b()).matches) == ("Bee", 1 + minutes)
    assert list(PlayerName.objects.filter(player=b()).values_list("name", "taken_away")) == [
        (BAD, True),
        ("Bee", False),
    ]
    unlock_names([b().pk], now=NOW, **ACT)
    assert b().name == "Bee"
    play("Another", 5)
    assert b().name == "Another"


def send(number: int, **player: Any) -> Answer:
    ended_at = (timezone.now() - MINUTE).isoformat()
    teams = [{"score": 2, "players": [{"id": "b", **player}]}, {"score": 1, "players": [{"id": "rival"}]}]
    body = {"id": f"n{number}", "mode": "duel", "ended_at": ended_at, "teams": teams}
    return call("POST", "matches/", body, key=make_key("results", source=f"s{number}"))


def test_the_answer_says_so(subtests):
    reset_names([b().pk], now=NOW, **ACT)
    name = neutral_name("b")
    note = f"Moderators named 'b' '{name}': the name sent isn't taken over."
    for number, (player, notes) in enumerate([({"name": BAD}, [note]), ({"name": name}, []), ({}, [])]):
        with subtests.test(player=player):
            answer = send(number, **player)
            assert (answer.status, answer.body["notes"]) == (201, notes)
    assert Participation.objects.filter(player=b()).count() == 4


def test_the_public_sees_neither_name_beside_the_other():
    reset_names([b().pk], now=NOW, **ACT)
    assert (names_of(b()), names_of(b(), everything=True)) == ([], [BAD])
    assert (find_by_former_name("nasty"), find_by_former_name("nasty", everything=True)) == ({}, {b().pk: BAD})
    undo_renamings([b().pk], now=NOW, **ACT)
    assert (names_of(b()), names_of(b(), everything=True)) == ([], [neutral_name("b")])
    play("Kind Name", 1)
    assert names_of(b()) == [BAD]


def test_undoing_gives_the_name_back_and_lifts_the_lock():
    rename_player([b().pk], name="Bee", now=NOW, **ACT)
    rename_player([b().pk], name="Bea", now=NOW, **ACT)
    assert [player.name for player in undo_renamings([b().pk], now=NOW, **ACT)] == ["Bee"]
    assert (b().name, b().locked_name) == ("Bee", "")
    assert list(Renaming.objects.order_by("pk").values_list("name", "undone", "lifted_at")) == [
        ("Bee", False, NOW), ("Bea", True, NOW),
    ]  # fmt: skip
    assert undo_renamings([b().pk], now=NOW, **ACT) == []
    play("Nothing more", 1)
    assert b().name == "Nothing more"


def test_what_changes_nothing_and_what_is_refused(subtests):
    rival = Player.objects.get(key="rival")
    rename_player([b().pk], name="Bee", now=NOW, **ACT)
    assert rename_player([b().pk], name="Bee", now=NOW, **ACT) == []
    assert unlock_names([rival.pk], now=NOW, **ACT) == undo_renamings([rival.pk], now=NOW, **ACT) == []
    for players, name, sentence in [
        ([b().pk, rival.pk], "Twin", "Rename one player at a time"),
        ([b().pk], " ", "A name needs at least one visible character."),
    ]:
        with subtests.test(name=name), pytest.raises(RenameRefused, match=sentence):
            rename_player(players, name=name, now=NOW, **ACT)
    unlock_names([b().pk], now=NOW, **ACT)
    with pytest.raises(RenameRefused, match=r"unlocked on 20 May 2026, 12:00 UTC"):
        undo_renamings([b().pk], now=NOW, **ACT)
    with pytest.raises(ValueError, match="Say why"):
        reset_names([b().pk], by=None, reason=" ", now=NOW)
    assert (b().name, b().locked_name) == ("Bee", "")


def test_a_name_may_be_locked_as_it_is():
    rename_player([b().pk], name=BAD, now=NOW, **ACT)
    play("Another", 1)
    assert (b().name, PlayerName.objects.count()) == (BAD, 0)
    undo_renamings([b().pk], now=NOW, **ACT)
    play("Another", 2)
    assert (b().name, names_of(b())) == ("Another", [BAD])


def test_many_at_once_in_as_many_queries(django_assert_num_queries):
    players = [player.pk for player in Player.objects.all()]
    for some in (players[:1], players):
        with django_assert_num_queries(22 if connection.vendor == "postgresql" else 17):  # PostgreSQL locks more
            reset_names(some, now=NOW, **ACT)
        undo_renamings(some, now=NOW, **ACT)


def test_the_log_tells_both_names_until_the_player_leaves_for_good():
    User.objects.create_user("boss", is_staff=True)
    rename_player([b().pk], name="Bee", now=NOW, **ACT)
    pk = b().pk
    undo_renamings([pk], now=NOW, **ACT)
    rename_player([pk], name="Bea", now=NOW, by=None, reason=f"{BAD}? No.", note="bee, then")
    unlock_names([pk], now=NOW, **ACT)
    lines = AuditEntry.objects.filter(player=pk).order_by("pk")
    assert list(lines.values_list("act", "subject")) == [
        ("rename", f"player {pk}: {BAD} → Bee"),
        ("undo rename", f"player {pk}: Bee → {BAD}"),
        ("rename", f"player {pk}: {BAD} → Bea"),
        ("unlock name", f"player {pk}: Bea"),
    ]
    anonymise_player(b(), now=NOW)
    gone = Player.objects.get(pk=pk).name
    texts = " ".join(" ".join(row) for row in lines.values_list("subject", "reason", "note"))
    assert not any(name in texts for name in (BAD, "Bee", "Bea", "bee"))
    assert lines[0].subject == f"player {pk}: {gone} → {gone}"
    assert not Renaming.objects.exists()


def test_a_locked_player_leaves_for_good():
    reset_names([b().pk], now=NOW, **ACT)
    pk = b().pk
    anonymise_player(b(), now=NOW)
    player = Player.objects.get(pk=pk)
    assert (player.locked_name, player.name[:14]) == ("", "Former player ")
    assert reset_names([pk], now=NOW, **ACT) == []


def test_the_owners_name_counts(subtests):
    """A lock on a merged player's name stays with that player, and is there again after a split."""
    rename_player([b().pk], name="Bee", now=NOW, **ACT)
    record(["owner"], ["rival"], now=NOW)
    owner = Player.objects.get(key="owner")
    merge = merge_players(owner, b(), by=None, reason="The same person.", now=NOW)
    play("Another", 1)
    assert reset_names([b().pk], now=NOW, **ACT) == []
    assert (Player.objects.get(key="owner").name, b().name, names_of(owner)) == ("owner", "Bee", ["Bee"])
    record([PlayerReport(id="owner", name="Chosen")], ["rival"], ended_at=NOW + 2 * MINUTE, now=NOW + 2 * MINUTE)
    assert Player.objects.get(key="owner").name == "Chosen"
    Participation.objects.filter(played_as=b(), match__ended_at__gt=NOW).delete()
    Player.objects.filter(pk=owner.pk).update(name="owner")
    merge.refresh_from_db()
    merge.taken["last_part"] = Participation.objects.latest("pk").pk
    merge.save()
    split_players(merge, by=None, reason="Two people.", now=NOW + MINUTE)
    play("Another", 3)
    assert b().name == "Bee"


def test_the_player_is_told(time_machine):
    time_machine.move_to(NOW + MINUTE, tick=False)
    Player.objects.filter(key="b").update(user=User.objects.create_user("b"))
    rename_player([b().pk], name="Bee", now=NOW, **ACT)
    tell_conduct_news(NOW + MINUTE)
    unlock_names([b().pk], now=NOW + MINUTE, **ACT)
    reset_names([b().pk], now=NOW + 2 * MINUTE, **ACT)
    tell_conduct_news(NOW + 2 * MINUTE)
    undo_renamings([b().pk], now=NOW + 3 * MINUTE, **ACT)
    for _ in range(2):
        tell_conduct_news(NOW + 3 * MINUTE)
    assert [line.words for line in load_page(b()).lines] == [
        "Your name is Bee again: Mind the rules",
        f"A moderator gave you the name {neutral_name('b')}: Mind the rules",
        "You can change your name again: Mind the rules",
        "A moderator gave you the name Bee: Mind the rules",
    ]
    assert set(Notice.objects.values_list("kind", flat=True)) == {"renamed", "unlocked"}


def test_games_hear_of_it():
    make_hook(name="all", url="https://example.org/1", events=["player.renamed"])
    duel = make_hook(name="duels", url="https://example.org/2", events=["player.renamed"])
    race = make_hook(name="races", url="https://example.org/3", events=["player.renamed"])
    duel.modes.add(Mode.objects.get(slug="duel"))
    race.modes.add(make_mode("race"))
    rename_player([b().pk], name="Bee", now=NOW, **ACT)
    unlock_names([b().pk], now=NOW + MINUTE, **ACT)
    messages = Delivery.objects.order_by("pk").values_list("webhook__name", "type", "data")
    data = {"player": {"id": "b", "name": "Bee"}}
    assert list(messages) == [
        (name, "player.renamed", {**data, "locked": locked}) for locked in (True, False) for name in ("all", "duels")
    ]
    anonymise_player(b(), now=NOW + MINUTE)
    assert not Delivery.objects.exists()
