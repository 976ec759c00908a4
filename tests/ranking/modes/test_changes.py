"""Changing a mode: parameters are steps of its history, settings bring what depends on them along."""

import datetime as dt

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from ranking.models import Event, Mode, Rating
from ranking.modes.changes import change_parameters, change_settings, relist
from ranking.modes.parameters import Misfit, changed_params, current_parameters
from ranking.rules.report import PlayerReport
from ranking.standings.activity import FOREVER, active_until
from ranking.standings.publishing import publish
from ranking.systems.base import Refused
from ranking.tasks import publish_standings
from tests.support.examples import examples
from tests.support.factories import NOW, make_mode, record
from tests.support.savepoints import rolled_back

pytestmark = pytest.mark.django_db
DAY = dt.timedelta(days=1)
LATER = NOW + DAY


def listed() -> list[str]:
    return list(Rating.objects.filter(listed=True).order_by("player__key").values_list("player__key", flat=True))


def in_force(mode):
    version = current_parameters(mode)
    return version.number, version.system, changed_params(version)


@pytest.mark.parametrize(
    ("params", "system", "expected"),
    [
        ({"alpha": 0.05}, None, (2, "elo", {"alpha": 0.05})),
        ({}, "team-ratio", (2, "team-ratio", {})),
        ({}, None, (1, "elo", {})),
        ({"alpha": 0.07, "scale_by_time": False}, "elo", (1, "elo", {})),  # the defaults, said aloud
    ],
)
def test_new_parameters_are_a_step_of_history_and_the_same_ones_are_none(params, system, expected):
    mode = make_mode()
    change_parameters(mode, params=params, system=system, now=LATER)
    assert in_force(mode) == expected
    steps = Event.objects.filter(mode=mode, kind=Event.PARAMETERS).order_by("pk")
    assert [step.happened_at for step in steps] == [NOW, LATER][: expected[0]]


def test_matches_are_rated_by_what_is_in_force():
    mode = make_mode()
    first = record(["a"], ["b"]).record.changes[0]
    change_parameters(mode, params={"alpha": 0.14}, now=NOW)
    second = record(["c"], ["d"]).record.changes[0]
    assert (second.after.mu - 25) / (first.after.mu - 25) == pytest.approx(2)
    assert (first.parameters.number, second.parameters.number) == (1, 2)


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"params": {"alpha": -1}}, "alpha must be greater than 0"),
        ({"params": {"beat": 1}}, "no parameter 'beat'"),
        ({"params": {}, "system": "chess"}, "no rating system 'chess'"),
        ({"params": {}, "system": "team-ratio"}, "duel has ratings"),
    ],
)
def test_refused_parameters_change_nothing(said, sentence):
    mode = make_mode()
    record(["a"], ["b"])
    with pytest.raises(Refused, match=sentence):
        change_parameters(mode, now=LATER, **said)
    assert in_force(mode) == (1, "elo", {})


def test_refused_settings_name_their_field_and_change_nothing(subtests):
    make_mode()
    before = Mode.objects.values().get()
    for changed, field in [
        ({"team_count": 1}, "team_count"),
        ({"team_size_min": 0}, "team_size_min"),
        ({"team_size_min": 4, "team_size_max": 3}, "team_size_max"),
        ({"activity_matches": 0}, "activity_matches"),
        ({"activity_matches": 11}, "activity_matches"),
        ({"activity_days": 0}, "activity_days"),
        ({"time_zone": "Mars"}, "time_zone"),
        ({"named_tiers": [{"name": "Iron", "from": 2}]}, "named_tiers"),
        ({"tier_scheme": "1-7"}, "tier_scheme"),
    ]:
        with subtests.test(changed=changed), rolled_back():
            mode = Mode.objects.get()
            with pytest.raises(ValidationError) as refused:
                change_settings(mode, now=LATER, **changed)
            assert list(refused.value.message_dict) == [field]
            assert Mode.objects.values().get() == before


def test_teams_that_the_system_cannot_rate_are_refused():
    mode = make_mode(system="team-ratio")
    with pytest.raises(Misfit, match=r"team-ratio .* 2 teams") as refused:
        change_settings(mode, now=LATER, team_count=3)
    assert refused.value.field == "team_count"


def test_two_teams_stay_two_and_more_stay_more_once_a_match_was_played():
    mode = make_mode()
    change_settings(mode, now=LATER, team_count=3)
    record(["a"], ["b"], ["c"])
    change_settings(mode, now=LATER, team_count=4, team_size_max=5)
    change_settings(mode, now=LATER, team_count=3)
    with pytest.raises(ValidationError, match="it stays a mode of two teams, or one of more"):
        change_settings(mode, now=LATER, team_count=2)
    assert Mode.objects.values_list("team_count", "team_size_max").get() == (3, 5)


@pytest.mark.parametrize("name", ["slug", "generation", "nonsense"])
def test_what_is_no_setting_stays(name):
    with pytest.raises(ValueError, match=f"'{name}' is no setting"):
        change_settings(make_mode(), now=LATER, **{name: "x"})


def play_a_season():
    """a completed three matches, b two and left one, c and d one each; the last three weeks ago."""
    mode = make_mode(activity_days=30)
    for days, winner, loser in ((40, "a", "b"), (35, "a", "b"), (21, "a", "b"), (21, "c", "d")):
        loser = PlayerReport(id=loser, left_early=days == 35)
        record([winner], [loser], ended_at=NOW - days * DAY)
    publish(mode, now=NOW)
    return mode


