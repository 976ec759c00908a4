"""Histories with ends of seasons: rating them anew gives what was lived, and archives never change."""

import datetime as dt
import random
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import strategies as st

from ranking.matches import invariants
from ranking.matches.forfeits import record_forfeit
from ranking.matches.recording import record_results
from ranking.models import Change, Forfeit, Match, Mode, Participation, Player, Rating, Season
from ranking.moderation.merges import merge_players
from ranking.moderation.splits import split_players
from ranking.moderation.voids import restore, void
from ranking.rerating.reratings import request_rerating, rerate
from ranking.seasons import invariants as season_invariants
from ranking.seasons.archives import checksum_of
from ranking.seasons.taking_back import plan_taking_back, take_back_end
from ranking.standings.publishing import publish
from ranking.systems.base import HARD, KEEP, SOFT, ResetRule
from ranking.systems.registry import SYSTEMS
from tests.support.examples import examples
from tests.support.factories import NOW, make_mode, make_source, record
from tests.support.replay import alike, replayed_seasons
from tests.support.reports import results
from tests.support.reratings import COUNTS, ledger, rate_anew
from tests.support.seasons import HALF, bring_along, end, plan_of, season_of
from tests.support.systems import largest_team

pytestmark = pytest.mark.django_db

HOUR = dt.timedelta(hours=1)
RULES = [ResetRule(KEEP), ResetRule(HARD), HALF, ResetRule(SOFT, 0.8)]


def violations():
    """What doctor finds once every mode is published."""
    for mode in Mode.objects.all():
        publish(mode, now=NOW)
    return [*invariants.violations(NOW), *season_invariants.violations(NOW)]


def current(mode):
    """What ratings of the running season and the ledger say."""
    ratings = Rating.objects.filter(mode=mode, season__current=True).order_by("player")
    state = ("display_hundredths", "mu", "sigma", "volatility", "reached_at", "podiums", "top_halves", "place_sum")
    return list(ratings.values_list("player", *state, *COUNTS)), ledger(mode)


def everything(mode):
    told_of, rows = current(mode)
    return [*told_of, *rows, *carried(mode)]


def carried(mode):
    return list(
        Rating.objects.filter(mode=mode, season__current=True).order_by("player").values_list("player", "carried")
    )


def last_states(mode):
    """Each player's state after their last row in a season, by the season's number and the player."""
    rows = Change.objects.live().filter(mode=mode).select_related("season").order_by("event")
    return {(row.season.number, row.player_id): row.after for row in rows}


