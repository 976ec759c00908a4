"""Copies of backups in a storage that speaks S3: a real server of it, to which the site's library sends requests."""

import datetime as dt

import boto3
import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from moto.server import ThreadedMotoServer

from config.management.commands import backup_timer
from config.storage.backup_timer import NAME
from config.storage.backups import BackupFailed
from config.storage.off_host_backups import (
    copy_backups,
    fetch_copy,
    find_fault,
    known_copy_at,
    list_copies,
    newest_copy_at,
)
from tests.support.environment import SCALED_SITE, read_settings

NOON = dt.datetime(2026, 5, 20, 12, tzinfo=dt.UTC)
DAY = dt.timedelta(days=1)
BUCKET = "studio-backups"


@pytest.fixture(scope="module")
def server():
    running = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    yield f"http://{host}:{port}"
    running.stop()


@pytest.fixture
def bucket(server, settings):
    """The other end, as its owner sees it."""
    settings.BACKUP_URL, settings.BACKUP_ENDPOINT = f"s3://{BUCKET}/rungs/main", server
    settings.BACKUP_REGION, settings.BACKUP_KEY_ID, settings.BACKUP_SECRET = "eu-central-1", "studio", "secret"
    storage = boto3.resource(
        "s3", endpoint_url=server, region_name="eu-central-1", aws_access_key_id="o", aws_secret_access_key="s"
    )
    made = storage.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
    yield made
    made.objects.all().delete()
    made.delete()


def name(days_ago):
    return (NOON - days_ago * DAY).strftime(NAME)


def fill(folder, *days_ago, content=b"whole"):
    for days in days_ago:
        (folder / name(days)).write_bytes(content)


def keys(bucket):
    return sorted(entry.key for entry in bucket.objects.all())


def test_what_isnt_there_yet_is_copied_and_the_oldest_copies_go(tmp_path, bucket):
    bucket.put_object(Key="rungs/main/before-the-upgrade", Body=b"somebody's own")
    bucket.put_object(Key=f"rungs/{name(99)}", Body=b"another site's")
    fill(tmp_path, 3, 2, 1)
    assert copy_backups(tmp_path, keep=3) == ([name(3), name(2), name(1)], [])
    (tmp_path / name(3)).unlink()
    fill(tmp_path, 0)
    assert copy_backups(tmp_path, keep=3) == ([name(0)], [name(3)])
    assert copy_backups(tmp_path, keep=3) == ([], [])
    kept = [f"rungs/main/{name(days)}" for days in (2, 1, 0)]
    assert keys(bucket) == sorted([*kept, "rungs/main/before-the-upgrade", f"rungs/{name(99)}"])
    assert (newest_copy_at(now=NOON), newest_copy_at(now=NOON - DAY / 2)) == (NOON, NOON - DAY)
    assert list_copies() == [name(0), name(1), name(2)]
    assert (known_copy_at(tmp_path, now=NOON), known_copy_at(tmp_path, now=NOON - DAY / 2)) == (NOON, NOON - DAY)


def test_a_backup_of_many_parts_comes_back_as_it_was(tmp_path, bucket):
    content = bytes(range(256)) * 80_000
    fill(tmp_path, 0, content=content)
    copy_backups(tmp_path, keep=1)
    fetched = tmp_path / "fetched"
    fetch_copy(name(0), fetched)
    assert (fetched.read_bytes() == content, fetched.stat().st_mode & 0o777) == (True, 0o600)
    assert "-3" in bucket.Object(f"rungs/main/{name(0)}").e_tag  # parts


def test_a_damaged_copy_is_refused_and_leaves_no_file(tmp_path, bucket):
    fill(tmp_path, 0)
    copy_backups(tmp_path, keep=1)
    entry = bucket.Object(f"rungs/main/{name(0)}")
    entry.put(Body=b"whola", Metadata=entry.metadata)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(BackupFailed, match="damaged: its checksum is another"):
        fetch_copy(name(0), tmp_path / "fetched")
    assert sorted(tmp_path.iterdir()) == before


