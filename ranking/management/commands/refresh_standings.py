"""`manage.py refresh_standings [MODE] [--now T]`: publishes boards now."""

import datetime as dt
from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from ranking.models import Mode
from ranking.standings.publishing import publish


class Command(BaseCommand):
    help = "Publish the boards of one mode, or of all; all of their players are counted."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("mode", nargs="?", help="slug; default: every mode")
        parser.add_argument("--now", help="ISO 8601 time to publish as of; default: the clock")

    def handle(self, *, mode: str | None, now: str | None, **options: object) -> None:
        time = _read_time(now) if now else timezone.now()
        modes = list(Mode.objects.filter(slug=mode) if mode else Mode.objects.all())
        if mode and not modes:
            raise CommandError(f"There is no mode {mode!r}.")
        for each in modes:
            snapshot = publish(each, now=time, count_all=True)
            outcome = "another publisher is at work" if snapshot is None else f"{snapshot.listed:,} listed"
            self.stdout.write(f"{each.slug}: {outcome}")


def _read_time(text: str) -> dt.datetime:
    try:
        time = parse_datetime(text)
    except ValueError:
        time = None
    if time is None:
        raise CommandError(f"--now: {text!r} is no ISO 8601 time.")
    return time if time.tzinfo else time.replace(tzinfo=dt.UTC)
