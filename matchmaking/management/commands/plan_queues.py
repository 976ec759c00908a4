"""`manage.py plan_queues`: computes waits, what to change, and how many matches place everybody."""

import json
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from matchmaking.planning.planner import Nonsense, QueuePlan, buckets_of, changes_for, matches_to_place
from matchmaking.planning.report import drawn, lines

EPILOG = """\
T_wait = modes · regions · T_match · participants · skill buckets / online
A rule of thumb for queues in which everybody plays on: `manage.py simulate` plays an evening of it.
docs/simulation.md says what both are good for.
"""


class Command(BaseCommand):
    help = "How long people wait in queues of these sizes, and what to change for a target. Nothing is read or kept."
    requires_system_checks = ()  # arithmetic needs no working site

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.epilog = EPILOG
        parser.add_argument("--online", type=int, required=True, metavar="N", help="players online")
        parser.add_argument(
            "--participants", type=int, required=True, metavar="K", help="players of a match, all teams"
        )
        parser.add_argument("--minutes", type=float, required=True, metavar="T", help="length of a match")
        parser.add_argument("--modes", type=int, default=1, metavar="N")
        parser.add_argument("--regions", type=int, default=1, metavar="N", help="regions that don't play each other")
        skill = parser.add_mutually_exclusive_group()
        skill.add_argument("--buckets", type=float, default=1.0, metavar="N", help="groups of skill that never meet")
        skill.add_argument("--width", type=float, metavar="W", help="instead: a rank filter of ±W percentiles")
        parser.add_argument("--target", type=float, metavar="SECONDS", help="the wait wanted")
        parser.add_argument("--population", type=int, metavar="N", help="all players, to be placed")
        parser.add_argument("--json", action="store_true", help="an object instead of sentences")
        parser.add_argument("--plot", type=Path, metavar="FILE.svg", help="draw the wait against players online")

    def handle(self, *, target: float | None, population: int | None, plot: Path | None, **options: object) -> None:
        try:
            plan = _plan(options)
            changes = changes_for(plan, target) if target is not None else ()
            matches = matches_to_place(population, plan.participants) if population is not None else None
        except Nonsense as nonsense:
            raise CommandError(str(nonsense), returncode=2) from nonsense
        if options["json"]:
            answer = {
                "wait_seconds": plan.wait,
                "fills": plan.fills,
                "changes": {change.field: change.to for change in changes},
                "matches_to_place": matches,
            }
            self.stdout.write(json.dumps(answer, indent=1))
        else:
            self.stdout.write("\n".join(lines(plan, target, changes, population, matches)))
        if plot:
            try:
                plot.write_text(drawn(plan, target), encoding="utf-8")
            except OSError as error:
                raise CommandError(f"{plot}: {error.strerror}.", returncode=2) from error


def _plan(options: dict[str, Any]) -> QueuePlan:
    width = options["width"]
    return QueuePlan(
        online=options["online"],
        participants=options["participants"],
        match_minutes=options["minutes"],
        modes=options["modes"],
        regions=options["regions"],
        buckets=options["buckets"] if width is None else buckets_of(width),
    )