def test_boards_follow_with_the_next_publication(subtests):
    play_a_season()
    for changed, expected in [
        ({}, ["a", "b", "c", "d"]),
        ({"placement_matches": 2}, ["a", "b"]),
        ({"placement_matches": 3}, ["a"]),
        ({"placement_matches": 4}, []),
        ({"activity_days": 20}, []),
        ({"activity_days": 22}, ["a", "b", "c", "d"]),
        ({"activity_matches": 2}, []),
        ({"activity_matches": 2, "activity_days": 36}, ["a"]),
        ({"activity_matches": 2, "activity_days": 41}, ["a", "b"]),
        ({"activity_matches": 3, "activity_days": None}, ["a"]),
        ({"activity_matches": 10, "activity_days": None}, []),
    ]:
        with subtests.test(changed=changed), rolled_back():
            mode = Mode.objects.get()
            change_settings(mode, now=NOW, **changed)
            publish(mode, now=NOW)
            assert listed() == expected
            change_settings(mode, now=NOW, placement_matches=1, activity_matches=1, activity_days=30)
            publish(mode, now=NOW)
            assert listed() == ["a", "b", "c", "d"]


def test_only_rows_whose_listing_changes_are_published_again():
    mode = play_a_season()
    change_settings(mode, now=NOW, placement_matches=3, activity_days=None)
    waiting = Rating.objects.filter(to_publish=True).values_list("player__key", flat=True)
    assert sorted(waiting) == ["b", "c", "d"]
    assert set(Rating.objects.values_list("active_until", flat=True)) == {FOREVER}


def test_other_modes_are_left_alone():
    play_a_season()
    before = list(Rating.objects.order_by("pk").values())
    change_settings(make_mode("other"), now=NOW, activity_matches=5, placement_matches=9)
    assert list(Rating.objects.order_by("pk").values()) == before


def ratings_asked(mode, **changed) -> list[str]:
    """What a change asks of the ratings, by its first word."""
    with CaptureQueriesContext(connection) as queries:
        change_settings(mode, now=NOW, **changed)
    return [query["sql"].split()[0] for query in queries.captured_queries if '"ranking_rating"' in query["sql"]]


@pytest.mark.parametrize("players", [1, 30])
def test_as_many_updates_for_many_players_as_for_one(players):
    mode = make_mode()
    for number in range(players):
        record([f"a{number}"], [f"b{number}"])
    assert ratings_asked(mode, name="Duels", shows_tier=False) == []
    assert ratings_asked(mode, placement_matches=2) == ["SELECT", "UPDATE", "UPDATE"]
    assert ratings_asked(mode, activity_matches=2) == ["SELECT", "UPDATE", "UPDATE"]
    assert (Mode.objects.get().name, mode.name) == ("Duels", "Duels")


@pytest.mark.parametrize("chunk", [1, 2, 3, 4, 5])
def test_very_many_ratings_are_gone_over_in_chunks(chunk):
    mode = play_a_season()
    change_settings(mode, now=NOW, chunk=chunk, placement_matches=3, activity_days=None)
    through = list(Rating.objects.filter(active_until=FOREVER).order_by("pk"))
    assert through == list(Rating.objects.order_by("pk"))[:chunk]
    assert Mode.objects.get().relisted_to == (through[-1].pk if chunk <= 4 else None)
    relist(mode, now=NOW, chunk=chunk)
    assert Mode.objects.get().relisted_to is None
    assert set(Rating.objects.values_list("active_until", flat=True)) == {FOREVER}
    publish(mode, now=NOW)
    assert listed() == ["a"]


def test_a_second_change_starts_anew():
    mode = play_a_season()
    change_settings(mode, now=NOW, chunk=2, activity_days=20)
    change_settings(mode, now=NOW, chunk=2, activity_days=None)
    relist(mode, now=NOW, chunk=2)
    assert set(Rating.objects.values_list("active_until", flat=True)) == {FOREVER}


def test_the_job_that_publishes_goes_on_where_a_change_stopped():
    mode = play_a_season()
    change_settings(mode, now=NOW, chunk=1, placement_matches=3, activity_days=None)
    publish_standings()
    assert (listed(), Mode.objects.get().relisted_to) == (["a"], None)


class SameInSql(TestCase):
    @examples(30, deadline=None)
    @given(
        st.lists(st.tuples(st.floats(0, 60), st.booleans()), max_size=13),
        st.integers(1, 10),
        st.none() | st.integers(1, 40),
        st.none() | st.floats(0, 60),
    )
    def test_activity_from_facts_is_what_playing_would_have_counted(self, played, needed, days, placed):
        mode = make_mode(activity_matches=5, activity_days=7)
        record(["a"], ["b"], ended_at=NOW - 61 * DAY)
        for age, left in played:
            record([PlayerReport(id="a", left_early=left)], ["b"], ended_at=NOW - age * DAY)
        placed_at = None if placed is None else NOW - placed * DAY
        Rating.objects.filter(player__key="a").update(placed_at=placed_at)
        change_settings(mode, now=NOW, activity_matches=needed, activity_days=days)
        for rating in Rating.objects.all():
            assert rating.active_until == active_until(rating.recent_completions, mode, rating.placed_at)
