"""An upgrade, rehearsed: a backup of an earlier version under this one, with nothing changed and everything working."""

import gzip
import json
from pathlib import Path

import pytest

from config.storage.upgrades import FIRST, TOO_OLD
from tests.support.replay import alike
from tests.support.servers import SCALED, new_database
from tests.support.sites import Site

pytestmark = pytest.mark.long

BACKUPS = Path(__file__).parent / "backups"

RATINGS = """
import json
from ranking.models import Rating
key = ("mode__slug", "season__number", "player__key")
columns = (*key, "display_hundredths", "mu", "sigma", "wins", "losses", "leaves")
print(json.dumps(sorted(Rating.objects.values_list(*columns))))
"""
FORGET_THE_LAST = f"""
from django.db.migrations.recorder import MigrationRecorder
names = ["{FIRST["ranking"]}", "0023_keys_and_kept_answers"]
print(MigrationRecorder.Migration.objects.filter(app="ranking", name__in=names).delete()[0])
"""


@pytest.fixture
def site(tmp_path, _static_files):
    site = Site(tmp_path, new_database(tmp_path))
    yield site
    site.close()


def unpacked(folder: Path) -> Path:
    if SCALED:
        return BACKUPS / "316a237c.dump"
    file = folder / "316a237c.sqlite3"
    file.write_bytes(gzip.decompress((BACKUPS / "316a237c.sqlite3.gz").read_bytes()))
    return file


def test_a_backup_of_an_earlier_version_goes_on_under_this_one(site, tmp_path):
    site.manage("restore", str(unpacked(tmp_path)))
    assert "No migrations to apply." in site.manage("migrate")
    site.manage("refresh_standings")
    assert site.manage("doctor").splitlines()[-1] == "All is well."  # hints come before
    lived = json.loads(site.shell(RATINGS))
    assert len(lived) == 32
    assert site.manage("rerate", "pairs") == "59 matches of pairs rated anew.\n"
    assert site.manage("rerate", "duel") == "20 matches of duel rated anew.\n"
    assert site.manage("rerate", "arena") == "24 matches of arena rated anew.\n"
    assert alike(json.loads(site.shell(RATINGS)), lived)
    site.manage("refresh_standings")
    assert site.manage("doctor").splitlines()[-1] == "All is well."  # hints come before
    site.start()
    assert site.get("/boards/pairs/")[0] == 200
    assert site.get("/boards/arena/?season=1")[0] == 200
    assert site.get("/players/a/")[0] == 200


def test_an_older_one_is_refused_in_one_sentence(site, tmp_path):
    site.manage("restore", str(unpacked(tmp_path)))
    assert site.shell(FORGET_THE_LAST) == "2"
    assert site.manage("migrate", code=1) == f"CommandError: {TOO_OLD}\n"
