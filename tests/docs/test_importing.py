"""docs/importing.md: each recipe is run as it stands, on a small file with invented names."""

import json
import os
import re
import shlex
import subprocess
import sys
from io import StringIO

import pytest
from django.core.management import call_command

from ranking.admin.matches.result_imports import MOST_RESULTS
from ranking.models import Match, Mode, Player
from ranking.result_files.headings import MATCH, OF_PLAYER
from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "importing.md").read_text()
RECIPES = dict(re.findall(r"^### (.+?)\n(.*?)(?=^### |\Z)", PAGE, flags=re.DOTALL | re.MULTILINE))
PGN = """[Event "Club evening"]
[Date "2026.01.31"]
[White "Miller, Ann"]
[Black "Bob"]
[Result "1-0"]

1. e4 e5 1-0

[Event "Club evening"]
[UTCDate "2026.01.30"]
[UTCTime "19:30:05"]
[White "Bob"]
[Black "Cid"]
[Result "1/2-1/2"]

1. d4 1/2-1/2

[Event "Club evening"]
[Date "2026.02.01"]
[White "Bob"]
[Black "Cid"]
[Result "*"]
"""


def get5(number, players, score):
    rows = [{"steamid": key, "name": key.title(), "stats": {"kills": 9, "deaths": 3}} for key in players]
    return {"id": str(number), "name": f"Team {number}", "series_score": 0, "score": score, "players": rows}


def logstf():
    players = {
        f"[U:1:{n}]": {"team": "Blue" if n % 2 else "Red", "kills": n, "dmg": 100 * n, "kpd": "1.5"} for n in range(4)
    }
    names = {key: f"Player {key[5:-1]}" for key in players}
    info = {"map": "cp_invented", "date": 1769882400, "total_length": 1800}
    return {"version": 3, "teams": {"Red": {"score": 3}, "Blue": {"score": 1}}, "length": 1800, "players": players,
            "names": names, "info": info}  # fmt: skip


def ogs(number, **more):
    players = {"black": {"id": 1, "username": "ann"}, "white": {"id": 2, "username": "bob"}}
    return {"id": number, "players": players, "handicap": 0, "annulled": False, "black_lost": True, "white_lost": False,
            "ended": f"2026-01-{number:02}T18:00:00.25-05:00", "outcome": "Resignation", **more}  # fmt: skip


def challonge(number, winner, **more):
    match = {"id": number, "player1_id": 11, "player2_id": 12, "winner_id": winner, "state": "complete",
             "scores_csv": "3-1", "forfeited": None, "completed_at": f"2026-01-0{number}T18:00:00.000+01:00",
             **more}  # fmt: skip
    return {"match": match}


def league(day, score, **more):
    return {"round": "1", "date": f"2026-01-{day}", "team1": "North", "team2": "South", "score": score, **more}


