"""What the columns of a CSV file mean, and the result that a row of them is. Pure.

A row is a match, with the columns of one player (`player1`), or of all players (`team1`), a side. Or, if there is a
column `player`, a row is a player, and the rows that follow each other with the same id are a match.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from ranking.result_files.formats import HEADINGS
from ranking.result_files.options import BadFile

TEXTS = ("id", "mode", "started_at", "ended_at", "variant", "server", "region", "lobby", "no_contest")
MATCH = (*TEXTS, "duration", "rounds", "rated", "date", "time", "winner", "loser", "result")
OF_SIDE = ("player", "team", "name", "score", "place")
OF_PLAYER = ("player", "team", "name", "score", "place", "seconds", "joined_at", "left_early", "rounds_played", "party",
             "bot")  # fmt: skip
FIELDS = f"{', '.join(MATCH)}, {', '.join(f'{name}1' for name in OF_SIDE)} … and, with a player a line, " + ", ".join(
    [*OF_PLAYER, "stats.kills …"]
)
_ALIASES = {
    "match_id": "id", "matchid": "id", "game_id": "id", "gameid": "id", "uuid": "id",
    "day": "date", "match_date": "date", "game_date": "date", "played_on": "date",
    "datetime": "ended_at", "timestamp": "ended_at", "played_at": "ended_at", "played": "ended_at", "end": "ended_at",
    "ended": "ended_at", "end_time": "ended_at", "finished_at": "ended_at", "start": "started_at",
    "start_time": "started_at", "started": "started_at",
    "map": "variant", "winner_name": "winner", "loser_name": "loser",
    "white": "player1", "black": "player2", "home": "player1", "away": "player2", "home_team": "player1",
    "away_team": "player2", "home_score": "score1", "away_score": "score2", "home_goals": "score1",
    "away_goals": "score2", "white_score": "score1", "black_score": "score2",
    "player_id": "player", "player_name": "name", "rank": "place", "position": "place", "points": "score",
}  # fmt: skip
_WINNERS_ALIASES = {  # where the winner is side 1, and nowhere else
    "winner_score": "score1", "winner_points": "score1", "loser_score": "score2", "loser_points": "score2",
}  # fmt: skip
_PATTERNS = (
    (re.compile(r"(?:player|p)_?([1-9]\d*|[ab])(?:_?id)?"), "player"),
    (re.compile(r"(?:player|p|team)_?([1-9]\d*|[ab])_?name"), "name"),
    (re.compile(r"name_?([1-9]\d*|[ab])"), "name"),
    (re.compile(r"(?:score|points|goals)_?([1-9]\d*|[ab])"), "score"),
    (re.compile(r"(?:player|p|team)_?([1-9]\d*|[ab])_?(?:score|points|goals)"), "score"),
    (re.compile(r"wins_?([1-9]\d*|[ab])"), "wins"),
    (re.compile(r"(?:player|p|team)_?([1-9]\d*|[ab])_?wins"), "wins"),
    (re.compile(r"(?:place|rank|position)_?([1-9]\d*|[ab])"), "place"),
    (re.compile(r"team_?([1-9]\d*|[ab])(?:_?(?:players|p(?:layer)?_?\d+))?"), "team"),
)
_NUMBERED = re.compile(r"(player|team|name|score|place)([1-9]\d*)")
_WINS = re.compile(r"wins\d+")
_LETTERED = re.compile(r"(?:player|p|team|name)_?([ab])(?:_?(?:id|name|players))?")
_SIDES_PLAYERS = re.compile(r"(?:player|team|name)[1-9]\d*")
_MOST_SIDES = 200
_NUMBER = re.compile(r"[+-]?\d{1,15}(?:\.\d{1,15})?")
_COMMA = re.compile(r"([+-]?\d{1,15}),(\d{1,15})")
_RESULT = re.compile(r"(\S+?)\s*[-–:]\s*(\S+)")
_TWO_NUMBERS = re.compile(r"(\d{1,15})\s*[-–:]\s*(\d{1,15})")
_HALVES = {"½": 0.5, "1/2": 0.5, "0.5": 0.5}
_DRAWS = {"draw", "drawn", "tie", "tied", "d", "x", "½", "½-½", "1/2", "1/2-1/2", "remis", "unentschieden"}
_HOME, _AWAY = ("h", "home"), ("a", "away")  # the side that won, of two
_WON, _LOST = ("w", "win", "won"), ("l", "loss", "lost")  # a result as side 1 has it
_NOT_PLAYED = {"w/o", "wo", "w.o.", "walkover", "bye"}  # beside a winner and a loser
_BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@dataclass(frozen=True, slots=True)
class Columns:
    """Where each field is in a row. `sides`: by number, their fields. `player`: if a row is a player."""

    match: Mapping[str, int]
    sides: Mapping[int, Mapping[str, Sequence[int]]]
    player: Mapping[str, int]
    headings: Sequence[str]

    @property
    def winner_is_side(self) -> bool:
        """True if only `winner` and `loser` say who played: the winner is side 1."""
        return not any(own.keys() & {"player", "team", "name"} for own in self.sides.values())

    @property
    def unused(self) -> list[str]:
        """The headings that mean nothing."""
        used = {*self.match.values()}
        if self.winner_is_side:
            used |= {index for number in (1, 2) for index in self.sides.get(number, {}).get("score", ())}
        else:
            used |= {index for own in self.sides.values() for places in own.values() for index in places}
        used |= {*self.player.values()} if self.has_player_rows else set()
        return [heading for index, heading in enumerate(self.headings) if heading and index not in used]

    @property
    def has_player_rows(self) -> bool:
        """True if a row is a player, not a match."""
        return "player" in self.player or ("name" in self.player and not self.sides and "winner" not in self.match)


def find_columns(headings: Sequence[str], named: Mapping[str, str]) -> Columns:
    """What the columns mean: as `named`, else by their headings. Raises BadFile; the sentence follows the file's name.

    A name of the file stands in `named` whatever its case and spaces. A column whose heading means a field that another
    one is named for means nothing.
    """
    plain = [_plain(heading) for heading in headings]
    wanted = {_plain(heading): name for heading, name in named.items()}
    if missing := [heading for heading in named if _plain(heading) not in plain]:
        raise BadFile(f"has no column {missing[0]!r}; its columns are {_listed(headings)}.")
    fields = [_field(wanted[name]) if name in wanted else _guess(name, plain) for name in plain]
    # Games won are the score, unless the file has scores: then they may be those of a career.
    has_scores = any(field.startswith("score") for field in fields)
    won = "" if has_scores else "score"
    fields = [(won and field.replace("wins", won)) if _WINS.fullmatch(field) else field for field in fields]
    asked = {
        field for name, field in zip(plain, fields, strict=True) if name in wanted and not field.startswith("team")
    }
    fields = ["" if name not in wanted and field in asked else field for name, field in zip(plain, fields, strict=True)]
    if {"winner", "loser"} <= {*fields} and not any(_SIDES_PLAYERS.fullmatch(field) for field in fields):
        fields = [field or _WINNERS_ALIASES.get(name, "") for name, field in zip(plain, fields, strict=True)]
    match: dict[str, int] = {}
    sides: dict[int, dict[str, list[int]]] = {}
    player: dict[str, int] = {}
    taken: dict[str, str] = {}
    for index, (heading, field) in enumerate(zip(headings, fields, strict=True)):
        if field and not field.startswith("team") and taken.setdefault(field, heading) != heading:
            raise BadFile(
                f"has two columns for {field}, {taken[field]!r} and {heading!r}: rename one, or say by --columns which"
                " it is."
            )
        if numbered := _NUMBERED.fullmatch(field):
            sides.setdefault(int(numbered[2]), {}).setdefault(numbered[1], []).append(index)
        elif field in MATCH:
            match[field] = index
        elif field:
            player[field] = index
    columns = Columns(match, dict(sorted(sides.items())), player, list(headings))
    if not columns.has_player_rows and "score" in player and not any("score" in own for own in sides.values()):
        match.setdefault("result", player["score"])
    _check(columns)
    return columns


def _check(columns: Columns) -> None:
    sides = [number for number, own in columns.sides.items() if own.keys() & {"player", "team", "name"}]
    headings, first = _listed(columns.headings), (columns.headings or ["x"])[0]
    if not columns.has_player_rows and len(sides) < 2 and not {"winner", "loser"} <= columns.match.keys():
        raise BadFile(
            f"has the columns {headings}, none of which says who played: name them by columns (--columns), such as"
            f" '{first}=player1', or put a first line such as {HEADINGS}. Below it, this line works:"
            " ann,bob,3,1,2026-01-31"
        )
    if columns.has_player_rows and "id" not in columns.match:
        raise BadFile(
            f"has a player a line, and no column that says which lines are one match ({headings}): name it by columns"
            " (--columns), such as 'game=id'."
        )
    if not columns.match.keys() & {"ended_at", "started_at", "date"}:
        raise BadFile(
            f"has the columns {headings}, none of which says when a match was played: name it by columns"
            " (--columns), such as 'played=ended_at'."
        )
    sides_fields = {name for own in columns.sides.values() for name in own}
    outcomes = columns.player.keys() if columns.has_player_rows else sides_fields
    told = columns.match.keys() & {"winner", "result", "no_contest"} or outcomes & {"score", "place"}
    if not told and (columns.has_player_rows or not columns.winner_is_side):
        raise BadFile(
            f"has the columns {headings}, none of which says who won: name scores, places, a winner or a result by"
            " columns (--columns), such as 'first wins=score1,second wins=score2'."
        )


def _listed(headings: Sequence[str]) -> str:
    return ", ".join(repr(heading[:30]) for heading in headings[:8]) + (" …" if len(headings) > 8 else "")


def _plain(heading: str) -> str:
    return re.sub(r"[\s\-/.]+", "_", heading.strip().casefold())


def _field(name: str) -> str:
    """The field that somebody named; raises BadFile if there is none."""
    plain = name.strip().casefold()
    number = _NUMBERED.fullmatch(plain)
    if (number and int(number[2]) <= _MOST_SIDES) or plain in MATCH or plain in OF_PLAYER:
        return plain
    if plain.startswith("stats.") and plain != "stats.":
        return name.strip()
    raise BadFile(f"can't be read so: there is no field {name!r}. The fields are {FIELDS}.")


def _guess(plain: str, all_of_them: Sequence[str]) -> str:
    """The field that a heading means; "" if it means none."""
    if plain == "time":
        return "time" if {"date", "day", "match_date", "game_date", "played_on"} & {*all_of_them} else "ended_at"
    for pattern, kind in _PATTERNS:
        if number := pattern.fullmatch(plain):
            side = {"a": 1, "b": 2}.get(number[1]) or int(number[1])
            return f"{kind}{side}" if side <= _MOST_SIDES else ""
    name = _ALIASES.get(plain, plain)
    return name if name in MATCH or name in OF_PLAYER or _NUMBERED.fullmatch(name) else ""


def read_match(columns: Columns, cells: Sequence[str]) -> dict[str, object]:
    """The result that a row is, in the API's format; raises ValueError with a sentence."""
    fields = _match_fields(columns, cells)
    if columns.winner_is_side:
        return {**fields, "teams": _winner_and_loser(columns, cells)}
    teams, heads = [], []
    for number, own in columns.sides.items():
        values = {name: [cells[index] for index in own[name] if cells[index]] for name in own}
        ids = [*values.get("player", ()), *_players(values.get("team", ()))]
        names = values.get("name", [])
        if not ids and not names:
            if any(values.values()):
                raise ValueError(f"side {number} has a score or a place, but nobody played in it.")
            continue
        side = _side(f"player{number}", ids or names, names=names if ids and len(ids) == len(names) else ())
        for name in ("score", "place"):
            if values.get(name):
                side[name] = _number(f"{name}{number}", values[name][0])
        teams.append(side)
        heads.append([*_heads(columns, own), *ids, *names, str(number)])
    _add_outcome(columns, cells, teams, heads)
    return {**fields, "teams": teams}


