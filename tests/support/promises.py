"""What every rating system promises of a rated match, checked."""

import math


def pairs(result, rated):
    """Each player with their new skill."""
    for team, skills in zip(result.teams, rated, strict=True):
        yield from zip(team.players, skills, strict=True)


def numbers(system, skill):
    return [float(value) for value in system.write_skill(skill).values()]


def check(system, result):
    """Nobody gains by leaving; every number is finite and fits the database."""
    result = system.attended(result)  # who left without abandoning anything has stayed
    for player, skill in pairs(result, system.rate(result)):
        assert all(map(math.isfinite, numbers(system, skill)))
        assert abs(system.to_state(skill).display_hundredths) < 2**63
        if player.left_early:
            assert system.display(skill) <= system.display(player.skill)
