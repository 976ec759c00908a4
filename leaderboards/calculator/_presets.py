"""The example matches that the calculator's page offers."""

from __future__ import annotations

from collections.abc import Sequence

from leaderboards.calculator._sheet import PlayerEntry, Sheet, TeamEntry
from ranking.wording.translation import gettext_noop


def _team(ratings: Sequence[str], names: Sequence[str], place: int) -> TeamEntry:
    rows = [PlayerEntry(name=name, skill={"rating": rating}) for rating, name in zip(ratings, names, strict=True)]
    return TeamEntry(tuple(rows), place=str(place))


_BLUE = ("Kestrel", "Umbra", "Corvid", "Mistral", "Onyx")
_AMBER = ("Marten", "Petrel", "Quill", "Rook", "Sable", "Wren")

# The worked example of "Ranking in Team-Based Competitive Games": the winners' 21.84 becomes 23.00.
QUITTER = Sheet(
    "team-ratio",
    (
        TeamEntry(
            (
                *_team(("21.84", "19.71", "19.94", "20.87", "18.43"), _BLUE, 1).rows,
                PlayerEntry("Borealis", {"rating": "24.05"}, seconds="609", left=True),
            ),
            place="1",
        ),
        _team(("22.87", "17.04", "23.39", "21.40", "20.11", "22.37"), _AMBER, 2),
    ),
    duration="801",
)
UPSET = Sheet(
    "glicko-2",
    (
        TeamEntry((PlayerEntry("Wren", {"rating": "1400", "deviation": "80"}),), place="1"),
        TeamEntry((PlayerEntry("Kestrel", {"rating": "1800", "deviation": "50"}),), place="2"),
    ),
)
ALL = Sheet(
    "elo",
    tuple(
        _team((rating,), (name,), place)
        for place, (name, rating) in enumerate(
            zip((*_BLUE, *_AMBER[:3]), ("27.5", "31.2", "24.8", "22.0", "29.4", "25.0", "19.6", "23.3"), strict=True), 1
        )
    ),
)
NEWCOMERS = Sheet(
    "trueskill",
    (
        TeamEntry((PlayerEntry("Kestrel"), PlayerEntry("Umbra")), place="1"),
        TeamEntry((PlayerEntry("Marten"), PlayerEntry("Petrel")), place="2"),
    ),
)

PRESETS = {
    "quitter": (gettext_noop("Six against six, with a quitter"), QUITTER),
    "upset": (gettext_noop("An upset, one on one"), UPSET),
    "free-for-all": (gettext_noop("Free-for-all of eight"), ALL),
    "newcomers": (gettext_noop("Newcomers in TrueSkill"), NEWCOMERS),
}
