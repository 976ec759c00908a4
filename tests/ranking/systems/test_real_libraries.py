"""The packages whose ratings can be brought along, installed and run: their players keep their chances here.

Each plays 320 matches, and tells the chances of a newcomer, a regular and a veteran. The tests want pip, Node and npm,
and the registries of both.
"""

import json
import re
import subprocess
import sys

import pytest

from ranking.systems.base import Entrant, Result, Team
from ranking.systems.foreign_scales import choose_scale
from ranking.systems.libraries import GAUSSIAN, LIBRARIES, LOGISTIC
from ranking.systems.registry import get_system
from ranking.validation.rating_files import read_ratings
from tests.support.ladders_page import moves, numbers_in
from tests.support.library_chances import OWN, chance_here, chance_there
from tests.support.paths import ROOT

pytestmark = pytest.mark.long

SCRIPTS = ROOT / "tests" / "support" / "packages"
PACKAGES = {  # by library: package, version and registry, as its source has them
    name: found.groups()
    for name, library in LIBRARIES.items()
    if (found := re.match(r"(\S+) (\S+) \((PyPI|npm)\)", library.source))
}
PAIRS = ((1, 0), (2, 1), (2, 0))  # newcomer, regular, veteran
# How far a chance there may be from the one here, where it isn't the same: by approximations of the normal curve, by
# the logistic curve, and against a newcomer whose deviation has grown from 350 to 397 without a match.
FAR = {"trueskill": 1e-6, "ts-trueskill": 1e-6, "elo": 0.0095}
FAR_OF_NEWCOMERS = {**FAR, "npm-glicko2": 0.013}


@pytest.fixture(scope="module")
def answer_of(tmp_path_factory):
    """What a library answers to players of its scale."""
    folder = tmp_path_factory.mktemp("packages")
    pins = {"PyPI": [], "npm": []}
    for package, version, registry in {*PACKAGES.values()}:
        pins[registry].append(f"{package}{'==' if registry == 'PyPI' else '@'}{version}")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    pip = [folder / "venv/bin/pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, *pins["PyPI"]], check=True)
    npm = ["npm", "install", "--silent", "--no-fund", "--no-audit", "--prefix", folder]
    subprocess.run([*npm, *pins["npm"]], check=True, cwd=folder)

    def answer(name, players):
        python = [folder / "venv/bin/python", SCRIPTS / "ladder.py"]
        command = python if PACKAGES[name][2] == "PyPI" else ["node", SCRIPTS / "ladder.mjs"]
        done = subprocess.run([*command, name], input=json.dumps(players), cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return answer


def brought(library, players, system):
    """The skills of the library's players after the move, by a file with its own words and all digits."""
    heading = ",".join(["player", *library.fields])
    rows = [",".join([name, *map(repr, own)]) for name, own in zip("nrv", players, strict=True)]
    lines, faults = read_ratings([f"{row}\n".encode() for row in [heading, *rows]])
    assert faults == []
    scale = choose_scale(library=library.name, newcomer="1200" if library.kind == LOGISTIC else "")
    return scale.skills([line.given for line in lines], system)


def test_every_package_is_run():
    assert {*LIBRARIES} - {*PACKAGES} == {name for name in LIBRARIES if name.startswith("skillratings-")}


@pytest.mark.parametrize("name", PACKAGES)
def test_players_of_a_package_keep_their_chances(answer_of, name):
    library = LIBRARIES[name]
    before, cells = answer_of(name, numbers_in(f"{library.kind}.csv")), moves()[name]
    assert cells[5] == ", ".join(f"{chance:.3f}" for chance in before["of_given"])
    for key in OWN[library.kind]:
        system = get_system(key)
        skills = brought(library, before["players"], system)
        assert skills[0] == system.newcomer()
        assert system.display(skills[0]) < system.display(skills[1]) < system.display(skills[2])
        if library.kind == GAUSSIAN:
            shown = [mu - 3 * sigma for mu, sigma in before["players"]]
            assert [float(system.display(skill)) for skill in skills] == pytest.approx(shown, abs=0.00501)
        after = [chance_here(system, skills[first], skills[second]) for first, second in PAIRS]
        there = before["chances"]
        if name == "npm-trueskill":  # it takes sigma for a variance: its chances aren't those of its ratings
            assert min(abs(own - here) for own, here in zip(there, after, strict=True)) > 0.03
            there = [chance_there(GAUSSIAN, before["players"][a], before["players"][b]) for a, b in PAIRS]
        assert after[1] == pytest.approx(there[1], abs=FAR.get(name, 1e-9)), key
        assert after == pytest.approx(there, abs=FAR_OF_NEWCOMERS.get(name, 1e-9)), key


def test_players_of_npms_trueskill_get_surer_here(answer_of):
    *_, veteran = answer_of("npm-trueskill", [[25.0, 25 / 3]] * 3)["players"]
    assert veteran[1] > 2.1
    system = get_system("trueskill")
    winner, loser, _ = brought(LIBRARIES["npm-trueskill"], [veteran] * 3, system)
    for _ in range(60):  # they beat each other in turn
        teams = (Team((Entrant("w", winner),), place=1), Team((Entrant("l", loser),), place=2))
        ((loser,), (winner,)) = system.rate(Result(teams))
    assert max(winner.sigma, loser.sigma) < 1.5
