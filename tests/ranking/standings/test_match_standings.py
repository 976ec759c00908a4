"""Standings before and after matches and forfeits: they agree with the ratings beside them, in any history."""

import datetime as dt
from collections.abc import Iterable
from typing import Any

import pytest
from django.db.models import F
from hypothesis import HealthCheck, Phase, given
from hypothesis import strategies as st

from ranking.matches.forfeits import record_forfeit
from ranking.matches.recording import record_results
from ranking.models import Ban, Change, Forfeit, Match, Mode, Participation, Player, Rating
from ranking.rules.rank_table import percentile_from
from ranking.standings import invariants
from ranking.standings.publishing import publish
from tests.support.examples import examples
from tests.support.factories import NOW, ban_player, hide_player, make_mode, make_report, make_source, record
from tests.support.reports import results

pytestmark = pytest.mark.django_db

UNSHRUNK = [Phase.explicit, Phase.reuse, Phase.generate]  # a history takes too long to be tried many times more
PLAYERS = [f"p{number}" for number in range(8)]
Standing = tuple[int, int, int]  # rank, percentile, listed
results_of_two = results().map(
    lambda report: (list(map(list, _rosters(report))), [team.place for team in report.teams])
)


def _rosters(report: Any) -> Iterable[Iterable[Any]]:
    return (team.players for team in report.teams)


@st.composite
def results_for_all(draw: st.DrawFn) -> tuple[list[list[str]], list[int]]:
    """A result of four players against each other, with ties."""
    players = draw(st.permutations(PLAYERS))[:4]
    return [[player] for player in players], draw(st.lists(st.integers(1, 4), min_size=4, max_size=4))


def steps(result: st.SearchStrategy[Any]) -> st.SearchStrategy[list[tuple[str, Any]]]:
    player = st.sampled_from(PLAYERS)
    step = st.one_of(
        st.tuples(st.just("results"), st.lists(result, min_size=1, max_size=6)),
        st.tuples(st.just("forfeit"), st.permutations(PLAYERS).map(lambda order: order[:4])),
        st.tuples(st.sampled_from(["hide", "ban", "idle"]), player),
        st.tuples(st.just("publish"), st.none()),
    )
    return st.lists(step, min_size=3, max_size=15)


