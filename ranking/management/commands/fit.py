"""`manage.py fit MODE [--system KEY …] [--matches FILE]`: fits parameters to a mode's own history, and judges them."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.db import DatabaseError
from django.utils import timezone

from ranking.management.trial_command import TrialCommand, files_in_use, read_candidates
from ranking.models import Mode
from ranking.modes.parameters import changed_params, current_parameters
from ranking.operations.progress import progress_bar
from ranking.systems.base import Refused
from ranking.systems.registry import SYSTEMS
from ranking.trials.candidates import candidate_of
from ranking.trials.core.building import HistoryBuilder
from ranking.trials.core.fit_history import FitHistory
from ranking.trials.core.fits import Fits
from ranking.trials.core.judging import visible_gain
from ranking.trials.core.parameters import MOST, is_fittable
from ranking.trials.histories import last_sequence, load_files, load_mode
from ranking.trials.proposals import propose_elite_band
from ranking.trials.reports import aligned, number, whole_report
from ranking.trials.runs import count_fits, store_fit

EPILOG = """\
The first two thirds of the matches are fitted to; the last third judges. A fit is recommended only if the gain there is
surely above 0. Nothing changes: --write stores a candidate, which an administrator activates. See docs/fitting.md.

exit status: 0 all went well; 1 too few matches, a system that can't rate these results, or nothing recommended to
write; 2 wrong usage
"""


class Command(TrialCommand):
    help = "Fit the parameters of rating systems to a mode's own history, and say whether that is worth it."
    requires_system_checks = ()
    epilog = EPILOG

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("mode", metavar="MODE", help="the mode's slug")
        parser.add_argument(
            "--system", nargs="+", action="extend", metavar="KEY",
            help="default: the system in force, of a file all; with parameters: margin:impact_stat=score",
        )  # fmt: skip
        parser.add_argument(
            "--matches", nargs="+", type=Path, metavar="FILE", help="JSON lines of results instead of the mode's own"
        )
        parser.add_argument("--limit", type=_count, metavar="N", help="the last N matches alone")
        parser.add_argument("--max", type=_count, default=MOST, metavar="N", help="the first N parameters alone")
        parser.add_argument("--impact", action="store_true", help="learn weights of statistics, too")
        parser.add_argument("--json", action="store_true", help="an object instead of tables")
        parser.add_argument("--write", action="store_true", help="store the proposals as the mode's candidates")
        parser.add_argument("--anyway", action="store_true", help="write even if the defaults are as good")

    def handle(self, *, mode: str, system: list[str] | None, matches: list[Path] | None, **options: Any) -> None:
        own = _mode(mode, needed=options["write"] or not matches)
        if own is None and (options["write"] or not matches):
            raise CommandError(f"There is no mode {mode!r}.", returncode=2)
        wanted = _wanted(own, system, from_file=bool(matches))
        try:
            with files_in_use():
                history, until = self._history(own, mode, matches)
            if options["limit"]:
                history = history.last(options["limit"])
            fits = self._fitted(own, history, wanted, options)
        except Refused as refused:
            raise CommandError(str(refused), returncode=1) from refused
        if own is not None and not matches and (band := propose_elite_band(own)) is not None:
            fits.summary["elite"] = band
        if options["write"] and own is not None and (options["anyway"] or _recommends(fits)):
            store_fit(own, fits, source=", ".join(map(str, matches or ())), until=until, by=None, now=timezone.now())
            options["write"] = False
            self.say(f"The candidates are stored: see the page of {own.name} in the admin.")
        self._write(fits, count_fits(own), as_json=options["json"])
        if options["write"]:
            raise CommandError("Nothing is recommended, so nothing is written; --anyway writes.", returncode=1)
        if not self.sound or (system and any("error" in result for result in fits.results)):
            raise CommandError("Not everything could be fitted; see above.", returncode=1)

    def _history(self, own: Mode | None, slug: str, files: list[Path] | None) -> tuple[FitHistory, int]:
        if files or own is None:
            return load_files(files or [], slug, self.complain), 0
        builder, until = HistoryBuilder(), last_sequence(own)
        for _ in load_mode(own, until, builder):
            pass
        return builder.finish(), until

    def _fitted(
        self, own: Mode | None, history: FitHistory, wanted: list[dict[str, Any]], options: Mapping[str, Any]
    ) -> Fits:
        in_force = candidate_of(own, current_parameters(own).system) if own is not None else None
        fits = Fits(history, wanted, in_force=in_force, impact=options["impact"], most=options["max"])
        decided = int(history.decided[history.fit_matches :].sum())
        self.say(
            f"{history.matches:,} matches, of which {decided:,} decided ones are held out:"
            f" gains under {visible_gain(decided):.3f} are rarely sure."
        )
        with progress_bar(unit="replays") as bar:
            try:
                for _ in fits.run():
                    if fits.current is not None and fits.current.replays != bar.n:
                        bar.set_description(f"{fits.current.fittable.key} {fits.current.value:.5f}")
                        bar.n = fits.current.replays
                        bar.refresh()
            except KeyboardInterrupt:
                bar.close()
                self._break_off(fits)
        return fits

    def _break_off(self, fits: Fits) -> None:
        """Print the best so far, which isn't judged."""
        if fits.current is not None:
            rows = [[row.name, number(row.default), number(row.fitted)] for row in fits.current.rows()]
            key, replays = fits.current.fittable.key, fits.current.replays
            self.stdout.write(f"{key}: broken off after {replays} replays; the best so far, not judged")
            self.stdout.write(aligned([["parameter", "default", "fitted"], *rows]))
        raise CommandError("Broken off.", returncode=1)

    def _write(self, fits: Fits, stored: int, *, as_json: bool) -> None:
        if as_json:
            answer = {"results": fits.results, **fits.summary, "stored": stored}
            self.stdout.write(json.dumps(answer, indent=1))
        else:
            self.stdout.write(whole_report(fits.results, fits.summary, stored))


def _mode(slug: str, *, needed: bool) -> Mode | None:
    """The mode, if there is one; files can be fitted to without a database."""
    try:
        return Mode.objects.filter(slug=slug).first()
    except DatabaseError:
        if needed:
            raise
        return None


def _wanted(own: Mode | None, asked: list[str] | None, *, from_file: bool) -> list[dict[str, Any]]:
    """The systems to fit, each with the parameters that the mode has chosen or that were given."""
    in_force = current_parameters(own) if own is not None else None
    if not asked and in_force is not None and not from_file:
        asked = [in_force.system]
    texts = list(asked or filter(is_fittable, SYSTEMS))
    return read_candidates(texts, {in_force.system: changed_params(in_force)} if in_force else {})


def _recommends(fits: Fits) -> bool:
    proposals = [*fits.results, fits.summary.get("impact", {})]
    return any(proposal.get("recommended") for proposal in proposals)


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise ValueError(text)
    return value
