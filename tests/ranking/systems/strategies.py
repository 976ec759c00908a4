"""Random matches, in the domain's words."""

from hypothesis import strategies as st

from ranking.systems.base import Entrant, Result, Team


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

    def entrant(name):
        left = leavers and draw(st.booleans())
        return Entrant(name, draw(skills), seconds=draw(seconds), left_early=left)

    teams = tuple(
        Team(
            players=tuple(entrant(f"{team}-{index}") for index in range(draw(st.integers(*sizes)))),
            place=draw(st.integers(1, count)),
        )
        for team in range(count)
    )
    return Result(teams, duration=duration)
