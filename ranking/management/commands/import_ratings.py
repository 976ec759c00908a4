"""`manage.py import_ratings MODE FILE`: ratings from elsewhere. What they are: --from, --scale, --map or --by-rank."""

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from tqdm import tqdm

from ranking.models import Mode
from ranking.operations.audit import COMMAND, NOBODY, acting_through
from ranking.seeds.planning import Plan, plan_seeds
from ranking.seeds.seeding import seed_players
from ranking.seeds.withdrawing import withdraw_seeds
from ranking.systems.base import Refused
from ranking.systems.foreign_scales import BY_RANK, DISPLAY, MEAN, LibraryScale, choose_scale
from ranking.systems.libraries import LIBRARIES
from ranking.validation.rating_files import LineFault, read_ratings

PREVIEWED = 10  # lines


class Command(BaseCommand):
    help = (
        "Bring ratings along into a mode's season from a CSV file: player id, name, rating, and optionally deviation,"
        " matches and volatility. Nothing of a file with a bad line is written. Stopped at any point, the command goes"
        " on when started again."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("mode", metavar="MODE")
        parser.add_argument("file", type=Path, metavar="FILE")
        kept = parser.add_mutually_exclusive_group()
        kept.add_argument(
            "--from", default="", metavar="LIBRARY", dest="library",
            help=f"the file's numbers are those of this library: {', '.join(LIBRARIES)}",
        )  # fmt: skip
        kept.add_argument(
            "--map", default="", metavar="linear:A,B", dest="linear", help="a rating x of the file stands for A·x + B"
        )
        kept.add_argument(
            "--by-rank", action="store_const", const=BY_RANK, default="", dest="linear",
            help="only the order counts, on this mode's scale",
        )  # fmt: skip
        parser.add_argument(
            "--newcomer", default="", metavar="RATING[,DEVIATION]",
            help="what newcomers have there, if the library's defaults were changed, or for --from elo",
        )  # fmt: skip
        parser.add_argument(
            "--scale", choices=[DISPLAY, MEAN], default="", dest="meaning",
            help="whether the ratings are those that people see or means, for a system of mu and sigma",
        )  # fmt: skip
        parser.add_argument("--preview", action="store_true", help=f"show the first {PREVIEWED} lines; write nothing")
        parser.add_argument("--placed", action="store_true", help="list the players at once, without placement matches")
        parser.add_argument(
            "--undo",
            action="store_true",
            help="take back what the file's players brought along, if none has played",
        )
        parser.add_argument("--reason", default="manage.py import_ratings", help="for the record")

    @acting_through(NOBODY[COMMAND])
    def handle(
        self,
        *,
        mode: str,
        file: Path,
        library: str,
        newcomer: str,
        linear: str,
        meaning: str,
        preview: bool,
        placed: bool,
        undo: bool,
        reason: str,
        **options: object,
    ) -> None:
        row = Mode.objects.filter(slug=mode).first()
        if row is None:
            raise CommandError(f"There is no mode {mode!r}.", returncode=2)
        try:
            with file.open("rb") as opened:
                lines, faults = read_ratings(opened)
            if undo:
                self._undo(row, [line.key for line in lines], reason)
                return
            scale = choose_scale(library=library, newcomer=newcomer, linear=linear, meaning=meaning)
            plan = plan_seeds(row, lines, faults, scale, placed=placed)
        except OSError as error:
            raise CommandError(f"{error.filename}: {error.strerror}.", returncode=2) from error
        except Refused as refused:
            raise CommandError(str(refused), returncode=2) from refused
        if plan.faults:
            self._complain(file, plan.faults)
            lines_at_fault = "1 line" if len(plan.faults) == 1 else f"{len(plan.faults):,} lines"
            raise CommandError(f"Nothing was written: {lines_at_fault} can't be brought along.", returncode=1)
        if isinstance(scale, LibraryScale) and scale.library.note:
            self.stdout.write(scale.library.note)
        if preview:
            self._show(plan)
        else:
            self._write(plan, file, reason)

    def _show(self, plan: Plan) -> None:
        for seed in plan.seeds[:PREVIEWED]:
            self.stdout.write(f"line {seed.line}: {seed.key} begins at {seed.rating}")
        self.stdout.write(f"Nothing was written: {len(plan.seeds):,} ratings, {plan.known:,} known already.")

    def _write(self, plan: Plan, file: Path, reason: str) -> None:
        written = known = left_out = 0
        with tqdm(total=len(plan.seeds), unit=" ratings", file=sys.stderr, disable=None) as bar:
            try:
                for outcome in seed_players(plan, by=None, reason=reason, now=timezone.now()):
                    written, known = written + outcome.written, known + outcome.known
                    left_out += len(outcome.faults)
                    self._complain(file, outcome.faults)
                    bar.update(outcome.written + outcome.known + len(outcome.faults))
            except Refused as refused:
                raise CommandError(f"{written:,} brought along. {refused}") from refused
        self.stdout.write(f"{written:,} brought along, {known:,} known already.")
        if left_out:
            raise CommandError("Some lines were left out; they are listed above.", returncode=1)

    def _undo(self, mode: Mode, keys: Sequence[str], reason: str) -> None:
        counts = withdraw_seeds(mode, keys, by=None, reason=reason, now=timezone.now())
        with tqdm(total=len(keys), unit=" ratings", file=sys.stderr, disable=None) as bar:
            taken_back = 0
            for count in counts:
                taken_back += count
                bar.update(count)
        self.stdout.write(f"{taken_back:,} taken back.")

    def _complain(self, file: Path, faults: Sequence[LineFault]) -> None:
        for fault in faults:
            tqdm.write(f"{file}, line {fault.number}: {fault.sentence}", file=sys.stderr)
