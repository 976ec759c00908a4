"""Django's settings of a database, with what the site needs of its kind."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any


def is_sqlite(database: Mapping[str, object]) -> bool:
    return str(database["ENGINE"]).endswith("sqlite3")


def with_options(database: Mapping[str, Any], *, prepared: bool = True) -> dict[str, Any]:
    """These settings of a database, as its URL gives them, with the options of its kind.

    `prepared`: statements may be prepared on the server, which a pooler may not allow.
    """
    if is_sqlite(database):
        return {
            "CONN_MAX_AGE": 60,  # opening the file and reading its schema takes longer than many a page
            **database,
            # Without IMMEDIATE nine of ten contended writes fail; FULL makes a 201 survive a power cut.
            "OPTIONS": {
                "transaction_mode": "IMMEDIATE",
                "timeout": 20,
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA busy_timeout=20000;",
            },
            # As in production: a file.
            "TEST": {"NAME": Path(database["NAME"]).with_name("test.sqlite3")},
        }
    return {
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
        **database,
        "OPTIONS": {
            "connect_timeout": 5,
            **database.get("OPTIONS", {}),
            "server_side_binding": True,  # parameters go beside the SQL, so that it can be prepared
            "prepare_threshold": 5 if prepared else None,
        },
    }
