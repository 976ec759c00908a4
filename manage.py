#!/usr/bin/env python3
"""Entry point of every command."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        from django.core.management import execute_from_command_line
    except ModuleNotFoundError:
        sys.exit(f"Django isn't installed for {sys.executable}. Run `make install`, then .venv/bin/python manage.py.")
    from django.db import DatabaseError, connection

    from config import VERSION
    from config.env import InvalidEnvironment

    if sys.argv[1:] in (["--version"], ["version"]):
        sys.stdout.write(f"Rungs {VERSION}\n")
        sys.exit()

    try:
        execute_from_command_line(sys.argv)
    except InvalidEnvironment as error:
        sys.exit(str(error))
    except DatabaseError as error:
        from config.storage.upgrades import NO_TABLES, wants_migrate

        if {"--traceback", "migrate"} & {*sys.argv} or not wants_migrate(error, connection):
            raise
        sys.exit(NO_TABLES.format(name=connection.settings_dict["NAME"]))


if __name__ == "__main__":
    main()
