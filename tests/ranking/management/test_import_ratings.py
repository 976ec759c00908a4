"""`manage.py import_ratings`: files, maps, what is refused, and the way back."""

import re
from decimal import Decimal
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from ranking.models import Rating, Seed
from ranking.systems.foreign_scales import ForeignRating, LinearScale, RankScale
from ranking.systems.registry import SYSTEMS, get_system
from tests.support.factories import make_mode, record

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def bring(tmp_path, capsys):
    """Run the command with a file of this text; returns what it printed, and its error with the exit status."""

    def run(text, *options, mode="duel"):
        file = tmp_path / "ladder.csv"
        file.write_text(text)
        out = StringIO()
        try:
            call_command("import_ratings", mode, str(file), *options, stdout=out)
        except CommandError as error:
            said = capsys.readouterr().err.replace(f"{file}, ", "").splitlines()
            return str(error), error.returncode, [line for line in said if line.startswith("line")]
        return out.getvalue()

    return run


def displays():
    return dict(Rating.objects.values_list("player__key", "display_hundredths"))


def test_a_file_is_brought_along_once_and_taken_back(bring):
    make_mode()
    text = "player id,name,rating,matches\nfox,Fox,40,7\nowl,,30,\n"
    assert re.findall(r"\d+ \w+", bring(text)) == ["2 brought", "0 known"]
    assert re.findall(r"\d+ \w+", bring(text)) == ["0 brought", "2 known"]
    assert displays() == {"fox": 40_00, "owl": 30_00}
    assert dict(Rating.objects.values_list("player__key", "seeded_matches")) == {"fox": 7, "owl": 0}
    assert bring(text, "--undo") == "2 taken back.\n"
    assert (Seed.objects.count(), displays()) == (0, {"fox": 25_00, "owl": 25_00})
    assert bring(text, "--undo") == "0 taken back.\n"


def test_bad_lines_are_named_and_nothing_is_written(bring):
    make_mode()
    assert bring("fox,Fox,40\nowl,,\nelk,,1,2\n") == (
        "Nothing was written: 2 lines can't be brought along.", 1,
        ["line 2: rating is missing; give a number such as 1520.5.", "line 3: elo keeps no deviation: leave it out."],
    )  # fmt: skip
    assert Rating.objects.count() == 0


def test_what_makes_no_sense_is_refused(bring):
    make_mode()
    assert bring("fox,,1", mode="none")[:2] == ("There is no mode 'none'.", 2)
    assert bring("fox,,1", "--map", "cubic:1,2")[:2] == (
        "There is no map 'cubic:1,2'; give linear:A,B, such as linear:0.5,1000.", 2
    )  # fmt: skip
    bring("fox,,40\n")
    record(["fox"], ["owl"])
    message, returncode, *_ = bring("fox,,40\n", "--undo")
    assert (message.startswith("'fox' has played since"), returncode) == (True, 2)


@pytest.mark.parametrize("options", [["--map", "linear:0.01,10.004"], ["--by-rank"]])
def test_foreign_scales(bring, options):
    make_mode()
    bring("fox,,2000\nowl,,1500\nelk,,1500\nant,,100\n", *options)
    shown = displays()
    # By rank: shares of 1/8 and 7/8 are 1.1503 deviations of two logits, each of which is 4.1667/1.2035 points.
    best, last = (30_00, 11_00) if options[0] == "--map" else (32_97, 17_03)
    assert shown == {"fox": best, "owl": 25_00, "elk": 25_00, "ant": last}


@pytest.mark.parametrize("key", sorted(SYSTEMS))
def test_by_rank_never_turns_the_order_and_is_on_the_systems_scale(key):
    system = get_system(key)
    ratings = [Decimal(number % 97) for number in range(300)]
    shown = RankScale().displays(ratings, system)
    pairs = sorted(zip(ratings, shown, strict=True))
    assert [display for _, display in pairs] == sorted(shown)
    assert len(set(shown)) <= 97
    for display in shown:
        assert system.display(system.seed(display)) == display


def test_a_linear_map_is_exact():
    system = get_system("battle-points")
    system = get_system("battle-points", {"floor": 0})
    ratings = [Decimal("1.5"), Decimal("0.1")]
    skills = LinearScale(Decimal("333.3"), Decimal("0.55")).skills(
        [ForeignRating(rating) for rating in ratings], system
    )
    assert [system.display(skill) for skill in skills] == [Decimal(501), Decimal(34)]
