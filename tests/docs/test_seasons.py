"""docs/seasons.md: the file of ratings is brought along as the page says."""

import re
from io import StringIO

import pytest
from django.core.management import call_command

from ranking.models import Rating
from tests.support.factories import make_mode
from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "seasons.md").read_text()


@pytest.mark.django_db
def test_the_file_of_ratings(tmp_path):
    make_mode()
    file, out = tmp_path / "ladder.csv", StringIO()
    [text] = re.findall(r"```csv\n(.*?)```", PAGE, flags=re.DOTALL)
    [option] = re.findall(r"`--map (linear:[^`]+)`", PAGE)
    file.write_text(text)
    call_command("import_ratings", "duel", str(file), "--map", option, "--placed", stdout=out)
    assert re.findall(r"\d+", out.getvalue()) == ["2", "0"]
    shown = Rating.objects.order_by("pk").values_list("player__name", "display_hundredths", "seeded_matches")
    assert list(shown) == [("Fox", 27_00, 340), ("Owl", 21_00, 25)]
    call_command("import_ratings", "duel", str(file), "--undo", stdout=out)
    assert re.findall(r"\d+", out.getvalue()) == ["2", "0", "2"]
