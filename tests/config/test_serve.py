"""What `manage.py serve` refuses before it starts anything, and where its processes count."""

import os
import socket
import subprocess

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db.migrations.recorder import MigrationRecorder

from config.management.commands.serve import metrics_folder


def test_a_port_that_another_site_listens_to_is_refused():
    with socket.create_server(("127.0.0.1", 0), reuse_port=True) as other:
        port = other.getsockname()[1]
        with pytest.raises(
            CommandError, match=f"^Nothing can listen on port {port} of 127.0.0.1: Address already in use"
        ):
            call_command("serve", port=port)


@pytest.mark.django_db
@pytest.mark.skipif(settings.SCALED, reason="The demo is of the embedded profile.")
@pytest.mark.parametrize("command", [["serve", "--demo"], ["demo"]])
def test_a_demo_wants_a_migrated_database(command):
    MigrationRecorder.Migration.objects.filter(app="matchmaking").delete()
    with pytest.raises(
        CommandError, match=r"^This database is older than the program: run manage\.py migrate first\.$"
    ):
        call_command(*command)


def test_counters_are_kept_in_memory_if_there_is_a_folder_of_it(tmp_path):
    with metrics_folder(memory=tmp_path) as one, metrics_folder(memory=tmp_path) as other:
        assert {one.parent, other.parent, one.stat().st_mode & 0o777} == {tmp_path, 0o700}
        assert one != other
    assert list(tmp_path.iterdir()) == []
    with metrics_folder(memory=tmp_path / "none") as elsewhere:
        assert elsewhere.is_dir()
    assert not elsewhere.exists()


def test_what_a_supervisor_left_that_was_killed_is_deleted(tmp_path):
    ended = subprocess.Popen(["true"])
    ended.wait()
    for process in (ended.pid, os.getpid()):
        (tmp_path / f"rungs-serve-{process}-x").mkdir()
        (tmp_path / f"rungs-serve-{process}-x/counter.db").write_text("counted")
    (tmp_path / "somebody-elses").mkdir()
    with metrics_folder(memory=tmp_path) as folder:
        assert {path.name for path in tmp_path.iterdir()} == {
            f"rungs-serve-{os.getpid()}-x", "somebody-elses", folder.name,
        }  # fmt: skip
