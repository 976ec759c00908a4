"""Turns public histories, in the files of their authors, into files for `evaluate`; docs/evidence.md has the recipes.

`python -m bench.evidence_sets tennis atp_matches_2*.csv > tennis.jsonl`. Every match has places, and scores if the
files have them. Matches without an exact time keep their order within a day: a second apart.
"""

from __future__ import annotations

import csv
import datetime as dt
import json
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

UNCLASSIFIED = ("DNF", "NC", "DSQ")  # in Formula 1; others didn't start
ROUNDS = ("R128", "R64", "R32", "R16", "RR", "QF", "SF", "BR", "F")  # of a tournament in tennis
Side = tuple[Sequence[str], int, float | None]  # players, place, score


def match_of(ended_at: dt.datetime, *sides: Side) -> dict[str, Any]:
    teams = [
        {
            "place": place,
            **({} if score is None else {"score": score}),
            "players": [{"id": _id(name)} for name in names],
        }
        for names, place, score in sides
    ]
    return {"ended_at": ended_at.isoformat(), "teams": teams}


def _id(name: str) -> str:
    """A name as an id may be: without invisible characters and spaces at its ends."""
    return "".join(letter for letter in name if letter.isprintable()).strip()


def _rows(file: Path) -> Iterator[dict[str, str]]:
    with file.open(encoding="utf-8-sig", errors="backslashreplace", newline="") as lines:
        yield from csv.DictReader(lines)


def _numbered(rows: Sequence[dict[str, str]], *same: str) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows, each with its number among those that have the `same` fields."""
    numbers: dict[tuple[str, ...], Iterator[int]] = defaultdict(count)
    for row in rows:
        yield next(numbers[tuple(row[name] for name in same)]), row


def _day(text: str) -> dt.datetime:
    return dt.datetime.strptime(text.replace("-", ""), "%Y%m%d").replace(tzinfo=dt.UTC)


def _points(score: str) -> tuple[int, int]:
    """The points or games of both sides, over all sets of a score such as 7-6(5) 6-4."""
    sets = re.findall(r"(\d+)-(\d+)", re.sub(r"\(\d+\)|\[.*?\]", "", score))
    return sum(int(own) for own, _ in sets), sum(int(other) for _, other in sets)


def tennis(files: Sequence[Path]) -> Iterator[dict[str, Any]]:
    """Singles or doubles; the score is of games. Walkovers weren't played."""
    rows = [row for file in files for row in _rows(file) if "W/O" not in row["score"] and row["score"].strip()]
    order = {name: number for number, name in enumerate(ROUNDS)}
    rows.sort(key=lambda row: (row["tourney_date"], order.get(row["round"], 0)))
    for number, row in _numbered(rows, "tourney_date", "round"):
        sides = [
            [row[heading] for heading in (f"{side}_id", f"{side}1_id", f"{side}2_id") if row.get(heading)]
            for side in ("winner", "loser")
        ]
        won, lost = _points(row["score"])
        moment = _day(row["tourney_date"]) + dt.timedelta(days=order.get(row["round"], 0), seconds=number)
        yield match_of(moment, (sides[0], 1, won), (sides[1], 2, lost))


def beach(files: Sequence[Path]) -> Iterator[dict[str, Any]]:
    """Pairs in beach volleyball; the score is of points. Forfeits have none and are left out."""
    rows = [row for file in files for row in _rows(file) if re.search(r"\d-\d", row["score"] or "")]
    rows.sort(key=lambda row: row["date"])
    for number, row in _numbered(rows, "date"):
        won, lost = _points(row["score"])
        winners, losers = ([row[f"{side}_player{player}"] for player in (1, 2)] for side in "wl")
        moment = _day(row["date"]) + dt.timedelta(seconds=number)
        yield match_of(moment, (winners, 1, won), (losers, 2, lost))


def killer_queen(files: Sequence[Path]) -> Iterator[dict[str, Any]]:
    """Five against five in the arcade; a set is a match, and its score the games won. Rosters are by tournament."""
    rosters: dict[tuple[str, str], list[str]] = defaultdict(list)
    games: list[tuple[dt.datetime, list[str]]] = []
    for file in files:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            team = ""
            for row in csv.reader(lines):
                if len(row) == 4:  # tournament, team (or that of the line before), player, scene
                    team = row[1] or team
                    rosters[row[0], team].extend(filter(None, [row[2].strip()]))
                elif len(row) >= 7 and row[4].isdigit():  # tournament, bracket, both teams, their games, time
                    time = re.sub(r"([+-]\d\d)(\d\d)$", r"\1:\2", row[6])
                    games.append((dt.datetime.fromisoformat(time), row))
    for moment, (tournament, _, first, second, one, other, *_) in sorted(games, key=lambda game: game[0]):
        sides, won = [rosters[tournament, team] for team in (first, second)], (int(one), int(other))
        if all(sides) and not set(sides[0]) & set(sides[1]):
            places = (1 + (won[0] < won[1]), 1 + (won[1] < won[0]))
            yield match_of(moment, (sides[0], places[0], won[0]), (sides[1], places[1], won[1]))


def formula_1(folders: Sequence[Path]) -> Iterator[dict[str, Any]]:
    """Each driver for themselves; who started and wasn't classified shares the last place. `folders`: of seasons."""
    races = [
        race for folder in folders for race in sorted(folder.glob("races/*")) if (race / "race-results.yml").exists()
    ]
    for race in races:
        date = re.search(r"^date: (\S+)", (race / "race.yml").read_text(), flags=re.MULTILINE)
        results = re.findall(
            r"^- position: (\S+)\n(?:  .*\n)*?  driverId: (\S+)", (race / "race-results.yml").read_text(), re.MULTILINE
        )
        finished = [(int(place), driver) for place, driver in results if place.isdigit()]
        last = max((place for place, _ in finished), default=0) + 1
        drivers = [driver for place, driver in results if place.isdigit() or place in UNCLASSIFIED]
        places = dict.fromkeys(drivers, last) | {driver: place for place, driver in reversed(finished)}
        if date is not None and len(places) > 1:
            yield match_of(_day(date[1]), *(((driver,), place, None) for driver, place in places.items()))


SETS: dict[str, Callable[[Sequence[Path]], Iterator[dict[str, Any]]]] = {
    convert.__name__.replace("_", "-"): convert for convert in (tennis, beach, killer_queen, formula_1)
}


def main() -> None:
    if len(sys.argv) < 3 or sys.argv[1] not in SETS:
        raise SystemExit(f"python -m bench.evidence_sets {{{','.join(SETS)}}} FILE…")
    for match in SETS[sys.argv[1]](sorted(map(Path, sys.argv[2:]))):
        print(json.dumps(match, ensure_ascii=False))


if __name__ == "__main__":
    main()
