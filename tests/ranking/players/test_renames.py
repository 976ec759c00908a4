"""Names over time: the newest match's counts, the old ones are kept, lookalikes are flagged and never refused."""

import datetime as dt

import pytest

from ranking.matches.recording import record_results
from ranking.models import Player, PlayerName
from ranking.players.notable_names import accept_name
from ranking.players.players import ensure_players, names_of
from ranking.rules.report import PlayerReport
from tests.support.factories import NOW, make_mode, make_report, make_source, record

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _duel():
    make_mode()


def play(*names: str, minutes: int = 0) -> None:
    """A match of p0, p1 … with these names ("" = none said), which ended that many minutes after NOW."""
    players = [PlayerReport(id=f"p{index}", name=name) for index, name in enumerate(names)]
    moment = NOW + dt.timedelta(minutes=minutes)
    record(players[:1], players[1:], ended_at=moment, now=moment)


def who(key: str = "p0") -> Player:
    return Player.objects.get(key=key)


@pytest.mark.parametrize(
    ("names", "former"),
    [
        (["Wren"], []),
        (["Wren", "Wren", ""], []),
        (["Wren", "Kite"], ["Wren"]),
        (["Wren", "Kite", "Owl"], ["Kite", "Wren"]),
        (["Wren", "Kite", "Wren"], ["Kite"]),
        (["Wren", "Kite", "Wren", "Kite", "Owl"], ["Kite", "Wren"]),
        (["", "Kite"], ["p0"]),
    ],
)
def test_former_names_the_latest_first(names, former):
    for minutes, name in enumerate(names):
        play(name, "Other", minutes=minutes)
    assert names_of(who()) == former


def test_since_when_each():
    for minutes, name in enumerate(["Wren", "Kite", "Owl"]):
        play(name, "Other", minutes=minutes)
    said = PlayerName.objects.order_by("id").values_list("name", "since")
    assert list(said) == [(name, NOW + dt.timedelta(minutes=n)) for n, name in enumerate(["Wren", "Kite", "Owl"])]


def test_a_late_result_renames_nobody():
    play("Wren", "Other", minutes=10)
    play("Kite", "Newcomer", minutes=5)
    assert (who().name, who("p1").name, PlayerName.objects.count()) == ("Wren", "Other", 0)


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 1, 0], [1, 2, 0]])
def test_within_a_batch_the_match_that_ended_last_has_the_last_word(order):
    reports = [
        make_report([PlayerReport(id="p0", name=name)], ["p1"], ended_at=NOW + dt.timedelta(minutes=minutes))
        for minutes, name in enumerate(["Wren", "Kite", ""])
    ]
    record_results([reports[index] for index in order], source=make_source(), now=NOW + dt.timedelta(minutes=3))
    assert who().name == "Kite"


def flags() -> dict[str, bool]:
    return dict(Player.objects.values_list("name", "lookalike"))


def test_a_newcomer_who_looks_like_somebody_is_flagged():
    play("Kestrel", "Wren")
    record([PlayerReport(id="n1", name="KestreI")], [PlayerReport(id="n2", name="Wrens")])
    assert flags() == {"Kestrel": False, "Wren": False, "KestreI": True, "Wrens": False}


def test_of_two_who_come_together_one_is_flagged():
    play("Kestrel", "KestreI")
    assert sorted(flags().values()) == [False, True]


def test_who_takes_such_a_name_is_flagged_and_who_drops_it_no_longer():
    play("Kestrel", "Wren")
    play("Kestrel", "Kestre1", minutes=1)
    assert flags() == {"Kestrel": False, "Kestre1": True}
    play("Kestrel", "Wren", minutes=2)
    assert flags() == {"Kestrel": False, "Wren": False}


def test_who_only_changes_the_case_stays_as_they_were():
    play("Kestrel", "Wren")
    play("kestrel", "Wren", minutes=1)
    assert flags() == {"kestrel": False, "Wren": False}


def test_an_accepted_name_is_flagged_no_more():
    play("Kestrel", "KestreI")
    flagged = Player.objects.get(lookalike=True)
    assert [accept_name(flagged), accept_name(flagged)] == [True, False]
    assert not any(flags().values())


@pytest.mark.parametrize("number", [1, 3])
def test_renaming_takes_as_many_queries_however_many(django_assert_num_queries, number):
    names = [f"Wren{index}" for index in range(number)]
    play("First", *names)
    newer = [PlayerReport(id=f"p{index + 1}", name=f"Kite{index}") for index in range(number)]
    report = make_report(["p0"], newer, ended_at=NOW + dt.timedelta(minutes=1))
    with django_assert_num_queries(6):  # players, lock, looks, known names, kept names, update
        ensure_players([report], NOW)
