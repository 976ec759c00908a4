"""The chances of players whose ratings a library keeps: by its source, and by a system of this site."""

from math import erf, exp, pi, sqrt

from ranking.systems.base import Entrant
from ranking.systems.libraries import GAUSSIAN, GLICKO, LOGISTIC

OWN = {GAUSSIAN: ["trueskill", "weng-lin"], GLICKO: ["glicko-2"], LOGISTIC: ["elo"]}  # systems that need no conversion


def normal(x):
    return (1 + erf(x / sqrt(2))) / 2


def chance_there(kind, first, second):
    """By the source of each: Phi with beta 25/6, Glickman's g, and odds of ten for 400 points."""
    lead = first[0] - second[0]
    if kind == GAUSSIAN:
        return normal(lead / sqrt(2 * (25 / 6) ** 2 + first[1] ** 2 + second[1] ** 2))
    if kind == GLICKO:
        phi2 = (first[1] ** 2 + second[1] ** 2) / 173.7178**2
        return 1 / (1 + exp(-lead / 173.7178 / sqrt(1 + 3 * phi2 / pi**2)))
    return 1 / (1 + 10 ** (-lead / 400))


def chance_here(system, first, second):
    return system.win_probability([[Entrant("a", first)], [Entrant("b", second)]])[0]
