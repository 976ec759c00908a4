"""`manage.py create_key SOURCE --scope results …`: makes an API key and prints it once."""

import datetime as dt
from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.core.validators import validate_slug
from django.utils import timezone

from ranking.models import Mode
from ranking.models.access import SCOPES
from ranking.operations.audit import COMMAND, NOBODY, acting_through
from ranking.operations.key_administration import make_key

MOST = 2_000_000_000  # requests a minute that a column holds


class Command(BaseCommand):
    help = "Make an API key for a source and print it. It is shown this once; only its digest is kept."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("source", help="the sender, such as game-servers; made if unknown")
        parser.add_argument(
            "--scope", action="append", choices=SCOPES, required=True, help="may be given more than once"
        )
        parser.add_argument("--mode", action="append", default=[], help="only for this mode (slug); default: all")

        parser.add_argument("--name", default="", help="what the key is for, such as the cluster; up to 64 characters")
        parser.add_argument("--expires", metavar="DAYS|DATE", help="30, or 2027-01-31: refused from then on (UTC)")
        parser.add_argument("--limit", type=int, help="requests a minute, instead of RUNGS_LIMIT_KEY")

    def handle(self, *, source: str, scope: list[str], mode: list[str], **options: Any) -> None:
        try:
            validate_slug(source)
        except ValidationError:
            raise CommandError(f"{source!r} can't name a source; use letters, digits, - and _.") from None
        modes = {row.slug: row for row in Mode.objects.filter(slug__in=mode)}
        for slug in mode:
            if slug not in modes:
                raise CommandError(f"There is no mode {slug!r}.")
        name, limit, now = options["name"].strip(), options["limit"], timezone.now()
        if len(name) > 64:
            raise CommandError(f"The name has {len(name)} characters; at most 64 fit.")
        if limit is not None and not 1 <= limit <= MOST:
            raise CommandError(f"--limit must be 1 to {MOST:,} requests a minute, not {limit}.")
        expires_at = None if options["expires"] is None else _moment(options["expires"], now)
        more = {"modes": modes.values(), "name": name, "expires_at": expires_at, "limit": limit}
        with acting_through(NOBODY[COMMAND]):
            secret = make_key(source, scopes=scope, by=None, now=now, **more)
        self.stdout.write(secret)


def _moment(text: str, now: dt.datetime) -> dt.datetime:
    """Return the time that `--expires` means. Raises CommandError."""
    try:
        if text.isdecimal():
            moment = now + dt.timedelta(days=int(text))
        else:
            moment = dt.datetime.fromisoformat(text)
            moment = moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)
    except (ValueError, OverflowError):
        raise CommandError(
            f"--expires must be days, such as 30, or a date, such as 2027-01-31, not {text!r}."
        ) from None
    if moment <= now:
        raise CommandError(f"--expires must be in the future, not {text}.")
    return moment
