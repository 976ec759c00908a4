"""Two seeded seasons of a small community, for looking at: who they are, and the results of their matches.

Everybody has a true skill, some leave, some stop playing, some have just come, and some queue as a pair
from their first match on, so that their ratings are tied. Each day has its hours for each mode; who comes then is
simulated: they queue, the matcher makes their matches, ratings move as they will once the results are recorded, and
whoever left a match stays away, in every mode, until the lockout is over.
"""

import datetime as dt
import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from matchmaking.simulation import people as simulated
from matchmaking.simulation.arrivals import Visit
from matchmaking.simulation.evening import Evening
from matchmaking.simulation.ladder import RatingLadder
from matchmaking.simulation.people import Community, group_of
from matchmaking.simulation.play import (
    LateJoiner,
    ScoreDraw,
    SimulatedMatch,
    Teams,
    draw_nobody,
    draw_scores,
    draw_scores_to,
)
from matchmaking.simulation.scenarios import Scenario, Strategy
from ranking.rules.conduct import Lapse, find_lockout
from ranking.rules.report import PlayerReport, Report, TeamReport
from ranking.systems.base import ResetRule
from ranking.systems.registry import get_system

DAYS = 45
FIRST_SEASON = 39  # days; the second season runs after the last day, too
SECOND_SEASON = 18
RESET, PLACEMENT_AFTER_RESET = ResetRule(), 3  # what modes do unless told otherwise
_FIRST = (
    "Kestrel Borealis Umbra Mistral Onyx Petrel Quill Rook Sable Talon Vesper Wren Zephyr Aster Briar Cinder Drift"
    " Ember Flint Gale Hollow Iris Juno Karst Lumen Moss Nettle Orchid Pike Quartz Raven Slate Thorn Ursa Vale Willow"
    " Yarrow Zinc Alder Basalt Comet Dune Echo Fable Glint Heron Ivory Jasper Kelp Lynx"
).split()
_SECOND = "Fox Owl Grid Nine Byte Jack Moth Volt Dash Hex".split()
PAIRED = (20, 21, 60, 61)
REGIONS = ("eu-west", "us-east", "ap-east")


@dataclass(frozen=True, slots=True)
class Person:
    """`skill` is N(0, 1); they play on days `first` to `last`, each day with `zeal`."""

    id: str
    name: str
    skill: float
    zeal: float
    first: int
    last: int
    leaves: float
    region: str
    pair: str = ""


@dataclass(frozen=True, slots=True)
class Play:
    """How a mode is played: of how many teams of how many players, rated and matched how; on each day some people
    come `before` the day's end for so many `minutes`. `length` of a match in minutes; `draw` draws its scores."""

    mode: str
    system: str
    placement: int
    strategy: Strategy
    teams: int
    size: int
    come: int
    before: float
    minutes: float
    length: float
    variants: tuple[str, ...]
    draw: ScoreDraw = draw_scores
    seasons: bool = True  # the first season ends, and a second one runs


# Hours that don't overlap, matches that are going on at their end included: nobody is in two matches at once.
PLAYS = (
    Play(
        "control-6v6", "team-ratio", 10, "fifo", 2, 6, 27, 102, 100, 13, ("Foundry", "Harbour", "Skybridge", "Canyon")
    ),
    Play("duel", "margin", 5, "skill", 2, 1, 12, 330, 24, 6, ("Aerie", "Cellar", "Prism"), partial(draw_scores_to, 15)),
    Play("free-for-all", "elo", 5, "fifo", 8, 1, 19, 250, 36, 8.5, ("Atrium", "Orbit")),
    Play("casual", "team-ratio", 10, "fifo", 2, 4, 10, 180, 30, 10, ("Foundry", "Snowball"), seasons=False),
)
MODES = (*(play.mode for play in PLAYS), "sprint")
LUCK, TICK, PAUSE = 0.9, 30.0, 60.0
LATE, STANDS_IN = 1 / 6, 1 / 2  # of the matches of teams have a late joiner; for some of them somebody stands in
RACE, RACE_BEFORE, RACES = MODES[-1], 400, 0.8  # the mode's slug; minutes before the day's end; on most days
FEWEST_RACERS, MOST_RACERS, RACERS = 3, 12, 40  # of a race; so many people race at all
PAIRS_UNTIL, PAIRS_COME = 20, 0.4  # the last day of the pairs, and how often they come until then


