"""Ratings brought along: each is a fact, a row of the ledger and a rating, whatever comes before and after."""

import datetime as dt
from decimal import Decimal

import pytest

from ranking.matches import invariants
from ranking.matches.explanations import explain
from ranking.matches.forfeits import record_forfeit
from ranking.matches.records import load_records
from ranking.models import Change, Event, Match, Player, Rating, Seed
from ranking.moderation.voids import restore, void
from ranking.modes.changes import change_settings
from ranking.rerating.reratings import rerate
from ranking.seasons import invariants as season_invariants
from ranking.seeds.seeding import seed_players
from ranking.seeds.withdrawing import withdraw_seeds
from ranking.standings.publishing import publish
from ranking.systems.base import Refused
from ranking.systems.conversion import convert_skill
from ranking.systems.registry import SYSTEMS, get_system
from tests.support.factories import NOW, make_mode, record
from tests.support.replay import alike
from tests.support.reratings import free, lease, rate_anew
from tests.support.seasons import bring_along, end, plan_of

pytestmark = pytest.mark.django_db

HOUR = dt.timedelta(hours=1)


@pytest.fixture
def mode():
    return make_mode()


def violations(mode):
    publish(mode, now=NOW)
    return [*invariants.violations(NOW), *season_invariants.violations(NOW)]


def rows(*names):
    """Live rows of the ledger in order: kind, player, and what else is named."""
    live = Change.objects.live().order_by("event", "player__key")
    return list(live.values_list("kind", "player__key", *names))


def states(mode):
    return list(
        Rating.objects.filter(mode=mode).order_by("player", "season").values_list(
            "player__key", "display_hundredths", "mu", "sigma", "reached_at", "seeded_matches", "placed_at", "carried"
        )
    )  # fmt: skip


def test_a_line_becomes_a_fact_a_row_of_the_ledger_and_a_rating(mode):
    assert bring_along(mode, "fox,Fox,31.25,,40\nowl,,12\n") == (2, 0)
    assert rows("display_before", "display_after", "mu_after") == [
        ("seed", "fox", 25_00, 31_25, 31.25), ("seed", "owl", 25_00, 12_00, 12.0)
    ]  # fmt: skip
    facts = Seed.objects.order_by("event").values_list("event__kind", "player__name", "display_hundredths", "matches")
    assert list(facts) == [("seed", "Fox", 31_25, 40), ("seed", "owl", 12_00, 0)]
    assert states(mode) == [
        ("fox", 31_25, 31.25, None, NOW, 40, None, False), ("owl", 12_00, 12.0, None, NOW, 0, None, False)
    ]  # fmt: skip
    assert violations(mode) == []


def test_matches_build_on_it_and_rating_anew_changes_nothing(mode):
    bring_along(mode, "fox,Fox,31.25\nowl,,12\n")
    record(["fox"], ["owl"], now=NOW + HOUR, ended_at=NOW + HOUR)
    before = rows("display_before", "display_after", "mu_after", "event"), states(mode)
    assert before[0][2][:3] == ("match", "fox", 31_25)
    rate_anew(mode)
    assert (rows("display_before", "display_after", "mu_after", "event"), states(mode)) == before
    assert violations(mode) == []


def test_a_returning_player_gets_their_reset_first(mode):
    record(["fox"], ["owl"])
    ended = end(mode, at=NOW + HOUR)
    bring_along(mode, "fox,,40\nnew,,50\n", now=NOW + 2 * HOUR)
    fox = [row[1:] for row in rows("kind", "season__number", "event") if row[1] == "fox"]
    assert [row[1:3] for row in fox] == [("match", 1), ("reset", 2), ("seed", 2)]
    assert fox[1][3] == ended.event_id
    before = rows("display_before", "display_after"), states(mode)
    assert violations(mode) == []
    rate_anew(mode)
    assert (rows("display_before", "display_after"), states(mode)) == before


def test_the_second_run_changes_nothing_and_a_stopped_one_goes_on(mode):
    text = "".join(f"p{number},,{number}\n" for number in range(1, 8))
    bring_along(mode, "".join(text.splitlines(keepends=True)[:3]))
    assert bring_along(mode, text, batch=2) == (4, 3)
    counts = [model.objects.count() for model in (Seed, Change, Event, Player, Rating)]
    assert bring_along(mode, text, batch=2) == (0, 7)
    assert [model.objects.count() for model in (Seed, Change, Event, Player, Rating)] == counts


