"""What backup and restore refuse; that they work is a journey (tests/journeys/test_backup.py)."""

import pytest

from config.backups import BackupFailed, back_up, restore


def check_refused(act, file, sentence):
    with pytest.raises(BackupFailed) as refused:
        act(file)
    assert sentence in str(refused.value)


def test_a_backup_overwrites_nothing(tmp_path):
    file = tmp_path / "yesterdays"
    file.write_text("kept")
    check_refused(back_up, file, f"{file} exists already")
    check_refused(back_up, tmp_path / "nowhere" / "file", f"There is no directory {tmp_path / 'nowhere'}.")
    assert [(left.name, left.read_text()) for left in tmp_path.iterdir()] == [("yesterdays", "kept")]


@pytest.mark.django_db
def test_only_an_empty_database_is_filled(tmp_path):
    file = tmp_path / "backup"
    check_refused(restore, file, f"There is no file {file}.")
    file.touch()
    check_refused(restore, file, "This database isn't empty.")
