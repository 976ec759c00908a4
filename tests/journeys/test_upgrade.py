"""An upgrade, rehearsed: a backup of an earlier version under this one, with nothing changed and everything working."""

import gzip
import json
from pathlib import Path

import pytest

from tests.support.replay import alike
from tests.support.servers import SCALED, new_database
from tests.support.sites import Site

pytestmark = pytest.mark.long

BACKUPS = Path(__file__).parent / "backups"

RATINGS = """
import json
from ranking.models import Rating
columns = ("player__key", "display_hundredths", "mu", "wins", "losses", "leaves")
print(json.dumps(sorted(Rating.objects.values_list(*columns))))
"""


def unpacked(folder: Path) -> Path:
    if SCALED:
        return BACKUPS / "0.1.dump"
    file = folder / "0.1.sqlite3"
    file.write_bytes(gzip.decompress((BACKUPS / "0.1.sqlite3.gz").read_bytes()))
    return file


def test_a_backup_of_the_first_version_goes_on_under_this_one(tmp_path):
    site = Site(tmp_path, new_database(tmp_path))
    try:
        site.manage("restore", str(unpacked(tmp_path)))
        site.manage("refresh_standings")
        assert site.manage("doctor") == "All is well.\n"
        lived = json.loads(site.shell(RATINGS))
        assert len(lived) == 12
        assert site.manage("rerate", "pairs") == "60 matches of pairs rated anew.\n"
        assert alike(json.loads(site.shell(RATINGS)), lived)
        site.manage("refresh_standings")
        assert site.manage("doctor") == "All is well.\n"
        site.start()
        assert site.get("/boards/pairs/")[0] == 200
        assert site.get("/players/a/")[0] == 200
    finally:
        site.close()