def _winner_and_loser(columns: Columns, cells: Sequence[str]) -> list[dict[str, object]]:
    """The sides of a row that has who won and who lost. Their scores are those of side 1 and 2, or out of `result`."""
    teams = [_side(name, [cells[columns.match[name]]]) for name in ("winner", "loser")]
    result = cells[columns.match["result"]] if "result" in columns.match else ""
    if result.casefold() in _NOT_PLAYED:
        raise ValueError(f"result {result!r}: nobody played, so it isn't imported.")
    if result.casefold() in _DRAWS:
        raise ValueError("result is a draw, which has no winner: write names as player1 and player2.")
    texts = [
        cells[columns.sides[number]["score"][0]] if "score" in columns.sides.get(number, {}) else ""
        for number in (1, 2)
    ]
    scores = [_number(f"score{number}", text) if text else None for number, text in enumerate(texts, 1)]
    if scores[0] is not None and scores[1] is not None and scores[0] < scores[1]:
        raise ValueError(
            f"score1 is the winner's and score2 the loser's, and {texts[0]} is less than {texts[1]}: if the scores are"
            " of two sides, name these player1 and player2."
        )
    if not any(texts) and (found := _TWO_NUMBERS.fullmatch(result)):  # sets of tennis, and the like, aren't scores
        both = [_number("result", text) for text in found.groups()]
        scores = [*both] if both[0] >= both[1] else []
    for place, (team, score) in enumerate(zip_longest(teams, scores), 1):
        team["place"] = place
        if score is not None:
            team["score"] = score
    return teams