def population(rng: random.Random) -> list[Person]:
    """Two hundred people, the player of the demo login (`demo-player`) first."""
    names = [*_FIRST, *(first + second for first, second in itertools.product(_FIRST, _SECOND))]
    others = rng.sample(names[len(_FIRST) :], 149)
    people = [Person("demo-player", "GridFox", 0.9, 1.0, 0, DAYS, 0.0, "eu-west")]
    for number, name in enumerate([*_FIRST, *others], 1):
        quit_early, came_late = rng.random() < 0.12, rng.random() < 0.14
        pair = f"pair-{number // 2}" if number in PAIRED else ""
        people.append(
            Person(
                id=f"player-{number:03}",
                name=name,
                skill=rng.gauss(0, 1),
                zeal=rng.choice((0.15, 0.4, 0.4, 0.8)),
                first=DAYS - rng.randint(1, 3) if came_late and not pair else rng.randint(0, 8),
                last=rng.randint(8, 12) if quit_early and not pair else DAYS,
                leaves=0.0 if pair else rng.choice((0.0, 0.0, 0.01, 0.03)) if number % 40 else 0.3,
                region=rng.choice(REGIONS),
                pair=pair,
            )
        )
    return people


def season_ends(begin: dt.datetime) -> tuple[dt.datetime, dt.datetime]:
    """The ends of both seasons, long after a day's last match and before the next day's first."""
    first = begin + dt.timedelta(days=FIRST_SEASON, hours=6)
    return first, first + dt.timedelta(days=SECOND_SEASON)


def seasons(people: Sequence[Person], rng: random.Random, now: dt.datetime) -> list[Report]:
    """Results of the last DAYS days, in the order in which they ended, the last minutes before `now`."""
    reports = [*results(people, new_ladders(people), rng, now), *_oddities(people, now)]
    return sorted(reports, key=lambda report: report.ended_at)


def new_ladders(people: Sequence[Person]) -> dict[str, RatingLadder]:
    """Each mode's ladder, by the mode's slug."""
    return {play.mode: RatingLadder(get_system(play.system), len(people), play.placement) for play in PLAYS}


def results(
    people: Sequence[Person], ladders: Mapping[str, RatingLadder], rng: random.Random, now: dt.datetime
) -> Iterator[Report]:
    """The matches day by day, and on each day mode by mode; `ladders` have what they came to."""
    players = [_player(person, rng) for person in people]
    counts = {play.mode: itertools.count() for play in PLAYS}
    lapses: dict[int, list[Lapse]] = {}
    plays = sorted(PLAYS, key=lambda play: -play.before)
    first = plays[0]
    for day, play in itertools.product(range(DAYS), plays):
        if day == FIRST_SEASON and play.seasons:
            ladders[play.mode].begin_season(RESET, PLACEMENT_AFTER_RESET)
        if play is first:
            yield from _races(people, day, now, lapses)
        come = _come(play, people, rng, day)
        groups = [group_of([players[number] for number in group], group) for group in come]
        begin = now - dt.timedelta(days=DAYS - 1 - day, minutes=play.before)
        away = _away(people, come, day, begin, lapses)
        for match in _played(play, Community(players, groups), ladders[play.mode], rng, begin, lapses, away):
            yield _result(play, next(counts[play.mode]), match, people, rng, begin)


def _player(person: Person, rng: random.Random) -> simulated.SimulatedPerson:
    """Everybody can play everywhere, best at home: they are too few to keep regions apart."""
    pings = {
        region: float(round(rng.uniform(15, 60) if region == person.region else rng.uniform(85, 115)))
        for region in REGIONS
    }
    return simulated.SimulatedPerson(person.id, person.skill, person.leaves, False, pings)


