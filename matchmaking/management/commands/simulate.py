"""`manage.py simulate`: plays an evening of a community through the real matcher and rating system."""

import json
import signal
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from itertools import product
from pathlib import Path
from threading import Event
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from matchmaking.planning.planner import Nonsense
from matchmaking.simulation.charts import MOST, picture
from matchmaking.simulation.reports import SimulationReport
from matchmaking.simulation.run import prepare
from matchmaking.simulation.scenarios import LIMITS, STRATEGIES, Scenario
from matchmaking.simulation.tables import table
from ranking.operations.progress import progress_bar

EPILOG = """\
Several strategies or systems play the same evening with the same people, side by side. The same options give the same
figures. Ctrl-C stops, and reports what has been simulated so far. docs/simulation.md says what the figures mean.

exit status: 0 all was simulated; 1 it was stopped before its end; 2 wrong usage
"""
HELP = {
    "online": "players online at a time",
    "population": "of whom these come and go; default twice as many",
    "hours": "to simulate",
    "from_hour": "from which waits and quality count, once ratings have settled",
    "team_size": "players of a team",
    "team_count": "teams of a match",
    "fewest_teams": "of a match that doesn't fill up; default as many as that",
    "fill_after": "seconds waited after which such a match may begin",
    "match_minutes": "mean length of a match",
    "pause_seconds": "mean pause before queueing again",
    "visit_minutes": "mean length of a visit",
    "width": "of everybody's rank filter, in percentiles either way",
    "strict": "share of filters that never widen",
    "widen_every": "seconds after which loose filters widen",
    "in_parties": "share of players who come in parties of two to four",
    "regions": "servers' regions; a third of the players can play in a second one",
    "leaves": "mean chance of a player to leave a match",
    "misses": "chance of a player to miss an accept",
    "accept_seconds": "seconds to accept a match",
    "luck": "standard deviation of a team's luck; 1 is that of a player's skill",
    "placement": "matches until somebody is placed on the ladder",
    "tick": "seconds between two calls of the matcher",
    "seed": "of all chance",
}


class Command(BaseCommand):
    help = "Play an evening of a community of known skill through the matcher, a rating system and lockouts."
    requires_system_checks = ()  # arithmetic needs no working site

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.epilog = EPILOG
        parser.add_argument("--strategy", nargs="+", choices=STRATEGIES, default=["skill"], help="default: skill")
        parser.add_argument("--system", nargs="+", default=["trueskill"], metavar="KEY", help="default: trueskill")
        for field in fields(Scenario):
            if field.name in HELP:
                kind = int if LIMITS[field.name].whole else float
                help_text = HELP[field.name] + ("" if field.name == "population" else f"; default {field.default:g}")
                name = f"--{field.name.replace('_', '-')}"
                parser.add_argument(name, type=kind, default=field.default, metavar="N", help=help_text)
        parser.add_argument("--json", action="store_true", help="a list of objects instead of a Markdown table")
        parser.add_argument("--plot", type=Path, metavar="FILE.svg", help="draw it, too")

    def handle(self, *, strategy: list[str], system: list[str], plot: Path | None, **options: object) -> None:
        numbers = {name: options[name] for name in HELP}
        try:
            chosen = product(dict.fromkeys(strategy), dict.fromkeys(system))
            scenarios = [Scenario(strategy=way, system=key, **numbers) for way, key in chosen]  # type: ignore[arg-type]
        except Nonsense as nonsense:
            raise CommandError(str(nonsense), returncode=2) from nonsense
        if plot and len(scenarios) > MOST:
            raise CommandError(f"A picture shows {MOST} evenings at most, not {len(scenarios)}.", returncode=2)
        reports, whole = _play(scenarios)
        text = json.dumps([report.as_json() for report in reports], indent=1) if options["json"] else table(reports)
        self.stdout.write(text)
        if plot:
            try:
                plot.write_text(picture(reports), encoding="utf-8")
            except OSError as error:
                raise CommandError(f"{plot}: {error.strerror}.", returncode=2) from error
        if not whole:
            raise CommandError("It was stopped; these are figures of what was simulated until then.", returncode=1)


def _play(scenarios: Iterable[Scenario]) -> tuple[list[SimulationReport], bool]:
    """The reports, and True if all evenings were played to their end."""
    simulations = [prepare(scenario) for scenario in scenarios]
    ticks = sum(round(each.evening.scenario.seconds / each.evening.scenario.tick) for each in simulations)
    with _asked_to_stop() as stop, progress_bar(total=ticks, unit="ticks") as bar:
        for each in simulations:
            bar.set_description(f"{each.evening.scenario.strategy}, {each.evening.scenario.system}")
            while not stop.is_set() and each.go_on():
                bar.update()
        return [each.report for each in simulations if each.share], not stop.is_set()


@contextmanager
def _asked_to_stop() -> Iterator[Event]:
    """A flag that Ctrl-C sets, so that the tick is finished first; a second Ctrl-C ends at once."""
    stop = Event()

    def ask(*_: Any) -> None:
        stop.set()
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)
