"""Ratings brought along: each is a fact, a row of the ledger and a rating, whatever comes before and after."""

import datetime as dt

import pytest

from ranking.matches import invariants
from ranking.models import Change, Event, Player, Rating, Seed
from ranking.seasons import invariants as season_invariants
from ranking.standings.publishing import publish
from tests.support.factories import NOW, make_mode, record
from tests.support.reratings import rate_anew
from tests.support.seasons import bring_along, end

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
