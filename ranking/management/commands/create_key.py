"""`manage.py create_key SOURCE --scope results …`: makes an API key and prints it once."""

from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.core.validators import validate_slug
from django.utils import timezone

from ranking.models import Mode
from ranking.models.access import SCOPES
from ranking.operations.keys import create_key


class Command(BaseCommand):
    help = "Make an API key for a source and print it. It is shown this once; only its digest is kept."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("source", help="the sender, such as game-servers; made if unknown")
        parser.add_argument(
            "--scope", action="append", choices=SCOPES, required=True, help="may be given more than once"
        )
        parser.add_argument("--mode", action="append", default=[], help="only for this mode (slug); default: all")

    def handle(self, *, source: str, scope: list[str], mode: list[str], **options: Any) -> None:
        try:
            validate_slug(source)
        except ValidationError:
            raise CommandError(f"{source!r} can't name a source; use letters, digits, - and _.") from None
        modes = {row.slug: row for row in Mode.objects.filter(slug__in=mode)}
        for slug in mode:
            if slug not in modes:
                raise CommandError(f"There is no mode {slug!r}.")
        self.stdout.write(create_key(source, scopes=scope, now=timezone.now(), modes=modes.values()))