@pytest.mark.parametrize(("team_count", "result"), [(2, results_of_two), (4, results_for_all())])
@examples(
    20,
    deadline=None,
    phases=UNSHRUNK,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_standings_are_those_of_the_published_board_with_the_live_ratings_of_all_players(team_count, result, data):
    Mode.objects.update(slug=F("id"), name=F("id"))
    Player.objects.filter(key__in=PLAYERS).update(key=F("id"))
    mode = make_mode(team_count=team_count, placement_matches=2, activity_days=7)
    for kind, value in data.draw(steps(result)):
        _take_step(mode, kind, value)
    assert list(invariants.standings(NOW)) == []


def _take_step(mode: Mode, kind: str, value: Any) -> None:
    player = Player.objects.filter(key=value).first() if isinstance(value, str) else None
    if kind == "publish":
        publish(mode, now=NOW)
    elif kind == "results":
        last = Match.objects.order_by("-id").values_list("id", flat=True).first() or 0
        reports = [make_report(*rosters, places=places, duration=600.0) for rosters, places in value]
        record_results(reports, source=make_source(), now=NOW)
        for match in Match.objects.filter(mode=mode, pk__gt=last):
            _check_match(match)
    elif kind == "forfeit" and mode.team_count == 2:
        members = [Player.objects.filter(key=key).first() for key in value]
        if None not in members:
            _check_forfeit(mode, members)
    elif player is not None and kind == "hide":
        hide_player(player, now=NOW)
    elif player is not None and kind == "ban":
        ban_player(player, scope="boards", by=None, reason="x", now=NOW)
    elif player is not None and kind == "idle":
        Rating.objects.filter(player=player).update(active_until=NOW - dt.timedelta(days=1), to_publish=True)


def _published(mode: Mode, players: Iterable[int]) -> list[int]:
    """The ratings on the board, but for those of these players; the board is as it was when they were rated."""
    rows = Rating.objects.filter(mode=mode, listed=True).exclude(player__in=players)
    return [value for value in rows.values_list("published_hundredths", flat=True) if value is not None]


def _standing(board: list[int], value: int) -> Standing:
    below, above = sum(other < value for other in board), sum(other > value for other in board)
    return above + 1, percentile_from(below, above), len(board)


def _stored(row: Participation | Forfeit, when: str) -> Standing:
    return (getattr(row, f"rank_{when}"), getattr(row, f"percentile_{when}"), getattr(row, f"listed_{when}"))


def _check_match(match: Match) -> None:
    changes = {change.player_id: change for change in Change.objects.filter(match=match)}
    published = match.mode.snapshots.exists()
    others = _published(match.mode, changes)
    for when in ("before", "after"):
        live = {player: getattr(change, f"display_{when}") for player, change in changes.items()}
        ranked = match.participations.filter(**{f"rank_{when}__isnull": False})
        board = others + [live[part.player_id] for part in ranked]
        stored = {part.player_id: (*_stored(part, when), getattr(part, f"display_{when}")) for part in ranked}
        assert stored == {player: (*_standing(board, live[player]), live[player]) for player in stored}
        assert published or not stored


def _check_forfeit(mode: Mode, members: list[Any]) -> None:
    others = _published(mode, [member.pk for member in members])
    ratings = Rating.objects.filter(mode=mode)
    before = {rating.player_id: rating for rating in ratings.all()}
    lobby = str(Forfeit.objects.count())
    forfeit = record_forfeit(
        mode, lobby=lobby, teams=[members[:2], members[2:]], player=members[0], reason="x", now=NOW
    )
    for when, rows in (("before", before), ("after", {rating.player_id: rating for rating in ratings.all()})):
        live = {member.pk: rows[member.pk].display_hundredths for member in members if _is_ranked(rows, member)}
        dropper = members[0].pk
        shown = dropper in live and mode.snapshots.exists()
        expected = _standing(others + list(live.values()), live[dropper]) if shown else (None, None, None)
        assert (*_stored(forfeit, when), getattr(forfeit, f"display_{when}")) == (
            *expected,
            live[dropper] if shown else None,
        )


def _is_ranked(ratings: dict[int, Rating], player: Player) -> bool:
    rating = ratings.get(player.pk)
    player.refresh_from_db()
    if rating is None or player.hidden_at is not None or Ban.objects.filter(player=player).exists():
        return False
    return rating.placement_done >= 2 and rating.is_active(NOW)


def _standings_of(match: Match) -> dict[str, tuple[Any, ...]]:
    return {
        part.player.key: (*_stored(part, "before"), *_stored(part, "after"))
        for part in match.participations.select_related("player")
    }


def test_two_players_placed_by_one_match_see_each_other():
    mode = make_mode(placement_matches=1)
    publish(mode, now=NOW)
    match = record(["a"], ["b"]).record.match
    unranked = (None, None, None)
    assert _standings_of(match) == {"a": (*unranked, 1, 100, 2), "b": (*unranked, 2, 1, 2)}


def test_everybody_against_each_other_is_ranked_by_the_ratings_after_the_match():
    mode = make_mode(team_count=4, placement_matches=0)
    for player in "abcd":
        record([player], ["x"], ["y"], ["z"], places=[1, 1, 1, 1])
    publish(mode, now=NOW)
    standings = _standings_of(record(["d"], ["c"], ["b"], ["a"]).record.match)
    assert {key: standing[3:] for key, standing in standings.items()} == {
        "d": (1, 100, 7), "c": (2, 84, 7), "b": (6, 17, 7), "a": (7, 1, 7),
    }  # fmt: skip