def _come(play: Play, people: Sequence[Person], rng: random.Random, day: int) -> list[tuple[int, ...]]:
    """Who comes that day, by number; pairs together, and the demo's player on the last."""
    there = [
        number
        for number, person in enumerate(people)
        if person.first <= day <= person.last and not person.pair and rng.random() < person.zeal
    ]
    come = rng.sample(there, min(len(there), play.come + rng.randint(-2, 2)))
    if day == DAYS - 1 and 0 not in come:
        come[0] = 0
    groups: list[tuple[int, ...]] = [(number,) for number in sorted(come)]
    if play.size > 2 and day <= PAIRS_UNTIL:
        for name in sorted({person.pair for person in people if person.pair}):
            pair = tuple(number for number, person in enumerate(people) if person.pair == name)
            if rng.random() < PAIRS_COME and all(people[number].first <= day for number in pair):
                groups.append(pair)
    return groups


def _away(
    people: Sequence[Person],
    come: Sequence[tuple[int, ...]],
    day: int,
    begin: dt.datetime,
    lapses: Mapping[int, Sequence[Lapse]],
) -> list[int]:
    """Who may stand in for somebody that evening: they haven't come, and aren't locked out."""
    there = {number for group in come for number in group}
    return [
        number
        for number, person in enumerate(people)
        if number not in there and person.first <= day <= person.last and not person.pair
        and number and not find_lockout(lapses.get(number, ()), begin)
    ]  # fmt: skip


def _played(
    play: Play,
    community: Community,
    ladder: RatingLadder,
    rng: random.Random,
    begin: dt.datetime,
    lapses: dict[int, list[Lapse]],
    away: list[int],
) -> list[SimulatedMatch]:
    """What was played to its end within the mode's hours."""
    online = sum(len(group.members) for group in community.groups)
    if online < play.teams * play.size:
        return []
    scenario = Scenario(
        strategy=play.strategy, system=play.system, online=online, population=len(community.people),
        hours=play.minutes / 60, team_size=play.size, team_count=play.teams, match_minutes=play.length,
        pause_seconds=PAUSE, luck=LUCK, tick=TICK,
    )  # fmt: skip
    visits = [Visit(rng.uniform(0, 180), scenario.seconds, index) for index in range(len(community.groups))]
    evening = Evening(
        scenario, community, visits, ladder, rng, begin=begin, lapses=lapses, draw=play.draw, variants=play.variants,
        draw_late=partial(_late_joiner, away) if play.size > 1 else draw_nobody,
    )  # fmt: skip
    for _ in evening.run():
        pass
    return evening.matches


def _late_joiner(
    away: list[int], teams: Teams, left: Mapping[int, float], seconds: float, number: int
) -> dict[int, LateJoiner]:
    """In one match of six, somebody comes late, and somebody of those who are `away` may stand in for them until then.

    By a chance of its own, so that the evening goes on as it would.
    """
    chance = random.Random(f"late {number} {seconds}")  # noqa: S311 - of a demo
    there = [player for team in teams for player in team if player not in left]
    if not there or chance.random() > LATE:
        return {}
    substitute = away.pop() if away and chance.random() < STANDS_IN else None
    return {chance.choice(there): LateJoiner(float(round(seconds * chance.uniform(0.1, 0.8))), substitute)}


