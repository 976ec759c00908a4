"""`manage.py end_season MODE [--name NEXT] [--reset KIND] [--factor F] [--skip-late]`: ends a mode's season now.

`manage.py end_season MODE --take-back` takes the last end back.
"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from ranking.models import Mode, Season
from ranking.operations.audit import COMMAND, NOBODY, acting_through
from ranking.rerating.lease import LeaseLost
from ranking.seasons.dates import EndRefused, EndRequest, request_end
from ranking.seasons.ending import end_season
from ranking.seasons.taking_back import TakingBackRefused, take_back_end
from ranking.systems.base import RESETS, Refused, ResetRule


class Command(BaseCommand):
    help = (
        "End a mode's season now, and open the next one, while the site goes on. Results that ended before now are"
        " waited for first. Stopped at any point, it is taken up by the jobs, or by this command started again."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("mode", metavar="MODE")
        parser.add_argument(
            "--name", default="", metavar="NEXT", help="name of the next season; default: by its number"
        )
        parser.add_argument("--reset", choices=RESETS, help="what becomes of ratings; default: as the season says")
        parser.add_argument("--factor", type=float, help="what a soft reset keeps, 0 to 1; default: as the season says")
        parser.add_argument("--skip-late", action="store_true", help="don't wait for late results")
        parser.add_argument(
            "--take-back", action="store_true", help="take the last end back; possible until the next season is played"
        )
        parser.add_argument("--reason", default="manage.py end_season", help="for the record")

    @acting_through(NOBODY[COMMAND])
    def handle(self, *, mode: str, take_back: bool, **options: Any) -> None:
        row = Mode.objects.filter(slug=mode).first()
        if row is None:
            raise CommandError(f"There is no mode {mode!r}.", returncode=2)
        if take_back:
            self._take_back(row, options["reason"])
        else:
            self._end(row, mode, **options)

    def _take_back(self, mode: Mode, reason: str) -> None:
        try:
            season = take_back_end(mode, by=None, reason=reason, now=timezone.now())
        except TakingBackRefused as refused:
            raise CommandError(str(refused)) from refused
        ends = f"it ends at {season.ends_at:%Y-%m-%d %H:%M} UTC" if season.ends_at else "no end is set"
        self.stdout.write(f"{season.name} of {mode.slug} goes on; {ends}.")

    def _end(self, row: Mode, mode: str, *, skip_late: bool, reason: str, **options: Any) -> None:
        season = Season.objects.get(mode=row, current=True)
        if season.state != Season.CLOSING:  # else the command was started again
            season = _request(season, skip_late=skip_late, reason=reason, **options)
        if season.late_until is not None and season.late_until > timezone.now():
            self.stdout.write(
                f"{season.name} of {mode} closes. Results of it count until {season.late_until:%Y-%m-%d %H:%M:%S} UTC;"
                " then the jobs end it."
            )
            return
        try:
            ended = end_season(row)
        except LeaseLost as lost:
            raise CommandError(str(lost)) from lost
        if ended is None:
            raise CommandError(f"{mode} is being worked on by another process; the season ends when that is done.")
        following = Season.objects.get(mode=row, current=True)
        self.stdout.write(f"{ended.name} of {mode} is over, and {following.name} has begun.")


def _request(
    season: Season, *, skip_late: bool, reason: str, name: str, reset: str | None, factor: float | None, **_: Any
) -> Season:
    try:
        rule = ResetRule(reset or season.reset, season.reset_factor if factor is None else factor)
        names = {} if name else season.next_names
        request = EndRequest(rule, name or season.next_name, skip_late, names)
        return request_end(season.mode, request, by=None, reason=reason, now=timezone.now())
    except (EndRefused, Refused) as refused:
        raise CommandError(str(refused)) from refused
