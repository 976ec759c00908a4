"""`manage.py evaluate FILE… [--system KEY …]`, or `--mode SLUG`: measures how well systems predict a history."""

import json
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from ranking.evaluation.core.charts import calibrations
from ranking.evaluation.core.replay import PastMatch
from ranking.evaluation.core.trials import ACTIVE, Evaluation, Trial, chunk_size
from ranking.evaluation.histories import active_seconds, count_matches, last_sequence, mode_history, read_history
from ranking.models import Mode
from ranking.modes.parameters import changed_params, current_parameters
from ranking.systems.base import Refused, System
from ranking.systems.registry import SYSTEMS, get_system

EPILOG = """\
Each match is predicted from the skills before it, then rated. Of a match of more than two teams, each pair counts.
Figures are over decided matches only; docs/evaluation.md says what they mean.

exit status: 0 all went well; 1 bad lines, or a system that was asked for can't rate these results; 2 wrong usage
"""
HEADINGS = {
    "system": "", "matches": ",", "decided": ",", "error": ".2f", "error_half": ".2f", "log_loss": ".4f",
    "brier": ".4f", "slope": ".3f", "inflation": "+.2f", "seconds": ".2f",
}  # fmt: skip
TITLES = {"error": "error %", "error_half": "error½ %", "log_loss": "log-loss", "brier": "Brier"}


@dataclass(frozen=True, slots=True)
class ReplaySource:
    """A history to replay: its number of matches, its chunks (which can be read again) and parameters by system."""

    total: int
    chunks: Callable[[], Iterable[list[PastMatch]]]
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
        parser.add_argument("--plot", type=Path, metavar="FILE.svg", help="draw how well chances are calibrated")

    def handle(self, *, files: list[Path], mode: str | None, system: list[str] | None, **options: Any) -> None:
        keys, files = _keys_and_files(system or [], files)
        self.sound = True
        if bool(files) == bool(mode):
            raise CommandError("Name files of results, or a mode by --mode.", returncode=2)
        try:
            history = _of_mode(mode) if mode else self._of_files(files)
        except OSError as error:
            raise CommandError(f"{error.filename}: {error.strerror}.", returncode=2) from error
        if not history.total:
            raise CommandError("There is no result to evaluate.", returncode=1)
        evaluations = list(self._evaluations(keys, history))
        rows = [evaluation.row() for evaluation in evaluations]
        self.stdout.write(json.dumps(rows, indent=1) if options["json"] else table(evaluations))
        if options["plot"] and evaluations:
            _draw(evaluations, options["plot"])
        if not self.sound or not evaluations:
            raise CommandError("Not everything could be evaluated; see above.", returncode=1)

    def _of_files(self, files: list[Path]) -> ReplaySource:
        def complain(path: Path, number: int, sentence: str) -> None:
            self.sound = False
            self._say(f"{path}, line {number}: {sentence}")

        pasts = read_history(files, complain)
        size = chunk_size(len(pasts))
        return ReplaySource(len(pasts), lambda: (pasts[start : start + size] for start in range(0, len(pasts), size)))

    def _evaluations(self, keys: list[str], history: ReplaySource) -> Iterator[Evaluation]:
        asked = keys or list(SYSTEMS)
        with tqdm(total=history.total * len(asked), unit=" matches", file=sys.stderr, disable=None) as bar:
            for key in asked:
                bar.set_description(key)
                try:
                    yield _evaluate(key, history, bar)
                except Refused as refused:
                    self.sound = self.sound and not keys
                    self._say(f"{key} is left out. {refused}")

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


def _evaluate(key: str, history: ReplaySource, bar: Any) -> Evaluation:
    trial, seconds = Trial(_system(key, history.params), history.total, history.window), 0.0
    for chunk in history.chunks():
        begun = perf_counter()
        trial.take(chunk)
        seconds += perf_counter() - begun
        bar.update(len(chunk))
    return replace(trial.evaluation(seconds), system=key)


def _system(asked: str, in_force: Mapping[str, Mapping[str, Any]]) -> System[Any]:
    """The system of a key such as elo or elo:alpha=0.1; without parameters, with those in force. Raises Refused."""
    key, colon, text = asked.partition(":")
    return get_system(key, _params(key, text) if colon else in_force.get(key))


def _params(key: str, text: str) -> dict[str, Any]:
    """The parameters in name=value,name=value; a value that isn't JSON is a text. Raises Refused."""
    params: dict[str, Any] = {}
    for part in text.split(","):
        name, equals, value = part.partition("=")
        if not equals:
            raise Refused(f"{key}: give parameters as name=value, and {part!r} isn't.")
        try:
            params[name] = json.loads(value)
        except ValueError:
            params[name] = value
    return params


def _draw(evaluations: list[Evaluation], file: Path) -> None:
    try:
        file.write_text(calibrations(evaluations), encoding="utf-8")
    except OSError as error:
        raise CommandError(f"{file}: {error.strerror}.", returncode=2) from error


def table(evaluations: list[Evaluation]) -> str:
    """A table with aligned columns and a row for each system."""
    rows = [[TITLES.get(name, name) for name in HEADINGS]]
    for evaluation in evaluations:
        row = evaluation.row()
        rows.append(["–" if row[name] is None else format(row[name], how) for name, how in HEADINGS.items()])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if index else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )
