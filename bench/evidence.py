"""How well our systems, and the packages that people use instead, foresaw histories: `python -m bench.evidence --help`.

Each file is a history as `manage.py evaluate` takes it. Every system and package predicts each match from those before
it, and is measured on the same decided pairs, by the same functions. With --write the tables and pictures stand in
docs/evidence.md, below the heading with the file's name; docs/evidence.md says where public histories come from.

The packages are installed, in the versions below, into a temporary environment.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from itertools import combinations
from math import inf
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import django
import numpy as np

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()

from ranking.systems.base import Refused
from ranking.systems.registry import SYSTEMS, get_system
from ranking.systems.shared.rules import check_result, effective_places
from ranking.trials.core.accuracy import bins, clip, figures_of
from ranking.trials.core.charts import calibrations
from ranking.trials.core.predictions import Predictions, difference
from ranking.trials.core.timeline import PastMatch, Timeline
from ranking.trials.core.trials import Evaluation, Trial, chunk_size, take_all
from ranking.trials.histories import files_source, read_history
from ranking.trials.reports import table

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "evidence.md"
SCRIPT = Path(__file__).with_name("evidence_packages.py")
PINS = (
    "openskill==6.2.0", "trueskill==0.4.5", "glicko2==2.1.0", "elote==1.5.1", "whole-history-rating==3.7.1",
    "trueskillthroughtime==1.1.0",
)  # fmt: skip
DUELS_ALONE = ("glicko2", "elote", "whole-history-rating")
WHOLE = ("whole-history-rating", "trueskillthroughtime")  # they fit the whole history, again and again
MOST_WHOLE = 5_000  # matches
MOST_SIDES = {"trueskill": 8}  # what takes far longer than a night with more


class Forecast(NamedTuple):
    """What was predicted under a name, in how many seconds of processor time."""

    name: str
    predictions: Predictions
    seconds: float


def places_of(past: PastMatch) -> list[float]:
    """The places by which every system rates the match; a team that left whole comes last."""
    return [float(place) for place in effective_places(past.result, check_result(ANY, past.result))]


ANY = get_system("elo")  # takes every result that a system can rate


def forecasts_here(pasts: Sequence[PastMatch], systems: Sequence[str]) -> Iterator[Forecast]:
    """What each of our systems predicted, with its default parameters."""
    timeline, history = Timeline(), files_source(pasts)
    trials = [Trial(get_system(key), timeline, history.total, clock=process_time) for key in systems]
    for _ in take_all(trials, timeline, history.chunks(chunk_size(history.total)), leave_out):
        pass
    for trial in trials:
        yield Forecast(trial.name, trial.predictions(), trial.seconds)


def leave_out(trial: Trial, refused: Refused) -> None:
    say(f"{trial.name} is left out. {refused}")


def forecasts_of_packages(pasts: Sequence[PastMatch], python: Path) -> Iterator[Forecast]:
    """What each package that can rate the history predicted; `python`: of the temporary environment."""
    places = [places_of(past) for past in pasts]
    lines = "".join(
        json.dumps({
            "teams": [[f"{past.pool}/{player.id}" for player in team.players] for team in past.result.teams],
            "places": of_match,
            "day": (past.ended_at - pasts[0].ended_at) / 86_400,
        }) + "\n"
        for past, of_match in zip(pasts, places, strict=True)
    )  # fmt: skip
    sides = max(len(past.result.teams) for past in pasts)
    duels = sides == 2 and max(len(team.players) for past in pasts for team in past.result.teams) == 1
    pairs = [
        (number, i, j)
        for number, of_match in enumerate(places)
        for i, j in combinations(range(len(of_match)), 2)
        if of_match[i] != of_match[j]
    ]
    won = np.array([places[number][i] < places[number][j] for number, i, j in pairs])
    match, unknown = np.array([number for number, _, _ in pairs]), np.zeros(len(pairs))
    for name, _, version in (("elo", "", ""), *(pin.partition("==") for pin in PINS)):
        left_out = (
            "it rates duels alone" if name in DUELS_ALONE and not duels
            else f"it isn't tried on more than {MOST_WHOLE:,} matches" if name in WHOLE and len(pasts) > MOST_WHOLE
            else "matches of so many sides take too long" if sides > MOST_SIDES.get(name, sides)
            else ""
        )  # fmt: skip
        if left_out:
            say(f"{name} is left out: {left_out}.")
            continue
        say(f"… {name}")
        done = subprocess.run([python, SCRIPT, name], input=lines, capture_output=True, text=True, check=False)
        if done.returncode:  # some packages fail on real histories
            say(f"{name} is left out. {done.stderr.strip().splitlines()[-1]}")
            continue
        told: dict[str, Any] = json.loads(done.stdout)
        chances = np.array([chance for of_match in told["chances"] for chance in of_match])
        yield Forecast(
            f"{told['name']} {version}".strip(), Predictions(chances, won, match, unknown, unknown), told["seconds"]
        )


def evaluations_of(forecasts: Sequence[Forecast], matches: int) -> list[Evaluation]:
    """The figures of each, compared with the best one."""
    figures = [figures_of(each.predictions.chances, each.predictions.won) for each in forecasts]
    best = forecasts[min(range(len(forecasts)), key=lambda number: figures[number].log_loss or inf)]
    return [
        Evaluation(
            system=each.name, matches=matches, figures=of_one, inflation=None, seconds=each.seconds, start=0.0,
            calibration=bins(clip(each.predictions.chances), each.predictions.won), distribution=(), moments=(),
            difference=None if each is best else difference(each.predictions, best.predictions, best.name),
            experience=(), upsets=(), course=(),
        )
        for each, of_one in zip(forecasts, figures, strict=True)
    ]  # fmt: skip


def make_environment(folder: Path) -> Path:
    """Install the packages; returns the Python that has them."""
    say("… installing " + ", ".join(PINS))
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = folder / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PINS], check=True)
    return python


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def complain(path: Path, number: int, sentence: str) -> None:
    say(f"{path}, line {number}: {sentence}")


def write(name: str, figures: str, picture: str) -> None:
    """Put a set's table and picture below its heading in the page, in place of those that stand there."""
    (PAGE.parent / "pictures" / f"evidence-{name}.svg").write_text(picture, encoding="utf-8")
    text = PAGE.read_text(encoding="utf-8")
    section = re.search(rf"<!-- figures: {re.escape(name)} -->\n.*?<!-- end -->", text, flags=re.DOTALL)
    if section is None:
        raise SystemExit(f"{PAGE} has no place for {name}.")
    block = (
        f"<!-- figures: {name} -->\n```\n{figures}\n```\n\n![Calibration](pictures/evidence-{name}.svg)\n<!-- end -->"
    )
    PAGE.write_text(text[: section.start()] + block + text[section.end() :], encoding="utf-8")


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="results: JSON Lines, or CSV")
    parser.add_argument("--system", nargs="+", default=list(SYSTEMS), metavar="KEY", help="of ours; default: all")
    parser.add_argument("--write", action="store_true", help="into docs/evidence.md")
    parser.add_argument("--without-packages", action="store_true", help="our systems alone")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        python = None if wanted.without_packages else make_environment(Path(folder))
        for file in wanted.files:
            pasts = read_history([file], complain)
            forecasts = list(forecasts_here(pasts, wanted.system))
            if python is not None:
                forecasts += forecasts_of_packages(pasts, python)
            evaluations = evaluations_of(forecasts, len(pasts))
            figures = without_inflation(table(evaluations))
            print(f"{file.stem}\n\n{figures}\n")
            if wanted.write:
                write(file.stem, figures, calibrations(evaluations))


def without_inflation(figures: str) -> str:
    """The table without a column that packages don't have."""
    start = figures.index("  inflation")
    return "\n".join(row[:start] + row[start + len("  inflation") :] for row in figures.splitlines())


if __name__ == "__main__":
    main()
