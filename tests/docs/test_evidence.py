"""docs/evidence.md: its recipes turn files of their authors into results, and its figures of our systems are ours."""

import json
import re
from pathlib import Path

import pytest

from bench import evidence, evidence_sets
from bench.ladder import ladder
from ranking.systems.registry import SYSTEMS
from ranking.trials.histories import read_history
from tests.support.paths import ROOT, SHARED

TEXT = (ROOT / "docs" / "evidence.md").read_text()
FIGURES = dict(re.findall(r"<!-- figures: (\S+) -->\n(.*?)\n<!-- end -->", TEXT, flags=re.DOTALL))
MADE = {  # by set: its ladder, as its command makes it
    "ladder-duel": (200, 100, 1, 7),
    "ladder-team": (200, 100, 5, 7),
    "ladder-ffa": (200, 60, 1, 7, False, 8),
}
REAL = {"halo-duels": "halo2-head-to-head.jsonl", "halo-teams": "halo2-large-team.jsonl"}

TENNIS = """\
tourney_date,match_num,winner_id,loser_id,score,round
20000110,2,ann,bob,7-6(5) 6-4,F
20000110,1,ann,cid,6-1 3-6 6-2,SF
20000110,3,bob,cid,W/O,SF
"""
BEACH = """\
date,w_player1,w_player2,l_player1,l_player2,score
2018-01-02,ann,bob,cid,dee,"21-16, 21-13"
2018-01-02,cid,dee,ann,bob,Forfeit
"""
KILLER_QUEEN = {
    "players.csv": "Tournament,Team,Player,Scene\nC1,Reds,ann,X\nC1,,bob,X\nC1,Blues,cid,X\nC1,,,X\n",
    "results.csv": "tournament,bracket,team1name,team2name,team1wins,team2wins,time\n"
    "C1,KO,Reds,Blues,2,3,2018-10-21T16:44:29-0500\nC1,KO,Reds,Nobody,2,0,2018-10-21T16:44:29-0500\n",
}
RACE = """\
- position: 1
  driverNumber: 12
  driverId: ann
- position: DNF
  driverId: bob
- position: DNS
  driverId: cid
"""


def converted(name: str, *files: Path) -> list[dict]:
    return list(evidence_sets.SETS[name](sorted(files)))


def sides(match: dict) -> list[tuple]:
    return [(team["place"], team.get("score"), *(p["id"] for p in team["players"])) for team in match["teams"]]


def written(folder: Path, files: dict[str, str]) -> list[Path]:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return [folder / name for name in files]


def test_every_set_has_a_place_for_its_figures_and_what_is_drawn_is_there():
    assert [*FIGURES] == re.findall(r"^### (\S+)$", TEXT, flags=re.MULTILINE)
    drawn = [name for name, block in FIGURES.items() if block != "By recipe."]
    pictures = re.findall(r"\]\((pictures/evidence-\S+\.svg)\)", TEXT)
    assert pictures == [f"pictures/evidence-{name}.svg" for name in drawn]
    assert [(ROOT / "docs" / picture).exists() for picture in pictures] == [True] * len(drawn)


def test_recipes_name_converters_and_files():
    commands = re.findall(r"bench\.evidence_sets (\S+) .* > (\S+)\.jsonl$", TEXT, flags=re.MULTILINE)
    assert {converter for converter, _ in commands} == {*evidence_sets.SETS}
    assert {name for _, name in commands} <= {*FIGURES}


def test_tennis_is_in_the_order_of_rounds_with_games_as_score(tmp_path):
    made = converted("tennis", *written(tmp_path, {"atp.csv": TENNIS}))
    assert [sides(match) for match in made] == [
        [(1, 15, "ann"), (2, 9, "cid")],
        [(1, 13, "ann"), (2, 10, "bob")],
    ]
    assert made[0]["ended_at"] < made[1]["ended_at"]