def _races(people: Sequence[Person], day: int, now: dt.datetime, lapses: Mapping[int, Sequence[Lapse]]) -> list[Report]:
    """A day's race of three to twelve, by time; every third one has some who don't finish, and so is told by places."""
    chance = random.Random(f"race {day}")  # noqa: S311 - of a demo
    ended_at = now - dt.timedelta(days=DAYS - 1 - day, minutes=RACE_BEFORE)
    there = [
        person
        for number, person in enumerate(people[:RACERS])
        if person.first <= day <= person.last and not person.pair and not find_lockout(lapses.get(number, ()), ended_at)
    ]
    if len(there) < FEWEST_RACERS or chance.random() > RACES:
        return []
    racers = chance.sample(there, min(len(there), chance.randint(FEWEST_RACERS, MOST_RACERS)))
    times = sorted((round(82 - 1.5 * person.skill + chance.gauss(0, 1.5), 3), person.id, person) for person in racers)
    finished = len(times) - (day % 3 == 0) * chance.randint(1, 2)
    teams = [
        TeamReport(
            (PlayerReport(person.id, person.name),),
            **({"score": time} if finished == len(times) else {"place": min(place, finished + 1)}),
        )
        for place, (time, _, person) in enumerate(times, 1)
    ]
    started_at = ended_at - dt.timedelta(seconds=times[-1][0])
    chance.shuffle(teams)
    return [Report(f"{RACE}-{day:02}", RACE, ended_at, tuple(teams), started_at, variant="Harbour Loop")]


def _oddities(people: Sequence[Person], now: dt.datetime) -> list[Report]:
    """Two matches of the last day, while nobody else plays: one that was called off, one in which a bot fills up."""
    steady = [person for person in people if person.last == DAYS and not person.leaves and not person.pair]
    parts = [PlayerReport(person.id, person.name) for person in steady[:11]]
    began, lasted = now - dt.timedelta(minutes=RACE_BEFORE - 5), 780.0
    flooded = tuple(TeamReport((part,)) for part in parts[:FEWEST_RACERS])
    filled = (*parts[6:], PlayerReport("filler", "Filler", bot=True))
    after = began + dt.timedelta(minutes=3)
    return [
        Report(
            f"{RACE}-flooded", RACE, began + dt.timedelta(seconds=40), flooded, began, variant="Harbour Loop",
            no_contest="The tide flooded the lap.",
        ),
        Report(
            "control-6v6-filled", "control-6v6", after + dt.timedelta(seconds=lasted),
            (TeamReport(tuple(parts[:6]), "Blue", 3.0), TeamReport(filled, "Amber", 2.0)), after, lasted,
            variant="Foundry", region=REGIONS[0],
        ),
    ]  # fmt: skip


def _result(
    play: Play, number: int, match: SimulatedMatch, people: Sequence[Person], rng: random.Random, begin: dt.datetime
) -> Report:
    sides = [[people[player] for player in team] for team in match.rosters]
    left = {people[player].id: seconds for player, seconds in match.left.items()}
    gone = left | {people[player].id: seconds for player, seconds in match.replaced.items()}
    late = {people[player].id: came.at for player, came in match.late.items()}
    return Report(
        id=f"{play.mode}-{number:04}",
        mode=play.mode,
        started_at=begin + dt.timedelta(seconds=match.began_at),
        ended_at=begin + dt.timedelta(seconds=match.ended_at),
        duration=match.seconds,
        variant=match.variant,
        server=f"{match.region}-{rng.randint(1, 3)}",
        region=match.region,
        teams=tuple(
            TeamReport(
                name=("Blue", "Amber")[index] if play.size > 1 else "",
                score=score,
                players=tuple(_part(person, left, gone, late, match.seconds, rng, score) for person in side),
            )
            for index, (side, score) in enumerate(zip(sides, match.scores, strict=True))
        ),
    )


def _part(
    person: Person,
    left: Mapping[str, float],
    gone: Mapping[str, float],
    late: Mapping[str, float],
    duration: float,
    rng: random.Random,
    score: float,
) -> PlayerReport:
    return PlayerReport(
        id=person.id,
        name=person.name,
        seconds=gone.get(person.id, duration - late.get(person.id, 0.0)),
        joined_at=late.get(person.id),
        left_early=person.id in left,
        party=person.pair,
        stats={
            "score": float(max(0, round(3 * score + 8 * person.skill + rng.gauss(0, 8)))),
            "kills": float(max(0, round(8 + 3 * person.skill + rng.gauss(0, 3)))),
            "deaths": float(max(0, round(8 - 2 * person.skill + rng.gauss(0, 3)))),
        },
    )
