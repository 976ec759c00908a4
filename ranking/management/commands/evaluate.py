"""`manage.py evaluate FILE… [--system KEY …]`, or `--mode SLUG`: measures how well systems predict a history."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from ranking.management.trial_command import TrialCommand, files_in_use, read_candidates
from ranking.models import Mode
from ranking.operations.progress import progress_bar
from ranking.systems.base import Refused
from ranking.systems.registry import SYSTEMS, get_system
from ranking.trials.core.charts import calibrations, courses
from ranking.trials.core.timeline import Timeline
from ranking.trials.core.trials import Evaluation, Trial, chunk_size, take_all
from ranking.trials.histories import HistorySource, files_source, mode_source, read_history
from ranking.trials.reports import details, table

EPILOG = """\
Each match is predicted from the skills before it, then rated. Of a match of more than two teams, each pair counts.
Figures are over decided matches only; docs/evaluation.md says what they mean.

exit status: 0 all went well; 1 bad lines, or a system that was asked for can't rate these results; 2 wrong usage
"""


class Command(TrialCommand):
    help = "Replay results in time order under rating systems, and say how well each foresaw them."
    requires_system_checks = ()
    epilog = EPILOG

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="JSON lines of match results")
        parser.add_argument("--mode", metavar="SLUG", help="a mode's own history instead of files")
        parser.add_argument(
            "--system",
            nargs="+",
            action="extend",
            metavar="KEY",
            help="default: all that can rate these results; with parameters: margin:impact_stat=score,party=0.1",
        )
        parser.add_argument("--json", action="store_true", help="a list of objects instead of a table")
        parser.add_argument(
            "--against", metavar="KEY", help="one of the systems, with which all are compared; default: the best one"
        )
        parser.add_argument("--details", action="store_true", help="log-loss by experience, and upsets, too")
        parser.add_argument("--plot", type=Path, metavar="FILE.svg", help="draw how well chances are calibrated")
        parser.add_argument("--plot-course", type=Path, metavar="FILE.svg", help="draw log-loss over time")

    def handle(self, *, files: list[Path], mode: str | None, system: list[str] | None, **options: Any) -> None:
        keys, files = _keys_and_files(system or [], files)
        if bool(files) == bool(mode):
            raise CommandError("Name files of results, or a mode by --mode.", returncode=2)
        with files_in_use():
            history = _of_mode(mode) if mode else files_source(read_history(files, self.complain))
        if not history.total:
            raise CommandError("There is no result to evaluate.", returncode=1)
        if options["against"] and options["against"] not in (keys or SYSTEMS):
            raise CommandError(f"--against {options['against']}: it isn't one of the systems.", returncode=2)
        try:
            evaluations = _evaluated(self._trials(keys, history), options["against"])
        except Refused as refused:
            raise CommandError(str(refused), returncode=1) from refused
        self.stdout.write(_written(evaluations, as_json=options["json"], with_details=options["details"]))
        for drawn, file in ((calibrations, options["plot"]), (courses, options["plot_course"])):
            if file and evaluations:
                with files_in_use():
                    file.write_text(drawn(evaluations), encoding="utf-8")
        if not self.sound or not evaluations:
            raise CommandError("Not everything could be evaluated; see above.", returncode=1)

    def _trials(self, keys: list[str], history: HistorySource) -> list[Trial]:
        """A trial of each system that can rate the history."""
        timeline = Timeline()
        trials = [
            Trial(
                get_system(candidate["system"], candidate["params"]), timeline, history.total, history.window, name=key
            )
            for key, candidate in zip(keys or SYSTEMS, read_candidates(keys or SYSTEMS, history.params), strict=True)
        ]

        def leave_out(trial: Trial, refused: Refused) -> None:
            self.sound = self.sound and not keys
            self.say(f"{trial.name} is left out. {refused}")

        chunks = history.chunks(chunk_size(history.total))
        with progress_bar(total=history.total * len(trials), unit="matches") as bar:
            for matches in take_all(trials, timeline, chunks, leave_out):
                bar.update(matches * len(trials))
        return trials


def _keys_and_files(values: list[str], files: list[Path]) -> tuple[list[str], list[Path]]:
    """Separate keys from files, because argparse reads the file of `--system elo FILE` as one more key."""
    keys = list(dict.fromkeys(key for key in values if key in SYSTEMS or not Path(key).exists()))
    read_candidates(keys, {})
    return keys, [*files, *(Path(name) for name in values if name not in keys)]


def _of_mode(slug: str) -> HistorySource:
    mode = Mode.objects.filter(slug=slug).first()
    if mode is None:
        raise CommandError(f"There is no mode {slug!r}.", returncode=2)
    return mode_source(mode)


def _evaluated(trials: list[Trial], against: str | None) -> list[Evaluation]:
    """The evaluations; each is compared with that of `against`, by default with the one of the least log-loss."""
    alone = {trial.name: trial.evaluation(trial.seconds) for trial in trials}
    decided = [name for name, evaluation in alone.items() if evaluation.figures.log_loss is not None]
    best = against or min(decided, key=lambda name: alone[name].figures.log_loss or 0.0, default="")
    other = next((trial for trial in trials if trial.name == best), None)
    return [alone[trial.name] if other in (None, trial) else trial.evaluation(trial.seconds, other) for trial in trials]


def _written(evaluations: list[Evaluation], *, as_json: bool, with_details: bool) -> str:
    if as_json:
        return json.dumps([evaluation.row() for evaluation in evaluations], indent=1)
    return "\n\n".join([table(evaluations), *([details(evaluations)] if with_details and evaluations else [])])
