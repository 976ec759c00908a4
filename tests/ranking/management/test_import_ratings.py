"""`manage.py import_ratings`: files, maps, what is refused, and the way back."""

import re
from decimal import Decimal
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from ranking.models import Rating, Seed
from ranking.systems.foreign_scales import ForeignRating, LinearScale, RankScale
from ranking.systems.libraries import LIBRARIES
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


def test_a_file_of_a_library_has_its_words_and_all_its_digits(bring):
    make_mode(system="weng-lin")
    fox = "fox,27.92841159409889,4.210247146952528,20"
    text = f"player,mu,sigma,matches\nnewt,25,8.333333333333334,0\n{fox}\nidle,25.0,8.3337,\n"
    options = ["--from", "openskill"]
    assert bring(text, *options, "--preview") == (
        "line 2: newt begins at 0.00\nline 3: fox begins at 15.30\nline 4: idle begins at 0.00\n"
        "Nothing was written: 3 ratings, 0 known already.\n"
    )
    assert Rating.objects.count() == 0
    assert bring(text, *options) == "3 brought along, 0 known already.\n"
    kept = dict(Rating.objects.values_list("player__key", "mu"))
    assert kept == {"newt": 25.0, "fox": 27.92841159409889, "idle": 25.0}
    assert set(Rating.objects.values_list("player__key", "sigma")) == {
        ("newt", 25 / 3), ("fox", 4.210247146952528), ("idle", 25 / 3)
    }  # fmt: skip
    assert bring(text, *options) == "0 brought along, 3 known already.\n"
    *_, said = bring(text.replace("27.92841159409889", "27.9284"), *options)
    assert said == ["line 3: 'fox' has brought along another rating, 15.30: take that back first."]


def test_volatility_comes_along_under_any_of_its_names(bring):
    make_mode(system="glicko-2", team_size_max=1)
    bring("vol,rd,rating,name,player\n0.0612,92.5,1612.4,Fox,fox\n6e-2,350.155,1500,Newt,newt\n")
    bring("owl,Owl,1480.5,80,12,0.055\n")
    assert set(Rating.objects.values_list("player__key", "mu", "sigma", "volatility", "display_hundredths")) == {
        ("fox", 1612, 92.5, 0.0612, 1612_00), ("newt", 1500, 350, 0.06, 1500_00), ("owl", 1481, 80, 0.055, 1481_00)
    }  # fmt: skip


def test_a_file_that_may_mean_two_things_is_refused(bring):
    make_mode(system="weng-lin")
    text = "id,rating,sigma\nfox,25,\nowl,30,2\nelk,31,2\n"
    message, returncode, said = bring(text)
    assert (message, returncode) == ("Nothing was written: 1 line can't be brought along.", 1)
    assert said == [
        "line 3: weng-lin shows mu − 3·sigma, and the file has deviations, so say what its ratings are. With the scale"
        " “mean” 30 is mu, and this player begins at 24.00; with the scale “display” the player begins at 30.00, with"
        " the mu 36.00. Or name the library that kept them."
    ]
    assert Rating.objects.count() == 0
    bring(text, "--scale", "mean")
    assert displays() == {"fox": 12_50, "owl": 24_00, "elk": 25_00}
    bring(text, "--undo")
    bring(text, "--scale", "display")
    assert displays() == {"fox": 25_00, "owl": 30_00, "elk": 31_00}


def test_who_comes_from_a_library_that_behaves_otherwise_is_told(bring):
    make_mode(system="trueskill")
    said = bring("player,skill[0],skill[1]\nfox,30,2.2\n", "--from", "npm-trueskill")
    assert said.startswith(LIBRARIES["npm-trueskill"].note)
    assert displays() == {"fox": 23_40}


def test_errors_call_columns_by_the_words_of_the_file(bring):
    make_mode(system="weng-lin")
    text = "player,mu,sigma,matches\nfox,x,2,\nowl,,2,\nelk,30,many,\nant,30,2,1.5\nbee,30,-1,\ncat,30,,\n"
    *_, said = bring(text, "--from", "openskill")
    assert said == [
        "line 2: mu is a number such as 1520.5, not 'x'.",
        "line 3: mu is missing; give a number such as 1520.5.",
        "line 4: sigma is a number such as 1520.5, not 'many'.",
        "line 5: matches is a whole number, not '1.5'.",
        "line 6: sigma is above 0, not -1.",
        "line 7: openskill keeps mu, sigma, and this line has no sigma.",
    ]
    assert bring("fox,,30\n", "--from", "elo")[:2] == (
        "Newcomers of an Elo ladder begin at 400, 1000, 1200 or 1500: give yours as newcomer, such as 1200.", 2
    )  # fmt: skip


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
