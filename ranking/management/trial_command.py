"""What the commands `evaluate` and `fit` share: help, complaints about lines of files, and errors as exit statuses."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from ranking.result_files.options import BadFile
from ranking.systems.base import Refused
from ranking.trials.candidates import read_candidate


class TrialCommand(BaseCommand):
    """`sound`: False once something was left out, which ends the command with status 1."""

    epilog: str
    sound = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.epilog = self.epilog

    def complain(self, path: Path, line: int, sentence: str) -> None:
        self.sound = False
        self.say(f"{path}, line {line}: {sentence}")

    def say(self, sentence: str) -> None:
        tqdm.write(sentence, file=sys.stderr)


@contextmanager
def files_in_use() -> Iterator[None]:
    """Turns the error of a file into that of the command."""
    try:
        yield
    except OSError as error:
        raise CommandError(f"{error.filename}: {error.strerror}.", returncode=2) from error
    except BadFile as bad:
        raise CommandError(str(bad), returncode=2) from bad


def read_candidates(texts: Iterable[str], chosen: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Candidates as `--system` names them; see `read_candidate`."""
    try:
        return [read_candidate(text, chosen) for text in texts]
    except Refused as refused:
        raise CommandError(str(refused), returncode=2) from refused
