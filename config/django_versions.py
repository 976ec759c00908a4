"""Where Django's versions differ: Rungs runs on 5.2, which the lock has, 6.0 and 6.1 (docs/operating.md, Versions).

Each part says with which version it goes; after the last of them this file goes, too.
"""

from typing import Any

import django

# With 5.2 go these, and django-template-partials: since 6.0 partials of templates are Django's own.
_WITHOUT_PARTIALS = django.VERSION < (6, 0)
PARTIALS_APPS = ["template_partials"] if _WITHOUT_PARTIALS else []
PARTIALS_TAGS = ["template_partials.templatetags.partials"] if _WITHOUT_PARTIALS else []

# With 6.0: since 6.1 each mailer has its options, in MAILERS, and these settings are refused beside it.
_WITHOUT_MAILERS = django.VERSION < (6, 1)
_SETTINGS_OF_OPTIONS = {
    "file_path": "EMAIL_FILE_PATH",
    "host": "EMAIL_HOST",
    "port": "EMAIL_PORT",
    "username": "EMAIL_HOST_USER",
    "password": "EMAIL_HOST_PASSWORD",
    "use_tls": "EMAIL_USE_TLS",
    "use_ssl": "EMAIL_USE_SSL",
    "timeout": "EMAIL_TIMEOUT",
}


def mail_settings(mailer: dict[str, Any]) -> dict[str, Any]:
    """Return Django's settings that send all mail by one mailer, which is an entry of MAILERS."""
    settings: dict[str, Any] = {"MAILERS": {"default": mailer}}
    if _WITHOUT_MAILERS:
        settings["EMAIL_BACKEND"] = mailer["BACKEND"]
        settings |= {_SETTINGS_OF_OPTIONS[name]: value for name, value in mailer["OPTIONS"].items()}
    return settings


# With the last of them goes this. Since 6.1 Django compares conditions with 1 on SQLite, which then uses no index for
# them, neither those that were made with 5.2 nor those of row values and beginnings of names.
def keep_conditions() -> None:
    """Let conditions stand in a query as they are."""
    from django.db import connection  # not while settings are read

    if django.VERSION >= (6, 1) and connection.vendor == "sqlite":
        kind: Any = type(connection.ops)
        kind.conditional_expression_supported_in_where_clause = lambda *_: True
