"""Imports files with one match result a line; they are recorded like results sent to the API."""

import datetime as dt
from collections.abc import Iterable, Iterator

from ranking.matches.alike import Twin, find_twins
from ranking.matches.recording import BATCH_SIZE, Recorded, record_results
from ranking.models import Match, Mode, Source
from ranking.modes.parameters import create_mode
from ranking.systems.registry import system_class
from ranking.validation.report_files import Outline, ReportLine, shift_report


def create_missing_modes(about: Outline, system: str, now: dt.datetime) -> list[Mode]:
    """Create a mode for each slug in the files that has none yet; raises systems.base.Refused.

    An unknown system is refused even if no mode has to be made.
    """
    system_class(system)
    known = set(Mode.objects.filter(slug__in=about.shapes).values_list("slug", flat=True))
    return [
        create_mode(
            slug=slug,
            name=slug.replace("-", " ").capitalize(),
            system=system,
            now=now,
            team_count=count,
            team_size_min=least,
            team_size_max=most,
        )
        for slug, (count, least, most) in sorted(about.shapes.items())
        if slug not in known
    ]


def shift_to(now: dt.datetime, about: Outline, source: Source) -> dt.timedelta:
    """The time to add to all times so that the last match ended at `now`.

    If the file's first match was imported before, the same time is added again. So importing again, or going on after
    a stop, finds the results that are recorded.
    """
    if about.anchor is None or about.last_end is None:
        return dt.timedelta()
    recorded = Match.objects.filter(source=source, external_id=about.anchor.id).first()
    return recorded.ended_at - about.anchor.ended_at if recorded else now - about.last_end


def import_lines(
    lines: Iterable[ReportLine], *, source: Source, shift: dt.timedelta, now: dt.datetime, keep_alike: bool = False
) -> Iterator[tuple[ReportLine, Recorded | Twin | None]]:
    """Record lines in batches; yields each line with what became of it, or with None if the line is bad.

    A line that is alike to a recorded match, or to a line before it, isn't recorded unless such lines are to be kept:
    it comes with its twin.
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
    recorded = iter(record_results(wanted, source=source, now=now, elsewhere=True))
    outcomes = iter([twins[index] if index in twins else next(recorded) for index in range(len(reports))])
    for line in batch:
        yield line, next(outcomes) if line.report else None
