"""`manage.py import_matches FILE… [--create-mode SYSTEM] [--shift-to-now]`: imports results from files."""

import datetime as dt
import sys
from argparse import ArgumentParser
from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from tqdm import tqdm

from ranking.matches import importing, recording
from ranking.matches.alike import Twin
from ranking.matches.lobbies import conflict_sentence
from ranking.models import Mode, Source
from ranking.standings.publishing import publish
from ranking.systems.base import Refused
from ranking.validation import report_files

WORDS = {
    recording.RATED: "rated",
    recording.RECORDED: "recorded, to be rated later",
    recording.VOID: "counting for nothing",
    recording.KNOWN: "known already",
    recording.CONFLICT: "in conflict",
    recording.LOBBY_HAS_RESULT: "for a lobby that has a result",
    recording.REFUSED: "refused",
}
ALIKE = "alike"
NAMED = 5  # lines that are alike to matches, of which the summary tells


class Command(BaseCommand):
    help = (
        "Import match results from JSON lines. Each goes the way of a posted one: recorded once, rated, or reported"
        " with its line. Stopped at any point, the command goes on when started again."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
        parser.add_argument("--source", default="import", help="whose ids these are (default: import)")
        parser.add_argument("--create-mode", metavar="SYSTEM", help="make the modes that are missing, with this system")
        parser.add_argument(
            "--keep-alike",
            action="store_true",
            help="rate results that look like recorded ones: of the same mode, players by team, start and end",
        )
        parser.add_argument("--shift-to-now", action="store_true", help="move all times: the last match ended just now")

    def handle(self, *, files: list[Path], source: str, **options: Any) -> None:
        now = timezone.now()
        try:
            about = report_files.read_outline(files)
            if options["create_mode"] is not None:
                for mode in importing.create_missing_modes(about, options["create_mode"], now):
                    self.stdout.write(f"Made the mode {mode.slug}.")
        except OSError as error:
            raise CommandError(f"{error.filename}: {error.strerror}.", returncode=2) from error
        except (Refused, ValueError) as error:
            raise CommandError(str(error), returncode=2) from error
        owner, _ = Source.objects.get_or_create(slug=source, defaults={"created_at": now})
        shift = importing.shift_to(now, about, owner) if options["shift_to_now"] else dt.timedelta()
        self.keep_alike: bool = options["keep_alike"]
        self.alike: list[str] = []  # the first lines that were skipped
        counts: Counter[str] = Counter()
        with tqdm(total=about.lines, unit=" results", file=sys.stderr, disable=None) as bar:
            for path in files:
                self._import(path, owner, shift, counts, bar)
        self.stdout.write(
            ", ".join(
                f"{counts[state]:,} {words}"
                for state, words in WORDS.items()
                if counts[state] or state not in (recording.RECORDED, recording.VOID, recording.LOBBY_HAS_RESULT)
            )
            + "."
        )
        self._tell_alike(counts[ALIKE])
        if counts[recording.CONFLICT] or counts[recording.LOBBY_HAS_RESULT] or counts[recording.REFUSED]:
            raise CommandError("Some lines were not imported; they are listed above.", returncode=1)

    def _import(self, path: Path, owner: Source, shift: dt.timedelta, counts: Counter[str], bar: Any) -> None:
        modes: dict[str, Mode] = {}
        imported = importing.import_lines(
            report_files.read_lines(path), source=owner, shift=shift, now=timezone.now(), keep_alike=self.keep_alike
        )
        for line, recorded in imported:
            state = ALIKE if isinstance(recorded, Twin) else recorded.state if recorded else recording.REFUSED
            counts[state] += 1
            bar.update()
            if isinstance(recorded, Twin):
                if len(self.alike) < NAMED:
                    self.alike.append(f"{path}, line {line.number}: like {_twin_text(recorded)}")
            elif recorded is None or recorded.error is not None:
                self._complain(path, line.number, line.error if recorded is None else str(recorded.error))
            elif state == recording.CONFLICT:
                self._complain(
                    path, line.number, f"another result is recorded under this id: {recorded.differs} differs"
                )
            elif recorded.record is not None and state == recording.LOBBY_HAS_RESULT:
                self._complain(path, line.number, conflict_sentence(recorded.record.match))
            elif recorded.record is not None:
                modes[recorded.record.match.mode.slug] = recorded.record.match.mode
            if sum(counts.values()) % recording.BATCH_SIZE == 0:
                self._publish(modes)
        self._publish(modes)

    def _tell_alike(self, count: int) -> None:
        if not count:
            return
        self.stdout.write(
            f"{count:,} skipped: same mode, players by team, start and end as another result (without a start: end and"
            " scores). --keep-alike rates them."
        )
        for sentence in self.alike:
            self.stdout.write(f"    {sentence}")
        if count > len(self.alike):
            self.stdout.write(f"    and {count - len(self.alike):,} more")

    def _publish(self, modes: dict[str, Mode]) -> None:
        """Publish boards during the import, so that ranks before and after a match are those of its time."""
        for mode in modes.values():
            publish(mode, now=timezone.now())

    def _complain(self, path: Path, number: int, sentence: str) -> None:
        tqdm.write(f"{path}, line {number}: {sentence}", file=sys.stderr)


def _twin_text(twin: Twin) -> str:
    return (
        f"{twin.id!r} in this import" if twin.number is None else f"match {twin.number}, {twin.id!r} of {twin.source}"
    )
