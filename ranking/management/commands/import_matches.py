"""`manage.py import_matches FILE… [--mode MODE] [--create-mode SYSTEM] [--columns …]`: imports results from files."""

import datetime as dt
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from tqdm import tqdm

from ranking.matches import importing
from ranking.matches.import_summaries import ImportSummary
from ranking.models import Source
from ranking.result_files.options import FORMATS, BadFile, FileOptions, check_date_format, read_columns, read_zone
from ranking.systems.base import Refused
from ranking.validation.report_files import open_results
from ranking.validation.report_outlines import MOST_FAULTS
from ranking.validation.report_previews import first_matches
from ranking.validation.sorted_reports import SortedReports


class Command(BaseCommand):
    help = (
        "Import match results from JSON Lines, a JSON array or CSV, in the order of time. Each goes the way of a posted"
        " one: recorded once, rated, or reported with its line. Stopped at any point, the command goes on when started"
        " again. docs/importing.md has recipes."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
        parser.add_argument("--source", default="import", help="whose ids these are (default: import)")
        parser.add_argument("--mode", default="", metavar="MODE", help="the mode of results that name none")
        parser.add_argument("--create-mode", metavar="SYSTEM", help="make the modes that are missing, with this system")
        parser.add_argument("--format", default="", choices=FORMATS, help="default: by what the file holds")
        parser.add_argument(
            "--columns",
            default="",
            metavar="HEADING=FIELD,…",
            help='what columns of CSV mean: "date=ended_at,p1=player1"',
        )
        parser.add_argument(
            "--date-format", default="", metavar="FORMAT", help='if the year isn\'t first: "%%d.%%m.%%Y %%H:%%M"'
        )
        parser.add_argument(
            "--timezone", default="", metavar="ZONE", help="of times without an offset: Europe/Berlin (default: UTC)"
        )
        parser.add_argument(
            "--trim", action="store_true", help="take ids without spaces at their ends and invisible characters"
        )
        parser.add_argument(
            "--keep-alike",
            action="store_true",
            help="rate results that look like recorded ones: of the same mode, players by team, start and end",
        )
        parser.add_argument("--shift-to-now", action="store_true", help="move all times: the last match ended just now")
        parser.add_argument("--dry-run", action="store_true", help="show the first ten matches, and write nothing")

    def handle(self, *, files: list[Path], source: str, **options: Any) -> None:
        now = timezone.now()
        try:
            reports = self._read(files, _options(options))
            summary = ImportSummary(reports.outline)
            if not reports.outline.good:
                self._complain(summary)
                raise CommandError("Nothing was imported: no line is a result.", returncode=1)
            if options["dry_run"]:
                self._show(reports)
                return
            if options["create_mode"] is not None:
                for mode in importing.create_missing_modes(reports.outline, options["create_mode"], now):
                    self.stdout.write(f"Made the mode {mode.slug}: {reports.outline.shapes[mode.slug]}.")
        except OSError as error:
            raise CommandError(f"{error.filename}: {error.strerror}.", returncode=2) from error
        except (Refused, BadFile) as error:
            raise CommandError(str(error), returncode=2) from error
        owner, _ = Source.objects.get_or_create(slug=source, defaults={"created_at": now})
        shift = importing.shift_to(now, reports, owner) if options["shift_to_now"] else dt.timedelta()
        imported = importing.import_lines(reports, source=owner, shift=shift, now=now, keep_alike=options["keep_alike"])
        told = self._complain(summary)
        with tqdm(total=reports.outline.good, unit=" results", file=sys.stderr, disable=None) as bar:
            for line, outcome in imported:
                summary.add(line, outcome)
                bar.update()
        self._complain(summary, told)
        for sentence in summary.sentences():
            self.stdout.write(sentence)
        if summary.missing:
            raise CommandError("Some lines were not imported; they are listed above.", returncode=1)

    def _read(self, files: list[Path], options: FileOptions) -> SortedReports:
        reports = SortedReports()
        with tqdm(unit=" lines", file=sys.stderr, disable=None) as bar:
            for path in files:
                with open_results(path) as file:
                    reports.add(file, str(path), options, bar.update)
        return reports

    def _show(self, reports: SortedReports) -> None:
        for match in first_matches(reports):
            self.stdout.write(str(match))
        summary = ImportSummary(reports.outline)
        self._complain(summary)
        self.stdout.write(
            f"Results: {reports.outline.good:,}, refused: {reports.outline.faulty:,}. Nothing was written."
        )
        for slug, shape in sorted(reports.outline.shapes.items()):
            self.stdout.write(f"{slug}: {shape}.")
        for sentence in reports.outline.sentences():
            self.stdout.write(sentence)

    def _complain(self, summary: ImportSummary, told: int = 0) -> int:
        """Write the faults but for so many that were told before; returns how many are told now."""
        for sentence in summary.faults[told:]:
            self.stderr.write(sentence)
        if len(summary.faults) == MOST_FAULTS > told and summary.missing > MOST_FAULTS:
            self.stderr.write("and more, which aren't listed")
        return len(summary.faults)


def _options(options: dict[str, Any]) -> FileOptions:
    """The options of the command; raises BadFile."""
    return FileOptions(
        format=options["format"],
        mode=options["mode"],
        columns=read_columns(options["columns"]),
        date_format=check_date_format(options["date_format"]),
        zone=read_zone(options["timezone"]),
        trim=options["trim"],
    )
