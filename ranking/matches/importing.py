"""Imports results from files, uploaded ones, too: they are recorded like results sent to the API, by order of time."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator

from django.contrib.auth.models import User
from django.utils import timezone

from ranking.matches.alike import Twin, find_twins
from ranking.matches.import_summaries import ImportSummary
from ranking.matches.recording import BATCH_SIZE, Recorded, record_results
from ranking.models import Match, Mode, Source
from ranking.modes.parameters import create_mode
from ranking.operations.audit import UNASKED, record_act
from ranking.result_files.options import BadFile
from ranking.standings.publishing import publish
from ranking.systems.registry import system_class
from ranking.validation.report_files import ReportLine, shift_report
from ranking.validation.report_outlines import Outline
from ranking.validation.sorted_reports import SortedReports

MOST_MODES = 20  # that one import makes; more come from a wrong column
SOURCE = "import"  # that of the command, which finds them known
_LONGEST_NAME = 60  # of a file, in the audit log
_SLUG = re.compile(r"[-\w]{1,50}", re.ASCII)


def missing_modes(outline: Outline) -> list[str]:
    """The slugs in the files of which there is no mode."""
    known = set(Mode.objects.filter(slug__in=outline.shapes).values_list("slug", flat=True))
    return sorted(outline.shapes.keys() - known)


def create_missing_modes(outline: Outline, system: str, now: dt.datetime) -> list[Mode]:
    """Create a mode for each slug in the files that has none yet; raises systems.base.Refused, BadFile.

    An unknown system is refused even if no mode has to be made.
    """
    system_class(system)
    missing = missing_modes(outline)
    if len(missing) > MOST_MODES:
        raise BadFile(
            f"The files name {len(missing):,} modes that don't exist, such as {missing[0]!r}; make them first."
        )
    if bad := [slug for slug in missing if not _SLUG.fullmatch(slug)]:
        raise BadFile(f"The mode {bad[0]!r} can't be made: a slug has letters, digits, hyphens and underscores alone.")
    return [_create_mode(slug, outline, system, now) for slug in missing]


def _create_mode(slug: str, outline: Outline, system: str, now: dt.datetime) -> Mode:
    counts, sizes = outline.shapes[slug].counts, outline.shapes[slug].sizes
    return create_mode(
        slug=slug,
        name=slug.replace("-", " ").capitalize(),
        system=system,
        now=now,
        team_count=max(counts),
        team_count_min=min(counts) if len(counts) > 1 else None,
        team_size_min=min(sizes),
        team_size_max=max(sizes),
    )


def shift_to(now: dt.datetime, reports: SortedReports, source: Source) -> dt.timedelta:
    """The time to add to all times so that the last match ended at `now`.

    If the files' first match in time was imported before, the same time is added again. So importing again, or going on
    after a stop, finds the results that are recorded.
    """
    first = next(iter(reports), None)
    if first is None or first.report is None or reports.outline.last_end is None:
        return dt.timedelta()
    recorded = Match.objects.filter(source=source, external_id=first.report.id).first()
    return recorded.ended_at - first.report.ended_at if recorded else now - reports.outline.last_end


def import_lines(
    lines: Iterable[ReportLine], *, source: Source, shift: dt.timedelta, now: dt.datetime, keep_alike: bool = False
) -> Iterator[tuple[ReportLine, Recorded | Twin | None]]:
    """Record lines in batches; yields each line with what became of it, or with None if the line is bad.

    A line that is alike to a recorded match, or to a line before it, isn't recorded unless such lines are to be kept:
    it comes with its twin. Boards are published meanwhile, so that ranks before and after a match are those of its
    time.
    """
    batch: list[ReportLine] = []
    for line in lines:
        batch.append(line)
        if len(batch) == BATCH_SIZE:
            yield from _import_batch(batch, source, shift, now, keep_alike)
            batch = []
    yield from _import_batch(batch, source, shift, now, keep_alike)


def _import_batch(
    batch: list[ReportLine], source: Source, shift: dt.timedelta, now: dt.datetime, keep_alike: bool
) -> Iterator[tuple[ReportLine, Recorded | Twin | None]]:
    reports = [shift_report(line.report, shift) for line in batch if line.report]
    twins = {} if keep_alike else find_twins(reports, source)
    wanted = [report for index, report in enumerate(reports) if index not in twins]
    recorded = record_results(wanted, source=source, now=now, elsewhere=True)
    modes = {one.record.match.mode_id: one.record.match.mode for one in recorded if one.record and one.is_new}
    for mode in modes.values():
        publish(mode, now=timezone.now())
    left = iter(recorded)
    outcomes = iter([twins[index] if index in twins else next(left) for index in range(len(reports))])
    for line in batch:
        yield line, next(outcomes) if line.report else None


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