def test_what_nobody_has_played_on_is_taken_back(mode):
    record(["old"], ["b"])
    end(mode, at=NOW + HOUR)
    record(["b"], ["c"], now=NOW + 2 * HOUR, ended_at=NOW + 2 * HOUR)
    before = rows("event"), states(mode)
    bring_along(mode, "old,,40\nnew,,50\n", now=NOW + 2 * HOUR, placed=True)
    assert list(withdraw_seeds(mode, ["old", "new"], by=None, reason="test", now=NOW + 3 * HOUR)) == [2]
    assert [row for row in rows("event") if row[0] != "reset" or row[1] != "old"] == before[0]
    assert [row[1:] for row in states(mode) if row[0] == "new"] == [(25_00, 25.0, None, NOW + 2 * HOUR, 0, None, False)]
    assert (Seed.objects.count(), Event.objects.filter(kind="seed").count(), violations(mode)) == (0, 0, [])
    lived = rows("display_before", "display_after"), states(mode)
    rate_anew(mode)
    assert alike((rows("display_before", "display_after"), states(mode)), lived)
    assert bring_along(mode, "old,,41\nnew,,50\n", now=NOW + 3 * HOUR) == (2, 0)
    assert violations(mode) == []


def test_nothing_is_taken_back_if_somebody_has_played(mode):
    bring_along(mode, "fox,,40\nowl,,50\n")
    record(["fox"], ["elk"])
    before = rows("event"), states(mode)
    with pytest.raises(Refused, match="'fox' has played since"):
        list(withdraw_seeds(mode, ["owl", "fox"], by=None, reason="test", now=NOW, batch=1))
    assert (rows("event"), states(mode)) == before


def test_nothing_is_taken_back_that_a_forfeit_rests_on(mode):
    record(["elk"], ["fox"])
    bring_along(mode, "owl,,50\n")
    elk, fox, owl = (Player.objects.get(key=key) for key in ("elk", "fox", "owl"))
    forfeit = record_forfeit(mode, lobby="L1", teams=[[elk, fox], [owl]], player=elk, reason="left", now=NOW)
    with pytest.raises(Refused, match="'owl' has been in lobby L1 since, which ended with a forfeit, so nothing is"):
        list(withdraw_seeds(mode, ["owl"], by=None, reason="test", now=NOW))
    void([forfeit], by=None, reason="test", now=NOW)
    rerate(mode)
    assert list(withdraw_seeds(mode, ["owl"], by=None, reason="test", now=NOW)) == [1]
    restore([forfeit], by=None, reason="test", now=NOW)
    rerate(mode)
    lived = rows("display_before", "display_after"), states(mode)
    rate_anew(mode)
    assert alike((rows("display_before", "display_after"), states(mode)), lived)
    bring_along(mode, "owl,,50\n")  # the forfeit was before it
    assert list(withdraw_seeds(mode, ["owl"], by=None, reason="test", now=NOW)) == [1]


def test_a_line_that_cannot_be_brought_along_is_named_and_nothing_written(mode):
    record(["played"], ["b"])
    bring_along(mode, "known,,40\n")
    text = "good,,30\nplayed,,30\nknown,,41\nb,,2\nbad,,x\n,,3\ngood,,31\nfar,,1e9\ntoo,,1.234\nfew,3\n"
    plan = plan_of(mode, text)
    assert [(fault.number, fault.sentence) for fault in plan.faults] == [
        (2, "'played' has rated matches in this season."),
        (3, "'known' has brought along another rating, 40.00: take that back first."),
        (4, "'b' has rated matches in this season."),
        (5, "rating is a number such as 1520.5, not 'x'."),
        (6, "id: This can't be empty."),
        (7, "the player 'good' is in line 1 already."),
        (8, "rating is a number such as 1520.5, not '1e9'."),
        (10, "a line has 3 to 6 columns, and this one has 2."),
    ]
    with pytest.raises(ValueError, match="A plan with faults"):
        list(seed_players(plan, by=None, reason="test", now=NOW))
    assert Player.objects.filter(key="good").count() == 0