def test_doubles_have_two_players_a_side(tmp_path):
    doubles = "tourney_date,winner1_id,winner2_id,loser1_id,loser2_id,score,round\n20000110,ann,bob,cid,dee,6-2 6-4,F\n"
    [match] = converted("tennis", *written(tmp_path, {"atp.csv": doubles}))
    assert sides(match) == [(1, 12, "ann", "bob"), (2, 6, "cid", "dee")]


def test_beach_volleyball_counts_points(tmp_path):
    [match] = converted("beach", *written(tmp_path, {"bvb.csv": BEACH}))
    assert sides(match) == [(1, 42, "ann", "bob"), (2, 29, "cid", "dee")]


def test_killer_queen_takes_rosters_from_their_tournament(tmp_path):
    [match] = converted("killer-queen", *written(tmp_path, KILLER_QUEEN))
    assert sides(match) == [(2, 2, "ann", "bob"), (1, 3, "cid")]


def test_formula_1_ties_who_was_not_classified_and_leaves_out_who_did_not_start(tmp_path):
    race = {"1970/races/01/race.yml": "id: 1\ndate: 1970-03-07\n", "1970/races/01/race-results.yml": RACE}
    written(tmp_path, race)
    [match] = converted("formula-1", tmp_path / "1970")
    assert sides(match) == [(1, None, "ann"), (2, None, "bob")]


def test_what_converters_make_can_be_evaluated(tmp_path):
    lines = "".join(json.dumps(match) + "\n" for match in converted("tennis", *written(tmp_path, {"a.csv": TENNIS})))
    [file] = written(tmp_path, {"tennis.jsonl": lines})
    assert len(read_history([file], pytest.fail)) == 2


def figures(name: str, pasts: list) -> list[list[str]]:
    """Our rows of a set's table as they are now, without seconds and difference, which is that from the best of all."""
    forecasts = list(evidence.forecasts_here(pasts, list(SYSTEMS)))
    table = evidence.without_inflation(evidence.table(evidence.evaluations_of(forecasts, len(pasts))))
    return compared(table)


def compared(table: str) -> list[list[str]]:
    rows = [re.split(r"\s{2,}", line.strip()) for line in table.splitlines() if line.startswith(tuple(SYSTEMS))]
    return [[*row[:6], *row[7:9]] for row in rows if row[0] in SYSTEMS]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name == "halo-teams" else pytest.mark.long) for name in (*REAL, *MADE)]
)
def test_the_figures_of_our_systems_are_what_the_script_prints(name, tmp_path):
    file = SHARED / "data" / REAL[name] if name in REAL else tmp_path / "ladder.jsonl"
    if name in MADE:
        file.write_text("\n".join(map(json.dumps, ladder(*MADE[name]))))
    elif not file.exists():
        pytest.skip(f"{file.name} is not part of the product and not beside this checkout")
    told = compared(FIGURES[name])
    assert told != []
    assert figures(name, read_history([file], pytest.fail)) == told


@pytest.mark.long
def test_two_of_our_systems_predict_what_their_packages_do(tmp_path):
    """Installs the packages."""
    file = tmp_path / "duels.jsonl"
    file.write_text("\n".join(map(json.dumps, ladder(20, 15, 1, 3))))
    pasts = read_history([file], pytest.fail)
    python = evidence.make_environment(tmp_path / "venv")
    ours = evidence.forecasts_here(pasts, ["trueskill", "weng-lin"])
    forecasts = [*ours, *evidence.forecasts_of_packages(pasts, python)]
    by_name = {each.name.partition(" ")[0] if " " in each.name else f"ours {each.name}": each for each in forecasts}
    assert {*by_name} >= {"elo,", "openskill", "trueskill", "glicko2", "elote", "whole-history-rating"}
    for own, package in (("ours trueskill", "trueskill"), ("ours weng-lin", "openskill")):
        assert by_name[own].predictions.chances == pytest.approx(by_name[package].predictions.chances, abs=1e-6)