def _heads(columns: Columns, own: Mapping[str, Sequence[int]]) -> list[str]:
    """The headings of a side's players, and the letter that they have."""
    headings = [columns.headings[index] for name in ("player", "team", "name") for index in own.get(name, ())]
    letters = [found[1] for heading in headings if (found := _LETTERED.fullmatch(_plain(heading)))]
    return [*headings, *letters]


def _side(field: str, ids: Sequence[str], *, names: Sequence[str] = ()) -> dict[str, object]:
    if not all(ids):
        raise ValueError(f"{field} is empty.")
    players: list[dict[str, object]] = [{"id": key} for key in ids]
    for player, name in zip(players, names, strict=False):
        player["name"] = name
    return {"players": players}


def _players(cells: Sequence[str]) -> list[str]:
    """The players of a team's cells: each cell one player, or several between "|", ";" or ","."""
    players: list[str] = []
    for cell in cells:
        mark = next((mark for mark in "|;," if mark in cell), None)
        players += [text for part in cell.split(mark) if (text := part.strip())] if mark else [cell]
    return players


def _add_outcome(
    columns: Columns, cells: Sequence[str], teams: list[dict[str, object]], heads: Sequence[Sequence[str]]
) -> None:
    """Add scores or places out of a column `result` or `winner`, if there is one; raises ValueError."""
    name = next((name for name in ("winner", "result") if name in columns.match), "")
    text = cells[columns.match[name]] if name else ""
    if not name or any("place" in team for team in teams) or (not text and all("score" in team for team in teams)):
        return
    won = [any(text.casefold() == head.casefold() for head in own) for own in heads]
    if not any(won) and len(won) == 2:
        won = _sides_that_won(name, text.casefold())
    is_draw = text.casefold() in _DRAWS
    found = _RESULT.fullmatch(text) if name == "result" and not is_draw and sum(won) != 1 else None
    if found and any(character.isnumeric() for character in text):
        scores = [_HALVES[part] if part in _HALVES else _number(name, part) for part in found.groups()]
        if len(teams) != 2:
            raise ValueError(f"result {text!r} has two scores, and {len(teams)} sides played.")
        teams[0]["score"], teams[1]["score"] = scores
        return
    if is_draw:
        places = [1] * len(teams)
    else:
        if not text or sum(won) != 1:
            raise ValueError(
                f"{name} {text!r} is none of the players; write the winner's name or number, draw, or a result such as"
                " 3-1. Leave out what wasn't played to the end."
            )
        places = [1 if own else 2 for own in won]
    for team, place in zip(teams, places, strict=True):
        team["place"] = place


