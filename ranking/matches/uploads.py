"""Results that a person uploads as a file: recorded like those of `import_matches`, and noted in the audit log."""

from __future__ import annotations

import datetime as dt

from django.contrib.auth.models import User

from ranking.matches.import_summaries import ImportSummary
from ranking.matches.importing import import_lines, missing_modes
from ranking.models import Source
from ranking.operations.audit import UNASKED, record_act
from ranking.result_files.options import BadFile
from ranking.validation.sorted_reports import SortedReports

SOURCE = "import"  # that of the command, which finds them known
_LONGEST_NAME = 60  # of a file, in the audit log


def check_modes(reports: SortedReports) -> None:
    """Raise BadFile if results name a mode that there isn't."""
    if missing := missing_modes(reports.outline):
        raise BadFile(f"There is no mode {missing[0]!r}: add it first, or name another one.")


def import_upload(
    reports: SortedReports, name: str, *, by: User | None, now: dt.datetime, keep_alike: bool = False
) -> ImportSummary:
    """Record and rate the results of a file of this name, in the order of time. Raises BadFile."""
    check_modes(reports)
    source, _ = Source.objects.get_or_create(slug=SOURCE, defaults={"created_at": now})
    summary = ImportSummary(reports.outline)
    try:
        for line, outcome in import_lines(reports, source=source, shift=dt.timedelta(), now=now, keep_alike=keep_alike):
            summary.add(line, outcome)
    finally:  # what broke off is noted, too
        if summary.new:
            subject = f"{summary.new:,} results of {name[:_LONGEST_NAME]}"
            record_act("add result", subject, by=by, reason=UNASKED, now=now)
    return summary