FILES = {
    "Races, in two tables": {
        "results.csv": "resultId,raceId,driverId,position,positionOrder,time,rank\n"
        '1,18,ann,1,1,"1:34:50.616",2\n2,18,bob,\\N,2,\\N,3\n3,19,bob,1,1,"1:31:18.555",1\n4,19,ann,2,2,+5.1,3\n',
        "races.csv": 'raceId,year,date,time\n18,2026,"2026-01-30","04:30:00"\n19,2026,"2026-01-31",\\N\n',
    },
    "football.json": {
        "league.json": {"name": "League", "matches": [
            league(31, {"ft": [3, 1], "ht": [0, 1]}, time="18:30"), league(30, {"ft": [0, 0]}), league(29, {}),
            league(28, None),
        ]},
    },
    "PGN": {"games.pgn": PGN},
    "get5 and MatchZy": {
        "events/1.json": {"event": "map_result", "matchid": 7, "map_number": 0, "team1": get5(1, ["ann", "bob"], 13),
                          "team2": get5(2, ["cid", "dan"], 9), "winner": {"side": "2", "team": "team1"}},
        "events/2.json": {"event": "round_end", "matchid": 7},
    },
    "logs.tf": {"logs/3001.json": logstf()},
    "Online-Go (OGS)": {
        "games.json": {"results": [
            ogs(1), ogs(2, black_lost=False, white_lost=True), ogs(3, annulled=True), ogs(4, handicap=2),
            ogs(5, ended=None), ogs(6, black_lost=False),
        ]},
    },
    "Challonge": {
        "matches.json": [challonge(1, 11), challonge(2, 12), challonge(3, None), challonge(4, 11, forfeited=True),
                         challonge(5, None, state="open", completed_at=None)],
        "participants.json": [{"participant": {"id": 11, "name": "Ann"}}, {"participant": {"id": 12, "name": "Bob"}}],
    },
}  # fmt: skip
# By recipe: the matches in the order in which they are rated: day, time, and of each team players and result.
WANTED = {
    "A table of duels": [("31 00:00:00", "Anna 11 – Bernd 7"), ("31 00:00:01", "Bernd 11 – Clara 9")],
    "A table of teams": [("31 17:00:00", "Ann, Bob 13 – Cid, Dan 9"), ("31 17:50:00", "Ann, Dan 8 – Bob, Cid 13")],
    "A table of winners and losers": [("30 00:00:00", "Ann 1st – Bob 2nd"), ("31 00:00:00", "Bob 1st – Cid 2nd")],
    "Races, in two tables": [("30 00:00:00", "ann 1st – bob 2nd"), ("31 00:00:00", "bob 1st – ann 2nd")],
    "football.json": [("29 23:00:00", "North 0 – South 0"), ("31 17:30:00", "North 3 – South 1")],
    "PGN": [("30 19:30:05", "Bob 1st – Cid 1st"), ("31 00:00:00", "Miller, Ann 1 – Bob 0")],
    "get5 and MatchZy": [("31 18:00:00", "Ann, Bob 13 – Cid, Dan 9")],
    "logs.tf": [("31 18:00:00", "Player 0, Player 2 3 – Player 1, Player 3 1")],
    "Online-Go (OGS)": [
        ("01 23:00:00", "ann 2nd – bob 1st"), ("02 23:00:00", "ann 1st – bob 2nd"),
        ("06 23:00:00", "ann 1st – bob 1st"),
    ],
    "Challonge": [
        ("01 17:00:00", "Ann 1st – Bob 2nd"), ("02 17:00:00", "Ann 2nd – Bob 1st"),
        ("03 17:00:00", "Ann 1st – Bob 1st"),
    ],
}  # fmt: skip


def write_files(name, folder):
    """The files of a recipe: its script, the table that it shows, or ours."""
    text = re.sub(r"^   ", "", RECIPES[name], flags=re.MULTILINE)
    scripts = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    tables = re.findall(r"```csv\n(.*?)```", text, flags=re.DOTALL)
    files = dict(zip(re.findall(r"`(\w+\.py)`", text), scripts, strict=True))
    files |= dict(zip(re.findall(r"import_matches (\S+)", text), tables, strict=False)) | FILES.get(name, {})
    for path, content in files.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(content if isinstance(content, str) else json.dumps(content, indent=1))
    for path in folder.glob("events/*"):
        os.utime(path, (1769882400, 1769882400))
    return re.findall(r"```sh\n(.*?)\n```", text, flags=re.DOTALL)


def match_text(match):
    sides = [
        (", ".join(part.player.name for part in match.participations.filter(team=index)), team)
        for index, team in enumerate(match.teams)
    ]
    results = [
        f"{team['score']:g}" if team["score"] is not None else {1: "1st", 2: "2nd"}[team["place"]] for _, team in sides
    ]
    text = " – ".join(f"{names} {result}" for (names, _), result in zip(sides, results, strict=True))
    return match.ended_at.strftime("%d %H:%M:%S"), text


def run(command):
    """Run a step; what `import_matches` printed."""
    out = StringIO()
    if command.startswith("manage.py "):
        call_command(*shlex.split(command)[1:], stdout=out)
    else:
        subprocess.run(command.replace("python3", sys.executable, 1), shell=True, check=True)
    return out.getvalue()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", WANTED)
def test_a_recipe(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    steps = write_files(name, tmp_path)
    assert len(re.findall(r"^\d\. ", RECIPES[name], flags=re.MULTILINE)) <= 3
    said = [run(step) for step in steps][-1]
    assert [match_text(match) for match in Match.objects.order_by("event")] == WANTED[name]
    assert f"{len(WANTED[name])} rated, 0 known already, 0 in conflict, 0 refused." in said
    assert (Mode.objects.count(), Match.objects.filter(late=True).exists()) == (1, False)
    players = Player.objects.count()
    again = run(steps[-1])
    assert f"0 rated, {len(WANTED[name])} known already," in again
    assert Player.objects.count() == players


def test_every_recipe_is_run():
    assert list(RECIPES) == list(WANTED)


def test_the_tables_name_every_field():
    named = set(re.findall(r"`([a-z_.]+)\d?`", PAGE.partition("## Columns")[2].partition("## Recipes")[0]))
    assert {*MATCH, *OF_PLAYER} <= named
    assert f"at most {MOST_RESULTS:,} results" in PAGE
