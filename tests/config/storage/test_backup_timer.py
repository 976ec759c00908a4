"""What the backup timer writes, keeps and deletes; that its backups restore is a journey (tests/journeys)."""

import datetime as dt
import errno
import fcntl

import pytest
from django.core.management import CommandError, call_command

from config.storage.backup_timer import newest_backup_at, take_backup
from config.storage.backups import BackupFailed

NOON = dt.datetime(2026, 5, 20, 12, tzinfo=dt.UTC)
DAY = dt.timedelta(days=1)


def name(at: dt.datetime) -> str:
    return f"rungs-{at:%Y%m%dT%H%M%SZ}.backup"


def fill(folder, *days_ago, text="whole"):
    for days in days_ago:
        (folder / name(NOON - days * DAY)).write_text(text)


def names(folder):
    return sorted(path.name for path in folder.iterdir() if path.name != ".lock")


@pytest.mark.django_db(transaction=True)
def test_the_oldest_go_once_there_is_a_new_one(tmp_path):
    fill(tmp_path, 1, 2, 3, 4)
    others = ("before-the-upgrade", "rungs-1.backup", "rungs-20260501T000000Z.backup.copy")
    for other in others:
        (tmp_path / other).touch()
    for end in (".partial", ".partial-journal"):
        (tmp_path / f".{name(NOON - DAY / 2)}{end}").write_text("of a timer that was killed")
    (tmp_path / f".{name(NOON - DAY / 3)}.partial-journal").write_text("of another one")
    file, deleted = take_backup(tmp_path, keep=3, now=NOON)
    assert file.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in deleted] == [name(NOON - 4 * DAY), name(NOON - 3 * DAY)]
    assert names(tmp_path) == sorted([*others, *(name(NOON - days * DAY) for days in (0, 1, 2))])


@pytest.mark.django_db(transaction=True)
def test_an_empty_file_is_no_backup_and_pushes_out_none(tmp_path):
    fill(tmp_path, 3)
    fill(tmp_path, 1, 2, text="")
    _, deleted = take_backup(tmp_path, keep=2, now=NOON)
    assert deleted == []


@pytest.mark.django_db(transaction=True)
def test_the_new_one_is_kept_beside_those_of_a_clock_that_was_ahead(tmp_path):
    fill(tmp_path, -7, -8)
    file, _ = take_backup(tmp_path, keep=2, now=NOON)
    assert file.exists()
    assert newest_backup_at(tmp_path, now=NOON) == NOON


def test_a_backup_that_fails_deletes_nothing(tmp_path):
    fill(tmp_path, 0, 1, 2, 3)
    before = names(tmp_path)
    with pytest.raises(BackupFailed, match="exists already"):
        take_backup(tmp_path, keep=1, now=NOON)
    assert names(tmp_path) == before


def test_two_timers_dont_write_at_once(tmp_path):
    with (tmp_path / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(BackupFailed, match="Another backup"):
            take_backup(tmp_path, keep=1, now=NOON)


def test_a_folder_that_cant_be_locked_is_named(tmp_path, monkeypatch):
    def fail(*_):
        raise OSError(errno.ENOLCK, "No locks available")  # as on a share that has none

    monkeypatch.setattr(fcntl, "flock", fail)
    with pytest.raises(BackupFailed, match="No locks available"):
        take_backup(tmp_path, keep=1, now=NOON)


@pytest.mark.django_db(transaction=True)
def test_an_old_backup_that_cant_be_deleted_stays(tmp_path):
    """The new one is taken all the same, and the others go."""
    fill(tmp_path, 2)
    stuck = tmp_path / name(NOON - 3 * DAY)
    (stuck / "a folder").mkdir(parents=True)
    file, deleted = take_backup(tmp_path, keep=1, now=NOON)
    assert ([path.name for path in deleted], names(tmp_path)) == ([name(NOON - 2 * DAY)], [stuck.name, file.name])


def test_a_folder_that_cant_be_read_has_no_newest(tmp_path, monkeypatch):
    def fail(*_):
        raise OSError(errno.ESTALE, "Stale file handle")

    fill(tmp_path, 1)
    monkeypatch.setattr("os.scandir", fail)
    assert newest_backup_at(tmp_path, now=NOON) is None


def test_a_folder_that_isnt_there_is_named(tmp_path):
    with pytest.raises(BackupFailed, match=r"nowhere.*No such file or directory"):
        take_backup(tmp_path / "nowhere", keep=1, now=NOON)


def test_the_newest_is_the_last_that_isnt_of_the_future(tmp_path):
    assert newest_backup_at(tmp_path, now=NOON) is None
    fill(tmp_path, -1, 2, 5)
    assert newest_backup_at(tmp_path, now=NOON) == NOON - 2 * DAY


def test_without_a_folder_the_timer_says_which_variable_it_wants():
    with pytest.raises(CommandError, match="RUNGS_BACKUP_DIR"):
        call_command("backup_timer")
