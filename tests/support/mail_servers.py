"""Mail that goes to a server, in place of the outbox of Django's test runner."""

from typing import Any

from config.django_versions import mail_settings


def send_to_server(settings: Any, **options: Any) -> None:
    """Until the test ends, mail goes to a server on this machine; options are those of Django's SMTP backend."""
    mailer = {"BACKEND": "django.core.mail.backends.smtp.EmailBackend", "OPTIONS": {"host": "127.0.0.1", **options}}
    for name, value in mail_settings(mailer).items():
        setattr(settings, name, value)