def test_what_cant_be_fetched_is_said(tmp_path, bucket):
    with pytest.raises(CommandError, match=rf"There is no copy x in s3://{BUCKET}/rungs/main"):
        call_command("fetch_backup", "x", str(tmp_path / "new"))
    with pytest.raises(CommandError, match="exists already"):
        call_command("fetch_backup", name(0), str(tmp_path))
    with pytest.raises(CommandError, match="which new file"):
        call_command("fetch_backup", name(0))


def test_doctor_warns_of_old_copies_and_of_a_storage_that_doesnt_answer(tmp_path, bucket, settings):
    assert "There is none." in find_fault(NOON)
    fill(tmp_path, 0)
    copy_backups(tmp_path, keep=1)
    assert find_fault(NOON + 2 * DAY) is None
    assert "The newest is of 2026-05-20 12:00 UTC." in find_fault(NOON + 2 * DAY + dt.timedelta(seconds=1))
    settings.BACKUP_URL = "s3://no-such-bucket"
    assert "can't be looked for" in find_fault(NOON)
    settings.BACKUP_URL = ""
    assert find_fault(NOON) is None


@pytest.mark.django_db(transaction=True)
def test_the_timer_copies_each_backup_and_tries_again_after_a_failure(tmp_path, bucket, settings, monkeypatch, capsys):
    """A copy that fails costs no backup: the next look copies it."""
    settings.BACKUP_DIR, settings.BACKUPS_KEPT = str(tmp_path), 3
    monkeypatch.setattr(backup_timer, "AGAIN", 0.1)
    monkeypatch.setattr(backup_timer, "LOOK", 0.1)
    endpoint, settings.BACKUP_URL = settings.BACKUP_URL, "s3://no-such-bucket"
    naps = []

    def nap(seconds):
        naps.append(seconds)
        settings.BACKUP_URL = endpoint
        if keys(bucket):
            raise KeyboardInterrupt
        real(seconds)

    real = backup_timer.time.sleep
    monkeypatch.setattr(backup_timer.time, "sleep", nap)
    with pytest.raises(KeyboardInterrupt):
        backup_timer._go_on(tmp_path)
    (file,) = tmp_path.glob("rungs-*.backup")
    assert keys(bucket) == [f"rungs/main/{file.name}"]
    assert naps


@pytest.mark.django_db(transaction=True)
def test_once_takes_a_backup_and_fails_if_it_cant_be_copied(tmp_path, bucket, settings):
    settings.BACKUP_DIR = str(tmp_path)
    call_command("backup_timer", "--once")
    (file,) = tmp_path.glob("rungs-*.backup")
    assert keys(bucket) == [f"rungs/main/{file.name}"]
    assert find_fault(timezone.now()) is None
    settings.BACKUP_URL = "s3://no-such-bucket"
    file.unlink()
    with pytest.raises(CommandError, match="no-such-bucket"):
        call_command("backup_timer", "--once")
    assert list(tmp_path.glob("rungs-*.backup")) != []


def test_settings_say_what_is_missing_and_take_the_secret_from_a_file(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("of a file\n")
    good = {"RUNGS_BACKUP_URL": "s3://b/f", "RUNGS_BACKUP_KEY_ID": "k", "RUNGS_BACKUP_SECRET_FILE": str(secret)}
    assert read_settings(**SCALED_SITE, **good)["BACKUP_SECRET"] == "of a file"
    for wrong, sentence in [
        ({"RUNGS_BACKUP_URL": "https://b/f"}, "RUNGS_BACKUP_URL can't be read: begin it with s3://"),
        ({"RUNGS_BACKUP_URL": "s3://"}, "RUNGS_BACKUP_URL names no bucket"),
        ({"RUNGS_BACKUP_KEY_ID": "k"}, "RUNGS_BACKUP_KEY_ID and RUNGS_BACKUP_SECRET belong together"),
    ]:
        with pytest.raises(Exception, match=sentence):
            read_settings(**SCALED_SITE, **wrong)
