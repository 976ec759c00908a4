"""`manage.py doctor`: check the ledger's invariants, the boards, the jobs and the settings."""

import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from itertools import chain

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import check_password
from django.core import checks
from django.core.management.base import BaseCommand
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from config.management.commands.demo import ADMIN, PASSWORD, PLAYER
from config.storage.backups import find_old_pg_dump
from config.storage.off_host_backups import find_fault
from config.storage.poolers import PREPARED, loses_statements
from config.storage.upgrades import TOO_OLD, is_too_old
from leaderboards.invariants import violations as leaderboards_violations
from matchmaking.operations.invariants import violations as matchmaking_violations
from ranking.matches.doubles import waiting_sentence
from ranking.matches.invariants import violations
from ranking.moderation.invariants import violations as conduct_violations
from ranking.modes.invariants import violations as mode_violations
from ranking.operations.keys import violations as key_violations
from ranking.operations.violations import Violation
from ranking.seasons.invariants import violations as season_violations

ONLY_HERE = {"127.0.0.1", "localhost", "[::1]"}  # hosts that only this machine reaches
UNREADABLE = ("database.version", "database.migrations")  # the ledger isn't read then


class Command(BaseCommand):
    help = "Check the ledger's invariants, boards, jobs and settings. Exit status 1 if anything is wrong."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--data", action="store_true", help="leave out the settings: look at the database alone")

    def handle(self, *, data: bool, **options: object) -> None:
        count, readable = 0, True
        for violation in chain(() if data else settings_violations(), data_violations()):
            count += 1
            readable = readable and violation.code not in UNREADABLE
            self.stdout.write(f"{violation.code}: {violation.sentence}\n    {violation.cure}")
        if readable and (waiting := waiting_sentence()):
            self.stdout.write(waiting)
        if count:
            self.stdout.write(f"{count} violation{'s' if count > 1 else ''}.")
            sys.exit(1)
        self.stdout.write("All is well.")


def data_violations() -> Iterator[Violation]:
    """Yield violations of the database; the ledger is read only if its tables are up to date."""
    if is_too_old(connection):
        yield Violation("database.version", TOO_OLD, "docs/operating.md, Upgrade")
        return
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        yield Violation("database.migrations", "The database is older than the program.", "manage.py migrate")
        return
    if names := _public_logins():
        yield Violation(
            "database.demo",
            f"Anybody can log in as {' and '.join(names)}: the demo's password is public.",
            f"manage.py changepassword {names[0]}, or start with a new database",
        )
    yield from key_violations(timezone.now())
    yield from violations(timezone.now())
    yield from mode_violations(timezone.now())
    yield from conduct_violations(timezone.now())
    yield from season_violations(timezone.now())
    yield from leaderboards_violations(timezone.now())
    yield from matchmaking_violations(timezone.now())


def _public_logins() -> list[str]:
    """The demo's logins that still have its password, on a site that others than this machine reach."""
    if not settings.SCALED and ONLY_HERE.issuperset(settings.ALLOWED_HOSTS):
        return []
    users = get_user_model().objects.filter(username__in=(ADMIN, PLAYER), is_active=True).order_by("pk")
    return [user.username for user in users if check_password(PASSWORD, user.password)]


def settings_violations() -> Iterator[Violation]:
    for message in checks.run_checks(include_deployment_checks=settings.SCALED):
        if message.level >= checks.WARNING:
            yield Violation(message.id or "check", str(message.msg), str(message.hint or "See the message."))
    if settings.DEBUG:
        yield Violation(
            "settings.debug", "RUNGS_DEBUG is on: errors show their traceback to everyone.", "Unset RUNGS_DEBUG."
        )
    if too_old := find_old_pg_dump():
        yield Violation("backups.pg_dump", too_old, "docs/backups.md, A new version of PostgreSQL")
    if fault := find_fault(timezone.now()):
        yield Violation("backups.copies", fault, "docs/backups.md, Away from the machine")
    if connection.vendor == "postgresql" and loses_statements(connection.get_connection_params()):
        yield Violation("database.pooler", "Requests fail: a pooler loses prepared statements.", PREPARED)
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            for pragma, expected in (("journal_mode", "wal"), ("synchronous", 2)):
                cursor.execute(f"PRAGMA {pragma}")
                value = cursor.fetchone()[0]
                if value not in (expected, "memory"):
                    sentence = f"SQLite's {pragma} is {value}; it should be {expected}."
                    yield Violation("database.sqlite", sentence, "Take the database's OPTIONS from config/settings.py.")
