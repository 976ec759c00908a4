"""Short histories of duels, told in lines, among honest ones that say what is usual."""

import datetime as dt
import random

from ranking.abuse.detection.columns import Columns
from ranking.abuse.detection.registry import find_cases, history_of
from ranking.abuse.detection.thresholds import Thresholds
from ranking.rules.report import PlayerReport, Report, TeamReport
from ranking.rules.unreported import UnreportedMatch
from tests.support.abuse_histories import live

BEGIN = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
MINUTE = dt.timedelta(minutes=1)


def duel(one, other, points=(7, 4), *, day=20.0, seconds=300, left=None, devices=("", "")):
    """A match; `left`: who left, and when of it."""
    ended = BEGIN + dt.timedelta(days=day)
    teams = []
    for who, score, device in zip((one, other), points, devices, strict=True):
        gone = left is not None and left[0] == who
        stayed = float(seconds * left[1] if gone else seconds)
        said = PlayerReport(id=who, seconds=stayed, left_early=gone, device=device)
        teams.append(TeamReport(players=(said,), score=float(score)))
    return Report(id="x", mode="duel", ended_at=ended, teams=tuple(teams), duration=float(seconds))


def crowd(count=400, people=40, seed=1):
    """Honest duels, of all days."""
    rng = random.Random(seed)
    found = []
    for number in range(count):
        one, other = rng.sample(range(people), 2)
        points = [7, rng.choice((0, 2, 3, 4, 5, 5, 6, 6))]
        rng.shuffle(points)
        found.append(duel(f"p{one}", f"p{other}", points, day=40 * number / count, seconds=rng.randint(200, 400)))
    return found


def tell(story):
    """A story among the crowd, in the order of time: columns, and who is who."""
    return live(sorted([*crowd(), *story], key=lambda report: report.ended_at))


def unreported(player, day):
    """A match that was never reported, in which this player (a number) was behind."""
    return UnreportedMatch(player, "a lobby", "eu1", 2.0, 7.0, BEGIN + dt.timedelta(days=day))


def cases(columns: Columns, numbers, kind, unreported=(), **thresholds):
    """Who was found of a kind, strongest first, with the score."""
    names = {number: name for name, number in numbers.items()}
    found = find_cases(history_of(columns, Thresholds(**thresholds), unreported=unreported), kind)
    return [(tuple(names[player] for player in case.players), case) for case in found]


def minutes(count, since=20.0, apart=8):
    """Days of matches so many minutes apart."""
    return [since + number * apart / 1440 for number in range(count)]


FED = """
-2:7 7:0 0:7 7:-1 0:7 7:-1 0:7 7:0 -1:7 7:0 0:7 7:0 0:7 7:0 0:7 7:0 0:7 7:0 0:7 7:0 0:7 7:0 0:7 7:-1 7:0
7:0 7:-1 7:1 7:0 7:0 7:0 7:0 7:0 7:0 7:0 7:-1 7:0 7:0 7:0 7:0 7:1 7:2 7:0 7:0 7:2 7:1 7:0 7:1 7:4
"""  # the results of a pair that met 49 times within 128 minutes: first by turns, then one of the two won 26 times


def fed(one, other, since=20.0):
    """Duels of a pair with the results of the real pair, and a fiftieth ten hours later."""
    points = [tuple(int(score) for score in result.split(":")) for result in FED.split()]
    days = [*minutes(len(points), since, apart=128 / 48), since + 0.5]
    return [duel(one, other, score, day=day) for score, day in zip([*points, (7, 0)], days, strict=True)]