def _sides_that_won(name: str, word: str) -> list[bool]:
    """For each of two sides, whether the word says that it won; a winner W, H or A would be a name."""
    if name != "result":
        return [word == "home", word == "away"]
    return [word in _HOME + _WON, word in _AWAY + _LOST]


def read_players(columns: Columns, rows: Sequence[Sequence[str]]) -> dict[str, Any]:
    """The result of rows that have a player each; raises ValueError with a sentence."""
    teams: dict[str, dict[str, Any]] = {}
    for number, cells in enumerate(rows):
        own = {field: cells[index] for field, index in columns.player.items() if cells[index]}
        key = own.get("player") or own.get("name")
        if not key:
            raise ValueError("player is empty.")
        name = own.get("team", "")
        team = teams.setdefault(name or f"\0{number}", {**({"name": name} if name else {}), "players": []})
        for field in ("score", "place"):
            if field in own and team.setdefault(field, value := _number(field, own[field])) != value:
                raise ValueError(f"the team {name!r} has two values of {field}: {team[field]} and {value}.")
        team["players"].append(_player(key, own))
    return {**_match_fields(columns, rows[0]), "teams": list(teams.values())}


def _player(key: str, own: Mapping[str, str]) -> dict[str, Any]:
    player: dict[str, Any] = {"id": key}
    for field, text in own.items():
        if field == "name" and own.get("player"):
            player["name"] = text
        elif field in ("seconds", "joined_at", "rounds_played"):
            player[field] = _number(field, text)
        elif field in ("left_early", "bot"):
            player[field] = _boolean(field, text)
        elif field == "party":
            player[field] = text
        elif field.startswith("stats."):
            player.setdefault("stats", {})[field.removeprefix("stats.")] = _number(field, text)
    return player


