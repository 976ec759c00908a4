"""`manage.py grant_achievements` grants what players earned by their histories and by final standings of seasons."""

from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from leaderboards.achievements.reading import players_of, read_mode
from leaderboards.achievements.seasons import grant_mode
from ranking.models import Mode
from ranking.operations.progress import progress_bar


class Command(BaseCommand):
    help = (
        "Read on the histories of all players, and the standings of archived seasons, and grant what they achieved."
        " Safe to run twice, while results come in, and to stop: the next run goes on."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "mode", nargs="?", metavar="MODE", help="slug of a mode; every ranked one where none is given"
        )
        parser.add_argument(
            "--anew", action="store_true", help="read from the beginning; what no rule grants any more is taken back"
        )

    def handle(self, *, mode: str | None, anew: bool, **options: object) -> None:
        modes = Mode.objects.filter(ranked=True)
        if mode is not None:
            modes = modes.filter(slug=mode)
            if not modes:
                raise CommandError(f"There is no ranked mode {mode!r}.")
        for row in modes:
            total = players_of(row).count()
            with progress_bar(total=total, desc=row.slug, unit="players") as progress:
                added = read_mode(row, timezone.now(), anew=anew, note=progress.update)
            added += grant_mode(row, anew=anew)
            self.stdout.write(f"{row.slug}: {added:+,} achievement{'' if abs(added) == 1 else 's'}")