def drop_out(mode, rng, largest, now):
    members = list(Player.objects.filter(merged_into=None).order_by("pk"))
    rng.shuffle(members)
    half = rng.randint(1, min(largest, len(members) // 2))
    teams = [members[:half], members[half : 2 * half]]
    lobby = f"lobby-{Forfeit.objects.count()}"
    record_forfeit(mode, lobby=lobby, teams=teams, player=rng.choice(teams[0] + teams[1]), reason="left", now=now)


def bring_someone(mode, rng, now):
    """Bring along a few players, known and unknown, unless they have played in the season or are there already."""
    players = rng.sample([f"p{number}" for number in range(8)], 3)
    lines = [f"{player},,{rng.randint(700, 3_000)},,{rng.randint(0, 5)}" for player in players]
    for line in lines:
        if not plan_of(mode, line).faults:
            bring_along(mode, line, now=now, placed=rng.random() < 0.5)


@pytest.mark.parametrize("system", sorted(SYSTEMS))
@examples(5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], phases=[Phase.generate])
@given(st.data(), st.integers(0, 2**32))
def test_replayed_is_lived_across_ends_of_seasons(system, data, seed):
    rng = random.Random(seed)
    largest = largest_team(system, 3)
    sent = data.draw(st.lists(results(largest), min_size=3, max_size=25))
    for old in Mode.objects.filter(slug="duel"):  # of the example before
        Mode.objects.filter(pk=old.pk).update(slug=f"duel-{old.pk}")
    mode = make_mode(system=system, team_size_max=largest)
    source = make_source(f"source-{Mode.objects.count()}")
    now, sums = NOW, {}
    for report in sent:
        late = rng.random() < 0.2
        record_results(
            [report if late else replace(report, ended_at=report.ended_at + (now - NOW))], source=source, now=now
        )
        if rng.random() < 0.3:
            drop_out(mode, rng, largest, now)
        if rng.random() < 0.3:
            bring_someone(mode, rng, now)
        if rng.random() < 0.4:
            fact = rng.choice([*Match.objects.filter(mode=mode), *Forfeit.objects.filter(mode=mode)])
            change = restore if fact.voids.filter(lifted_at=None).exists() else void
            change([fact], by=None, reason="test", now=now)
        if rng.random() < 0.2:
            publish(mode, now=now)
        if rng.random() < 0.1:
            request_rerating(mode, reason="test", now=now, chronological=True)
        if rng.random() < 0.5:
            rerate(mode)
        if rng.random() < 0.3:
            now += HOUR
            rerate(mode)
            archived = end(mode, at=now, reset=rng.choice(RULES))
            sums[archived.pk] = checksum_of(archived)
        if rng.random() < 0.3 and not plan_taking_back(mode).objection:
            sums.pop(take_back_end(mode, by=None, reason="test", now=now).pk, None)
            rerate(mode)
    rerate(mode)
    check_history(mode, sums)
    check_rated_anew(mode)
    rate_anew(mode, chronological=True)
    check_history(mode, sums)
    check_rated_anew(mode)


def check_rated_anew(mode):
    """Rating the whole history anew changes nothing."""
    before = everything(mode)
    rate_anew(mode)
    after = everything(mode)
    differs = [(one, other) for one, other in zip(before, after, strict=False) if not alike(one, other)]
    assert (differs, len(after)) == ([], len(before))


def check_history(mode, sums):
    """The ledger is what the facts alone give, its rows are in order, and the archives are as they were."""
    expected, lived = replayed_seasons(mode), last_states(mode)
    assert alike({key: lived[key] for key in expected}, expected)
    ratings = {row.player_id: row.state for row in Rating.objects.filter(mode=mode, season__current=True)}
    number = season_of(mode).number
    assert alike({player: ratings[player] for season, player in expected if season == number},
                 {player: state for (season, player), state in expected.items() if season == number})  # fmt: skip
    assert {season.pk: checksum_of(season) for season in Season.objects.filter(pk__in=sums)} == sums
    matches = Match.objects.filter(mode=mode, event__isnull=False)
    assert sum(season.matches.count() for season in mode.seasons.all()) == matches.count()
    for season in mode.seasons.all():
        ends = [each.event_id for each in mode.seasons.filter(event__isnull=False)]
        assert all(sum(end < match.event_id for end in ends) + 1 == season.number for match in season.matches.all())
    assert violations() == []


def state(player, number):
    """A player's first row in a season: kind, display before and after."""
    rows = Change.objects.live().filter(player__key=player, season__number=number).order_by("event")
    return rows.values_list("kind", "display_before", "display_after").first()


@pytest.fixture
def mode():
    return make_mode()


def players(*keys):
    """These players, in the order of their keys; made if they are unknown."""
    for key in keys:
        Player.objects.get_or_create(key=key, defaults={"name": key, "search_name": key, "created_at": NOW})
    return [Player.objects.get(key=key) for key in keys]


def play(*winners, now=NOW, **more):
    """A match for each ("ab": a beat b)."""
    for winner, loser in winners:
        record([winner], [loser], now=now, ended_at=now, **more)


def test_the_first_row_in_a_later_season_is_the_reset(mode):
    play("ab", "ab")
    a = Rating.objects.get(player__key="a")
    ended = end(mode, at=NOW + HOUR)
    assert Change.objects.filter(kind=Change.RESET).count() == 0  # who doesn't return costs nothing
    play("ac", now=NOW + 2 * HOUR)
    [reset] = Change.objects.filter(kind=Change.RESET)
    start = halfway()
    assert (reset.player.key, reset.event_id, reset.season.number) == ("a", ended.event_id, 2)
    assert (reset.before, reset.display_after, reset.parameters.number) == (a.state, start, 1)
    assert (state("a", 2), state("c", 2)[:2]) == (("reset", a.display_hundredths, start), ("match", 25_00))
    rows = Rating.objects.filter(season__number=2).order_by("player__key")
    assert [(row.player.key, row.carried, row.wins) for row in rows] == [("a", True, 1), ("c", False, 0)]
    assert violations() == []


def halfway():
    """Elo's display after a soft reset by half."""
    rating = Rating.objects.get(player__key="a", season__number=1).mu
    return round((25 + rating) / 2 * 100)


def test_the_rules_of_all_ends_since_are_applied_in_order(mode):
    play("ab")
    for hours, rule in ((1, HALF), (2, ResetRule(KEEP)), (3, ResetRule(SOFT, 0.8))):
        play("cd", now=NOW + (hours - 0.5) * HOUR)
        ended = end(mode, at=NOW + hours * HOUR, reset=rule)
    play("ab", now=NOW + 4 * HOUR)
    mu = Rating.objects.get(player__key="a", season__number=1).mu
    reset = Change.objects.get(player__key="a", kind=Change.RESET)
    assert (reset.event_id, reset.season.number, reset.mu_before) == (ended.event_id, 4, mu)
    assert reset.mu_after == pytest.approx(25 + 0.4 * (mu - 25))
    assert violations() == []


@pytest.mark.parametrize(("rule", "carries"), [(HALF, True), (ResetRule(KEEP), True), (ResetRule(HARD), False)])
def test_fewer_matches_place_a_player_whose_rating_was_carried_over(rule, carries):
    mode = make_mode(placement_matches=4, placement_after_reset=2)
    play("ab", "ab", "ab", "ab")
    end(mode, at=NOW + HOUR, reset=rule)
    play("ab", "ac", now=NOW + 2 * HOUR)
    publish(mode, now=NOW + 2 * HOUR)
    listed = Rating.objects.filter(season__number=2, listed=True).values_list("player__key", flat=True)
    assert list(listed) == (["a"] if carries else [])


def test_a_void_before_the_end_reaches_the_resets_and_leaves_the_archive(mode):
    play("ab", "ab", "cd")
    first = Match.objects.order_by("pk").first()
    archived = end(mode, at=NOW + HOUR)
    play("ac", now=NOW + 2 * HOUR)
    before = archived.checksum or checksum_of(archived)
    shown = list(Rating.objects.filter(season=archived).order_by("pk").values())
    reset = Change.objects.live().get(player__key="a", kind=Change.RESET)
    void([first], by=None, reason="test", now=NOW + 2 * HOUR)
    rerate(mode)
    after = Change.objects.live().get(player__key="a", kind=Change.RESET)
    assert after.display_before < reset.display_before
    assert (list(Rating.objects.filter(season=archived).order_by("pk").values()), checksum_of(archived)) == (
        shown,
        before,
    )
    assert violations() == []
    second = Match.objects.order_by("pk")[1]
    void([second], by=None, reason="test", now=NOW + 2 * HOUR)
    rerate(mode)  # a has no row in the first season any more
    assert [state("a", 2)[0], state("c", 2)[0]] == ["match", "reset"]
    assert violations() == []
    restore([first, second], by=None, reason="test", now=NOW + 2 * HOUR)
    rerate(mode)
    assert alike(Change.objects.live().get(player__key="a", kind=Change.RESET).before, reset.before)
    assert violations() == []


def test_an_archive_that_somebody_changed_is_found(mode):
    play("ab")
    archived = end(mode, at=NOW + HOUR)
    publish(mode, now=NOW + HOUR)
    assert violations() == []
    Rating.objects.filter(season=archived, player__key="a").update(published_hundredths=1)
    assert [each.code for each in violations()] == ["season.archive"]


def test_players_who_are_merged_have_one_history(mode):
    play("ab", "ab")
    end(mode, at=NOW + HOUR)
    play("cb", now=NOW + 2 * HOUR)
    end(mode, at=NOW + 3 * HOUR)
    play("ab", now=NOW + 4 * HOUR)
    sums = {season.pk: checksum_of(season) for season in mode.seasons.filter(current=False)}
    before = current(mode)
    a, c = (Player.objects.get(key=key) for key in "ac")
    merge = merge_players(a, c, by=None, reason="test", now=NOW + 5 * HOUR)
    rerate(mode)
    check_history(mode, sums)
    assert [state("a", number)[0] for number in (1, 2, 3)] == ["match", "reset", "reset"]
    split_players(merge, by=None, reason="test", now=NOW + 6 * HOUR)
    rerate(mode)
    check_history(mode, sums)
    assert alike(current(mode), before)


@pytest.mark.parametrize("fact", ["forfeit", "seed"])
def test_a_split_takes_back_the_reset_from_a_season_without_matches(mode, fact):
    play("bd")
    if fact == "forfeit":
        c, d = players("c", "d")
        record_forfeit(mode, lobby="L1", teams=[[c], [d]], player=c, reason="left", now=NOW)
    else:
        bring_along(mode, "c,,40", now=NOW)
    archived = end(mode, at=NOW + HOUR)
    sums = {archived.pk: checksum_of(archived)}
    play("ab", now=NOW + 2 * HOUR)
    before = current(mode)
    a, c = players("a", "c")
    merge = merge_players(a, c, by=None, reason="test", now=NOW + 3 * HOUR)
    rerate(mode)
    assert state("a", 2)[0] == "reset"
    check_history(mode, sums)
    split_players(merge, by=None, reason="test", now=NOW + 4 * HOUR)
    rerate(mode)
    assert state("a", 2)[0] == "match"
    check_history(mode, sums)
    assert alike(current(mode), before)


def test_a_forfeit_follows_the_strength_of_a_merged_player_who_was_in_its_lobby(mode):
    play("ab")
    archived = end(mode, at=NOW + HOUR)
    sums = {archived.pk: checksum_of(archived)}
    a, c, d = players("a", "c", "d")
    record_forfeit(mode, lobby="L1", teams=[[d], [c]], player=d, reason="left", now=NOW + 2 * HOUR)
    against_newcomer = state("d", 2)[2]
    merge = merge_players(a, c, by=None, reason="test", now=NOW + 3 * HOUR)
    rerate(mode)
    check_history(mode, sums)
    assert state("d", 2)[2] > against_newcomer  # a is stronger, so less was lost
    split_players(merge, by=None, reason="test", now=NOW + 4 * HOUR)
    rerate(mode)
    check_history(mode, sums)
    assert state("d", 2)[2] == against_newcomer


def test_a_match_of_an_earlier_time_is_marked_late_and_stays_so(mode):
    play("ab")
    end(mode, at=NOW + HOUR)
    record(["a"], ["c"], ended_at=NOW + HOUR / 2, now=NOW + 2 * HOUR, id="straggler")
    match = Match.objects.get(external_id="straggler")
    assert (match.season.number, match.late) == (2, True)
    play("ab", now=NOW + 3 * HOUR)
    rate_anew(mode, chronological=True)
    match.refresh_from_db()
    assert (match.season.number, match.late) == (2, True)
    assert Participation.objects.filter(match__season__number=2).count() == 4
