"""Simulated histories for fits, as columns: players of known skill, whose matches end as a rating system foresees."""

import datetime as dt
import json
from math import erfc, pi, sqrt

import numpy as np

from ranking.models import Event, Match, Participation, Player
from ranking.systems.base import Entrant, Result, Team
from ranking.systems.batch.history import history_from
from ranking.trials.core.fit_history import FitHistory
from tests.support.factories import NOW, make_source


def run(steps):
    """Exhaust a generator; returns what it returns."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            return stop.value


def columns_of(rosters, first_won, *, scores=None, **columns):
    """The history of matches by rosters (matches × 2 × size); `first_won`: 1, 0, or ½ for a tie. A day apart."""
    matches, teams, size = rosters.shape
    place = np.stack([np.where(first_won >= 0.5, 1, 2), np.where(first_won <= 0.5, 1, 2)], axis=1)
    history = history_from(
        match=np.repeat(np.arange(matches), teams * size),
        team=np.tile(np.repeat(np.arange(teams), size), matches),
        player=rosters.reshape(-1),
        place=place.reshape(-1),
        score=None if scores is None else scores.reshape(-1),
        **columns,
    )
    return FitHistory(history, int(rosters.max()) + 1, 86_400.0 * np.arange(matches))


def free_for_alls(sides, rng, matches, players, *, spread=1.0, noise=1.0):
    """Matches of so many players each, whose places are the order of their skills with noise, which are Gaussian."""
    skills = rng.normal(0, spread, players)
    player = np.array([rng.choice(players, sides, replace=False) for _ in range(matches)])
    shown = skills[player] + rng.normal(0, noise, player.shape)
    place = np.argsort(np.argsort(-shown, axis=1), axis=1) + 1
    history = history_from(
        match=np.repeat(np.arange(matches), sides),
        team=np.tile(np.arange(sides), matches),
        player=player.reshape(-1),
        place=place.reshape(-1),
    )
    return FitHistory(history, players, 86_400.0 * np.arange(matches))


def random_rosters(rng, matches, players, size):
    return np.array([rng.choice(players, 2 * size, replace=False) for _ in range(matches)]).reshape(matches, 2, size)


def played_by(skills, noise, rng, matches, *, size=1, draw_margin=0.0, drift=0.0):
    """Matches that are won by the sum of skills with noise: Gaussian skill, as TrueSkill and its kin suppose."""
    rosters = random_rosters(rng, matches, len(skills), size)
    won = np.empty(matches)
    own = np.array(skills, np.float64)
    for number, (first, second) in enumerate(rosters):
        lead = own[first].sum() - own[second].sum() + rng.normal(0, noise * np.sqrt(2 * size))
        won[number] = 0.5 if abs(lead) < draw_margin else float(lead > 0)
        own[np.concatenate([first, second])] += rng.normal(0, drift, 2 * size)
    return columns_of(rosters, won)


def played_by_elo(alpha, rng, matches, players, *, start=25.0, beta=25 / 6):
    """Duels whose winners are drawn from Elo's own chances with this alpha, which rates them as they come."""
    rosters = random_rosters(rng, matches, players, 1)
    rating, k = np.full(players, start), alpha * beta * sqrt(pi)
    won = np.empty(matches)
    for number, ((first,), (second,)) in enumerate(rosters):
        chance = 0.5 * erfc(-(rating[first] - rating[second]) / beta / 2)
        won[number] = float(rng.random() < chance)
        rating[first] += k * (won[number] - chance)
        rating[second] -= k * (won[number] - chance)
    return columns_of(rosters, won)


def played_by_system(system, rng, matches, players):
    """Duels whose winners are drawn from a system's own chances; it rates them as they come and learns from them."""
    rosters = random_rosters(rng, matches, players, 1)
    skills, idle = [system.newcomer()] * players, _idle_days(rosters)
    won = np.empty(matches)
    for number, ((first,), (second,)) in enumerate(rosters.tolist()):
        pair = [
            Entrant(str(player), skills[player], idle_days=days)
            for player, days in zip((first, second), idle[2 * number : 2 * number + 2].tolist(), strict=True)
        ]
        chance = system.win_probability([[one] for one in pair])[0]
        won[number] = float(rng.random() < chance)
        places = (1, 2) if won[number] else (2, 1)
        result = Result(tuple(Team((one,), place) for one, place in zip(pair, places, strict=True)))
        (skills[first],), (skills[second],) = system.rate(result)
        system = system.after(result)
    return columns_of(rosters, won, idle_days=idle)


def _idle_days(rosters):
    """Days since each player's last match, a match a day; 0 before the first."""
    last, idle = {}, []
    for number, match in enumerate(rosters.reshape(len(rosters), -1).tolist()):
        idle += [float(number - last.get(player, number)) for player in match]
        last |= dict.fromkeys(match, number)
    return np.array(idle)


def play_duels(mode, history, *, start=NOW):
    """Write the duels of a history as a mode's matches, without ratings: quickly, and as they were recorded."""
    source, season = make_source(), mode.seasons.get()
    players = Player.objects.bulk_create(
        Player(key=f"p{number}", name=f"p{number}", search_name=f"p{number}", created_at=start)
        for number in range(history.players)
    )
    times = [start + dt.timedelta(seconds=seconds) for seconds in history.ended_at]
    events = [Event(mode=mode, kind=Event.MATCH, happened_at=time) for time in times]
    Event.objects.bulk_create(events)
    places = history.history.place.reshape(-1, 2).tolist()
    rows = [
        Match(
            source=source, external_id=f"m{number}", digest="", mode=mode, event=event, season=season, ended_at=time,
            teams=[{"name": "", "score": None, "place": place} for place in own], received_at=time,
        )
        for number, (event, time, own) in enumerate(zip(events, times, places, strict=True))
    ]  # fmt: skip
    Match.objects.bulk_create(rows)
    rosters = history.history.player.reshape(-1, 2).tolist()
    Participation.objects.bulk_create(
        Participation(match=row, player=players[number], team=team, slot=0)
        for row, own in zip(rows, rosters, strict=True)
        for team, number in enumerate(own)
    )


def duel_lines(history, *, mode="duel"):
    """The same as lines of JSON."""
    for number, (first, second) in enumerate(history.history.player.reshape(-1, 2).tolist()):
        ended_at = (NOW + dt.timedelta(seconds=history.ended_at[number])).isoformat()
        places = history.history.place[2 * number : 2 * number + 2].tolist()
        teams = [
            {"place": place, "players": [{"id": f"p{player}"}]}
            for place, player in zip(places, (first, second), strict=True)
        ]
        yield json.dumps({"id": f"m{number}", "mode": mode, "ended_at": ended_at, "teams": teams})
