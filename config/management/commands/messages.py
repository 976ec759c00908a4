"""Keeps the catalogues of messages up to date; see docs/languages.md. Needs the programs of gettext."""

import shutil
from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError

from config.languages import catalogues


class Command(BaseCommand):
    requires_system_checks = ()  # one of them refuses catalogues that aren't compiled
    help = "Collect the site's messages for translation and compile them; with --check, say what is stale or missing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("language", nargs="*", help="a code such as de; a new one begins a language")
        parser.add_argument("--check", action="store_true", help="write nothing; fail if anything is stale or missing")

    def handle(self, *args: object, language: list[str], check: bool, **options: object) -> None:
        if shutil.which("xgettext") is None:
            raise CommandError("gettext is missing. Debian and Ubuntu have it in the package gettext.")
        chosen = language or catalogues.languages()
        try:
            if check:
                self.check_languages(chosen)
            else:
                for code in chosen:
                    catalogues.update(code)
        except catalogues.MessagesFailed as failed:
            raise CommandError(str(failed)) from failed

    def check_languages(self, chosen: list[str]) -> None:
        faults = [fault for code in chosen for fault in catalogues.faults(code)]
        if faults:
            raise CommandError("\n".join([*faults, "Run manage.py messages, translate what is missing, and commit."]))
        self.stdout.write(f"Complete: {', '.join(chosen)}.")
