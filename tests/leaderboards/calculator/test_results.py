"""What the sheet makes of part-time players: the same as the calculator of the API."""

import pytest

from leaderboards.calculator._results import calculate
from leaderboards.calculator._sheet import PlayerEntry, Sheet, TeamEntry
from ranking.systems.calculation import rate_line

TEAMS = (
    TeamEntry((PlayerEntry("a", {"rating": "20.00"}), PlayerEntry("b", {"rating": "30.00"}, seconds="150")), "2"),
    TeamEntry((PlayerEntry("x", {"rating": "20.00"}),), "1"),
)


@pytest.fixture
def calculation():
    return calculate(Sheet("team-ratio", duration="600", teams=TEAMS))


def test_the_sheet_counts_a_part_time_player_by_their_share(calculation):
    line = {
        "system": "team-ratio",
        "duration": 600,
        "teams": [
            {
                "place": int(team.place),
                "players": [
                    {"id": row.name, "skill": row.skill, "seconds": int(row.seconds) if row.seconds else None}
                    for row in team.rows
                ],
            }
            for team in TEAMS
        ],
    }
    answer = rate_line(line)
    displays = [player["display"] for team in answer["teams"] for player in team["players"]]
    assert [outcome.after for outcome in calculation.outcomes.values()] == displays
    assert calculation.chances == tuple(round(100 * team["win_probability"]) for team in answer["teams"])
    notes = [reason.note for reason in calculation.outcomes[0, 1].why.reasons]
    assert len([note for note in notes if "150 of 600 seconds" in note]) == 1


def test_every_other_system_counts_them_so(calculation):
    """Two players of equal skill against one, one of them for a quarter: the chance of 1.25 players, not of two."""
    changes = {change.key: change for change in calculation.comparisons}
    assert changes["team-ratio"].chance == calculation.chances[0] == 58
    together = calculate(Sheet("team-ratio", duration="600", teams=(TeamEntry(with_all_seconds(), "2"), TEAMS[1])))
    more = {change.key: change.chance for change in together.comparisons}
    assert all(changes[key].chance < more[key] for key in ("elo", "trueskill", "weng-lin", "two-layer", "margin"))


def with_all_seconds():
    return tuple(PlayerEntry(row.name, row.skill) for row in TEAMS[0].rows)
