"""Random results, as Hypothesis draws them."""

import datetime as dt

from hypothesis import strategies as st

from ranking.rules.report import PlayerReport
from tests.support.factories import NOW, make_report

moments = st.integers(-5000, 0).map(lambda minutes: NOW + dt.timedelta(minutes=minutes))


@st.composite
def results(draw, largest=3):
    """A result of two teams of one to three out of eight players, some leaving, of 600 seconds."""
    sizes = draw(st.tuples(st.integers(1, largest), st.integers(1, largest)))
    players = draw(st.permutations([f"p{number}" for number in range(8)]))[: sum(sizes)]
    said = [
        PlayerReport(id=player, seconds=draw(st.integers(0, 600)) * 1.0, left_early=draw(st.booleans()))
        if draw(st.integers(0, 4)) == 0
        else PlayerReport(id=player)
        for player in players
    ]
    places = draw(st.sampled_from([(1, 2), (2, 1), (1, 1)]))
    return make_report(
        said[: sizes[0]], said[sizes[0] :], places=places, duration=600.0, ended_at=draw(moments),
        id=f"m{draw(st.integers(0, 30))}",
    )  # fmt: skip
