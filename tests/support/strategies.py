"""Random matches, in the domain's words."""

from hypothesis import strategies as st

from ranking.systems.base import Entrant, Result, Team
from ranking.systems.battle_points.system import BattlePointsSkill
from ranking.systems.elo.system import EloSkill
from ranking.systems.glicko2.system import Glicko2Skill
from ranking.systems.margin.skill import MarginSkill
from ranking.systems.shared.mean_and_deviation import GaussianSkill
from ranking.systems.team_ratio.system import TeamRatioSkill
from ranking.systems.two_layer.system import TwoLayerSkill


def team_ratio_ranks():
    """Ranks in hundredths, mostly ordinary, sometimes huge."""
    return st.one_of(st.integers(100, 10_000), st.integers(100, 999_999_999_999))


def elo_ratings():
    return st.floats(-50, 100, allow_nan=False)


@st.composite
def matches(draw, skills, *, most_teams=2, sizes=(1, 5), leavers=True):
    """A decided or drawn match with times in game, and leavers unless there are to be none."""
    duration = draw(st.one_of(st.none(), st.integers(1, 4000)))
    count = draw(st.integers(2, most_teams))
    seconds = st.one_of(st.none(), st.integers(0, 4000), st.floats(0, 4000, allow_nan=False))
    idle_days = st.one_of(st.just(0.0), st.floats(0, 400))

    def entrant(name):
        left = leavers and draw(st.booleans())
        return Entrant(name, draw(skills), seconds=draw(seconds), left_early=left, idle_days=draw(idle_days))

    teams = tuple(
        Team(
            players=tuple(entrant(f"{team}-{index}") for index in range(draw(st.integers(*sizes)))),
            place=draw(st.integers(1, count)),
        )
        for team in range(count)
    )
    return Result(teams, duration=duration)


def trueskill_skills():
    """Mostly ordinary, sometimes very far apart, very certain or not at all."""
    ordinary = st.builds(GaussianSkill, st.floats(0, 50), st.floats(0.5, 9))
    return st.one_of(ordinary, st.builds(GaussianSkill, st.floats(-1000, 1000), st.floats(1e-6, 1e3)))


def weng_lin_skills():
    return st.builds(GaussianSkill, st.floats(-20, 70), st.floats(0.1, 20))


def two_layer_skills():
    return st.builds(TwoLayerSkill, st.floats(-50, 100), st.floats(2, 25 / 3), st.integers(0, 6000))


def battle_points_ratings():
    return st.builds(BattlePointsSkill, st.one_of(st.integers(700, 2600), st.integers(0, 10**9)))


def glicko_skills():
    return st.builds(Glicko2Skill, st.floats(-1e5, 1e5), st.floats(1, 350), st.floats(0.001, 0.3))


def margin_skills():
    return st.builds(MarginSkill, st.floats(-5, 5), st.floats(0.02, 0.6), st.integers(0, 400))


# What each system's matches may be: skills, most teams, sizes of teams.
MATCHES_OF = {
    "team-ratio": (st.builds(TeamRatioSkill, team_ratio_ranks()), 2, (1, 5)),
    "two-layer": (two_layer_skills(), 2, (1, 5)),
    "elo": (st.builds(EloSkill, elo_ratings()), 4, (1, 5)),
    "trueskill": (trueskill_skills(), 4, (1, 5)),
    "battle-points": (battle_points_ratings(), 2, (1, 1)),
    "glicko-2": (glicko_skills(), 2, (1, 1)),
    "weng-lin": (weng_lin_skills(), 4, (1, 5)),
    "margin": (margin_skills(), 4, (1, 5)),
}


def matches_of(key, *, most_teams=None, leavers=True):
    """Random matches that a system rates; `most_teams` at most."""
    skills, most, sizes = MATCHES_OF[key]
    return matches(skills, most_teams=min(most, most_teams or most), sizes=sizes, leavers=leavers)
