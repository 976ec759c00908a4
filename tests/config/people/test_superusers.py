"""`manage.py createsuperuser`, as somebody types; tests/config/admin/test_audit.py has the run without questions."""

import getpass
import io
import threading

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import DatabaseError, connection

from ranking.models import AuditEntry, Player
from tests.support.factories import NOW
from tests.support.refusing_databases import execute

PASSWORD = "a long secret"


class Terminal(io.StringIO):
    def isatty(self):
        return True


def create(monkeypatch, ask):
    """Run the command; `ask` gives what is typed at a prompt."""
    monkeypatch.setattr("builtins.input", ask)
    monkeypatch.setattr(getpass, "getpass", ask)
    call_command("createsuperuser", stdin=Terminal(), stdout=io.StringIO(), stderr=io.StringIO())


def typed(prompt):
    return {"Username": "boss", "Email": "boss@example.org", "Password": PASSWORD}[prompt.partition(" ")[0].strip(":")]


@pytest.mark.django_db(transaction=True)
def test_others_write_while_it_waits_for_somebody_to_type(monkeypatch):
    prompts: list[str] = []
    failed: list[Exception] = []

    def write():
        try:
            with connection.cursor() as cursor:
                if connection.vendor == "sqlite":
                    cursor.execute("PRAGMA busy_timeout = 500")
            Player.objects.create(key=f"fox-{len(prompts)}", name="fox", created_at=NOW)
        except Exception as error:
            failed.append(error)
        finally:
            connection.close()

    def ask(prompt="Password: "):
        prompts.append(prompt)
        other = threading.Thread(target=write)
        other.start()
        other.join()
        return typed(prompt)

    create(monkeypatch, ask)
    assert (failed, Player.objects.count(), len(prompts)) == ([], 4, 4)
    boss = User.objects.get(username="boss")
    assert (boss.is_superuser, boss.is_staff, boss.email, boss.check_password(PASSWORD)) == (
        True, True, "boss@example.org", True,
    )  # fmt: skip
    line = AuditEntry.objects.get()
    assert (line.act, line.subject) == ("change roles", f"account {boss.pk}: is_superuser")


@pytest.mark.django_db
def test_nobody_is_made_superuser_without_a_line_in_the_audit_log(monkeypatch):
    execute("ALTER TABLE ranking_auditentry RENAME TO ranking_elsewhere")
    with pytest.raises(DatabaseError):
        create(monkeypatch, lambda prompt="Password: ": typed(prompt))
    assert not User.objects.exists()
