"""Histories for the detectors without a database: results rated by a system, and what that made of everybody."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ranking.abuse.detection.columns import Columns, columns_of
from ranking.rules.report import Report
from ranking.systems.base import Entrant, Result, Team
from ranking.systems.registry import get_system


def live(reports: Iterable[Report], system: str = "elo") -> tuple[Columns, dict[str, int]]:
    """Columns of these results in the order given, and each player's number in them."""
    rules: Any = get_system(system, {})
    numbers: dict[str, int] = {}
    devices: dict[str, int] = {"": -1}
    skills: dict[str, Any] = {}
    rows: dict[str, list[Any]] = {name: [] for name in Columns.__slots__}
    for sequence, report in enumerate(reports, 1):
        teams = tuple(
            Team(
                tuple(
                    Entrant(p.id, skills.get(p.id, rules.newcomer()), seconds=p.seconds, left_early=p.left_early)
                    for p in said.players
                ),
                said.place,
                said.score,
            )
            for said in report.teams
        )
        chances = rules.win_probability([team.players for team in teams])
        after = rules.rate(Result(teams, report.duration, report.rounds))
        order = [-said.place if said.score is None else said.score for said in report.teams]
        for index, said in enumerate(report.teams):
            won = 0.0 if order[index] < max(order) else 1.0 if order.count(max(order)) == 1 else 0.5
            for slot, player in enumerate(said.players):
                old, new = teams[index].players[slot].skill, after[index][slot]
                skills[player.id] = new
                own = said.score if len(said.players) == 1 else player.stats.get("score")
                values = {
                    "sequence": sequence, "match": sequence, "ended_at": report.ended_at.timestamp(),
                    "duration": report.duration, "player": numbers.setdefault(player.id, len(numbers) + 1),
                    "team": index, "won": 0.0 if player.left_early else won, "left": player.left_early,
                    "seconds": player.seconds, "chance": chances and chances[index],
                    "before": rules.to_state(old).display_hundredths, "after": rules.to_state(new).display_hundredths,
                    "score": said.score, "own": own, "device": devices.setdefault(player.device, len(devices)),
                }  # fmt: skip
                for name, value in values.items():
                    rows[name].append(float("nan") if value is None else value)
    return columns_of(rows), numbers