def test_who_plays_between_the_plan_and_the_write_is_left_out(mode):
    plan = plan_of(mode, "fox,,40\nowl,,50\n")
    record(["fox"], ["elk"])
    [outcome] = seed_players(plan, by=None, reason="test", now=NOW)
    assert (outcome.written, [fault.number for fault in outcome.faults]) == (1, [1])
    assert violations(mode) == []


def test_nothing_is_brought_along_while_the_mode_is_rated_anew_or_after_the_season(mode):
    plan = plan_of(mode, "fox,,40\n")
    lease(mode)
    with pytest.raises(Refused, match="is being rated anew"):
        list(seed_players(plan, by=None, reason="test", now=NOW))
    free(mode)
    rerate(mode)
    end(mode, at=NOW + HOUR)
    with pytest.raises(Refused, match="Season 1 of duel"):
        list(seed_players(plan, by=None, reason="test", now=NOW + HOUR))
    assert Seed.objects.count() == 0


@pytest.mark.parametrize("system", sorted(SYSTEMS))
def test_another_system_carries_the_strength_over(system):
    mode = make_mode(system="elo", team_size_max=1)
    bring_along(mode, "fox,,31.25\nowl,,12\nelk,,25\n")
    record(["fox"], ["owl"], now=NOW + HOUR, ended_at=NOW + HOUR)
    rate_anew(mode, system=system, params={})
    old, new = get_system("elo"), get_system(system)
    for key, display in (("fox", "31.25"), ("owl", "12"), ("elk", "25")):
        row = Change.objects.live().get(player__key=key, kind="seed")
        assert row.after == new.to_state(convert_skill(old.seed(Decimal(display)), old, new))
    assert violations(mode) == []
    rate_anew(mode, system="elo", params={})
    assert [row[2] for row in rows("display_after")[:3]] == [31_25, 12_00, 25_00]


def test_placed_players_are_on_the_board_at_once_and_stay_there_for_a_window(mode):
    change_settings(mode, now=NOW, placement_matches=5, activity_matches=2, activity_days=7)
    bring_along(mode, "fox,,40\n", placed=True)
    bring_along(mode, "owl,,50\n")
    assert listed(mode, NOW) == ["fox"]
    record(["fox"], ["elk"], now=NOW + HOUR, ended_at=NOW + HOUR)
    rate_anew(mode)
    assert listed(mode, NOW + HOUR) == ["fox"]
    assert listed(mode, NOW + dt.timedelta(days=7, hours=1)) == []
    assert violations(mode) == []


def listed(mode, now):
    publish(mode, now=now)
    return list(Rating.objects.filter(mode=mode, listed=True).values_list("player__key", flat=True))


def test_matches_brought_along_count_as_played_before():
    mode = make_mode(params={"alpha_first": 0.7, "alpha_matches": 10})
    bring_along(mode, "fox,,25,,10\nowl,,25,,0\n")
    record(["fox"], ["owl"], now=NOW + HOUR, ended_at=NOW + HOUR, id="m")
    moves = {row[1]: row[3] - row[2] for row in rows("display_before", "display_after") if row[0] == "match"}
    assert (moves["fox"], moves["owl"]) == (26, -258)
    before = rows("mu_after"), states(mode)
    [match] = load_records([Match.objects.get()]).values()
    assert [100 * own.moved for own in explain(match).values()] == pytest.approx([25.849, -258.49], abs=0.01)
    rate_anew(mode)
    assert (rows("mu_after"), states(mode)) == before


def test_a_late_match_builds_on_what_was_brought_along_in_the_order_of_time_too(mode):
    record(["b"], ["c"], now=NOW, ended_at=NOW)
    bring_along(mode, "fox,,40\nowl,,30\n", now=NOW + HOUR)
    record(["fox"], ["owl"], now=NOW + 2 * HOUR, ended_at=NOW - HOUR)
    before = rows("display_before", "display_after")
    rate_anew(mode, chronological=True)
    assert [row[:2] for row in rows()] == [
        ("seed", "fox"), ("seed", "owl"), ("match", "fox"), ("match", "owl"), ("match", "b"), ("match", "c")
    ]  # fmt: skip
    assert sorted(rows("display_before", "display_after")) == sorted(before)
    assert violations(mode) == []