def _match_fields(columns: Columns, cells: Sequence[str]) -> dict[str, object]:
    fields: dict[str, Any] = {}
    for name, index in columns.match.items():
        if not (text := cells[index]) or name in ("winner", "loser", "result", "time"):
            continue
        if name in ("duration", "rounds"):
            fields[name] = _number(name, text)
        elif name == "rated":
            fields[name] = _boolean(name, text)
        elif name == "date" and "ended_at" in columns.match:
            continue
        elif name == "date":
            clock = cells[columns.match["time"]] if "time" in columns.match else ""
            fields["ended_at"] = f"{text} {clock}".strip()
        else:
            fields[name] = text
    return fields


def _number(name: str, text: str) -> float:
    """The number; a decimal comma is one, too. Raises ValueError with a sentence."""
    if comma := _COMMA.fullmatch(text):
        if len(comma[2]) == 3 and comma[1].lstrip("+-") != "0":
            raise ValueError(
                f"{name} may be {comma[1]}{comma[2]} or {comma[1]}.{comma[2]}: write it in one of these ways."
            )
        text = f"{comma[1]}.{comma[2]}"
    if not _NUMBER.fullmatch(text):
        raise ValueError(f"{name} is a number such as 3 or 2.5, not {text[:40]!r}.")
    return float(text) if "." in text else int(text)


def _boolean(name: str, text: str) -> bool:
    try:
        return _BOOLEANS[text.casefold()]
    except KeyError:
        raise ValueError(f"{name} is yes or no, not {text[:40]!r}.") from None
