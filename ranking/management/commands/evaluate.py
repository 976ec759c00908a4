"""`manage.py evaluate FILE… [--system KEY …]`, or `--mode SLUG`: measures how well systems predict a history."""

import json
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from ranking.models import Mode
from ranking.modes.parameters import changed_params, current_parameters
from ranking.operations.progress import progress_bar
from ranking.result_files.options import BadFile
from ranking.systems.base import Refused, System
from ranking.systems.registry import SYSTEMS, get_system
from ranking.trials.candidates import read_params
from ranking.trials.core.charts import calibrations, courses
from ranking.trials.core.timeline import Step, Timeline
from ranking.trials.core.trials import ACTIVE, Evaluation, Trial, chunk_size
from ranking.trials.evaluation_report import details, table
from ranking.trials.histories import active_seconds, count_matches, last_sequence, mode_history, read_history

EPILOG = """\
Each match is predicted from the skills before it, then rated. Of a match of more than two teams, each pair counts.
Figures are over decided matches only; docs/evaluation.md says what they mean.

exit status: 0 all went well; 1 bad lines, or a system that was asked for can't rate these results; 2 wrong usage
"""


@dataclass(frozen=True, slots=True)
class ReplaySource:
    """A history to replay: its number of matches, its chunks (which can be read again) and parameters by system."""

    total: int
    chunks: Callable[[], Iterable[Sequence[Step]]]
    params: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    window: float | None = ACTIVE


class Command(BaseCommand):
    help = "Replay results in time order under rating systems, and say how well each foresaw them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.epilog = EPILOG
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
        self.sound = True
        if bool(files) == bool(mode):
            raise CommandError("Name files of results, or a mode by --mode.", returncode=2)
        try:
            history = _of_mode(mode) if mode else self._of_files(files)
        except OSError as error:
            raise CommandError(f"{error.filename}: {error.strerror}.", returncode=2) from error
        except BadFile as bad:
            raise CommandError(str(bad), returncode=2) from bad
        if not history.total:
            raise CommandError("There is no result to evaluate.", returncode=1)
        if options["against"] and options["against"] not in (keys or SYSTEMS):
            raise CommandError(f"--against {options['against']}: it isn't one of the systems.", returncode=2)
        evaluations = _evaluated(self._trials(keys, history), options["against"])
        self.stdout.write(_written(evaluations, as_json=options["json"], with_details=options["details"]))
        for drawn, file in ((calibrations, options["plot"]), (courses, options["plot_course"])):
            if file and evaluations:
                _draw(drawn(evaluations), file)
        if not self.sound or not evaluations:
            raise CommandError("Not everything could be evaluated; see above.", returncode=1)

    def _of_files(self, files: list[Path]) -> ReplaySource:
        def complain(path: Path, number: int, sentence: str) -> None:
            self.sound = False
            self._say(f"{path}, line {number}: {sentence}")

        pasts = read_history(files, complain)
        size = chunk_size(len(pasts))
        return ReplaySource(len(pasts), lambda: (pasts[start : start + size] for start in range(0, len(pasts), size)))

    def _trials(self, keys: list[str], history: ReplaySource) -> list[tuple[Trial, float]]:
        """A trial of each system that can rate the history, with the seconds that it took."""
        timeline = Timeline()
        trials = [
            Trial(_system(key, history.params), timeline, history.total, history.window, name=key)
            for key in keys or SYSTEMS
        ]
        seconds = dict.fromkeys(trials, 0.0)
        with progress_bar(total=history.total * len(trials), unit="matches") as bar:
            for chunk in history.chunks():
                stretches = timeline.read(chunk)
                for trial in list(seconds):
                    begun = perf_counter()
                    try:
                        trial.take(stretches)
                    except Refused as refused:
                        self.sound = self.sound and not keys
                        self._say(f"{trial.name} is left out. {refused}")
                        del seconds[trial]
                        continue
                    seconds[trial] += perf_counter() - begun
                    bar.update(len(chunk))
        return list(seconds.items())

    def _say(self, sentence: str) -> None:
        tqdm.write(sentence, file=sys.stderr)


def _keys_and_files(values: list[str], files: list[Path]) -> tuple[list[str], list[Path]]:
    """Separate keys from files, because argparse reads the file of `--system elo FILE` as one more key."""
    keys = list(dict.fromkeys(key for key in values if key in SYSTEMS or not Path(key).exists()))
    try:
        for key in keys:
            _system(key, {})
    except Refused as refused:
        raise CommandError(str(refused), returncode=2) from refused
    return keys, [*files, *(Path(name) for name in values if name not in keys)]


def _of_mode(slug: str) -> ReplaySource:
    """A mode's history, with the parameters of the system in force."""
    mode = Mode.objects.filter(slug=slug).first()
    if mode is None:
        raise CommandError(f"There is no mode {slug!r}.", returncode=2)
    until, in_force = last_sequence(mode), current_parameters(mode)
    total = count_matches(mode, until)
    return ReplaySource(
        total,
        lambda: mode_history(mode, until=until, size=chunk_size(total)),
        {in_force.system: changed_params(in_force)},
        active_seconds(mode),
    )


def _evaluated(trials: list[tuple[Trial, float]], against: str | None) -> list[Evaluation]:
    """The evaluations; each is compared with that of `against`, by default with the one of the least log-loss."""
    alone = {trial.name: trial.evaluation(seconds) for trial, seconds in trials}
    decided = [name for name, evaluation in alone.items() if evaluation.figures.log_loss is not None]
    best = against or min(decided, key=lambda name: alone[name].figures.log_loss or 0.0, default="")
    other = next((trial for trial, _ in trials if trial.name == best), None)
    return [
        alone[trial.name] if other in (None, trial) else trial.evaluation(seconds, other) for trial, seconds in trials
    ]


def _written(evaluations: list[Evaluation], *, as_json: bool, with_details: bool) -> str:
    if as_json:
        return json.dumps([evaluation.row() for evaluation in evaluations], indent=1)
    return "\n\n".join([table(evaluations), *([details(evaluations)] if with_details and evaluations else [])])


def _system(asked: str, in_force: Mapping[str, Mapping[str, Any]]) -> System[Any]:
    """The system of a key such as elo or elo:alpha=0.1; without parameters, with those in force. Raises Refused."""
    key, colon, text = asked.partition(":")
    return get_system(key, read_params(key, text) if colon else in_force.get(key))


def _draw(picture: str, file: Path) -> None:
    try:
        file.write_text(picture, encoding="utf-8")
    except OSError as error:
        raise CommandError(f"{file}: {error.strerror}.", returncode=2) from error
