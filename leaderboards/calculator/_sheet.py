"""The calculator's sheet: a match as it is entered in a form, kept whole in the page's address.

In a query, `sizes` is "6,6", the numbers of players on each team. A player's fields are named by team and slot, such as
`0.3.seconds`, and a team's by team, such as `0.place`. Skills are those of the system `of`; if `system` is another one,
they are converted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from ranking.systems.base import Refused, System
from ranking.systems.conversion import convert_skill
from ranking.systems.registry import SYSTEMS, describe_params, get_system
from ranking.wording.translation import gettext, pgettext

MOST_TEAMS, MOST_PLAYERS = 12, 100
LONGEST, LONGEST_PARAMETER = 40, 1_000  # characters of an entry
COUNTING = {"alpha_matches", "provisional_matches"}  # parameters by which the number of matches counts
_SIZES = re.compile(r"[1-9][0-9]?[0-9]?(,[1-9][0-9]?[0-9]?)*", re.ASCII)
_DECIMAL = re.compile(r"[+−-]?([0-9]+[.,][0-9]*|[.,][0-9]+)(e[+-]?[0-9]{1,3})?", re.ASCII | re.IGNORECASE)
_ACTION = re.compile(r"(add|drop|team|undo)(?::([0-9]{1,2})(?:\.([0-9]{1,2}))?)?", re.ASCII)


class BadSheet(ValueError):
    """No form sends such a query; the message is a sentence."""


@dataclass(frozen=True, slots=True)
class PlayerEntry:
    """A player as entered; `skill`: texts by the names in the system's JSON; a missing one is a newcomer's."""

    name: str = ""
    skill: Mapping[str, str] = field(default_factory=dict)
    seconds: str = ""
    left: bool = False
    idle: str = ""
    matches: str = ""


@dataclass(frozen=True, slots=True)
class TeamEntry:
    """A team as entered."""

    rows: tuple[PlayerEntry, ...] = (PlayerEntry(),)
    place: str = ""
    score: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A match as entered; `watched`: team and slot of the player for whom the systems are compared."""

    system: str
    teams: tuple[TeamEntry, ...]
    duration: str = ""
    params: Mapping[str, str] = field(default_factory=dict)
    watched: tuple[int, int] = (0, 0)

    @property
    def counts_matches(self) -> bool:
        """True if a parameter asks how many matches the players had before."""
        return bool(COUNTING & self.params.keys())

    @property
    def players(self) -> int:
        return sum(len(team.rows) for team in self.teams)


def components(system: System[object]) -> dict[str, object]:
    """A newcomer's skill as JSON: the names of the fields, and the values of empty ones."""
    return system.write_skill(system.newcomer())


def read_sheet(query: Mapping[str, str]) -> Sheet:
    """The sheet that a query holds; raises BadSheet."""
    key = query.get("system", "")
    own = query.get("of", key)
    for name in (key, own):
        if name not in SYSTEMS:
            raise BadSheet(gettext("There is no rating system “%(name)s”.") % {"name": name[:LONGEST]})
    parts = tuple(components(get_system(own)))
    params = {p.name: _entry(query, f"param.{p.name}", LONGEST_PARAMETER) for p in describe_params(key)}
    sheet = Sheet(
        system=own,
        teams=tuple(_lineup(query, team, size, parts) for team, size in enumerate(_sizes(query.get("sizes", "")))),
        duration=_entry(query, "duration"),
        params={name: text for name, text in params.items() if text and own == key},
    )
    sheet = replace(sheet, watched=_watched(sheet, query.get("watched", "")))
    return sheet if own == key else carry(sheet, key)


def _sizes(text: str) -> list[int]:
    if _SIZES.fullmatch(text) is None:
        raise BadSheet(gettext("The address doesn’t say how many players each team has."))
    sizes = [int(size) for size in text.split(",")]
    if not 2 <= len(sizes) <= MOST_TEAMS or sum(sizes) > MOST_PLAYERS:
        sentence = gettext("The calculator takes 2 to %(teams)s teams and at most %(players)s players in all.")
        raise BadSheet(sentence % {"teams": MOST_TEAMS, "players": MOST_PLAYERS})
    return sizes


def _lineup(query: Mapping[str, str], team: int, size: int, parts: tuple[str, ...]) -> TeamEntry:
    rows = tuple(
        PlayerEntry(
            name=_text(query, f"{team}.{slot}.name"),
            skill={part: text for part in parts if (text := _entry(query, f"{team}.{slot}.{part}"))},
            seconds=_entry(query, f"{team}.{slot}.seconds"),
            left=f"{team}.{slot}.left" in query,
            idle=_entry(query, f"{team}.{slot}.idle"),
            matches="" if "matches" in parts else _entry(query, f"{team}.{slot}.matches"),  # a part of some skills
        )
        for slot in range(size)
    )
    return TeamEntry(rows, place=_entry(query, f"{team}.place"), score=_entry(query, f"{team}.score"))


def _text(query: Mapping[str, str], name: str, longest: int = LONGEST) -> str:
    return query.get(name, "").strip()[:longest]


def _entry(query: Mapping[str, str], name: str, longest: int = LONGEST) -> str:
    """A number as entered, with a decimal point: a comma is one, too, in languages that write it so."""
    text = _text(query, name, longest)
    comma = pgettext("decimal point", ".") == "," and _DECIMAL.fullmatch(text)
    return text.replace(",", ".") if comma else text


def localized(text: str) -> str:
    """An entry as the reader's language writes it: 21.84, in German 21,84. What is no decimal number stays."""
    return text.replace(".", pgettext("decimal point", ".")) if _DECIMAL.fullmatch(text) else text


def _watched(sheet: Sheet, text: str) -> tuple[int, int]:
    team, _, slot = text.partition(".")
    if team.isascii() and team.isdecimal() and slot.isascii() and slot.isdecimal() and len(text) <= 5:
        index, place = int(team), int(slot)
        if index < len(sheet.teams) and place < len(sheet.teams[index].rows):
            return index, place
    return 0, 0


def query_of(sheet: Sheet) -> Iterator[tuple[str, str]]:
    """The shortest query that holds the sheet."""
    yield "system", sheet.system
    yield "sizes", ",".join(str(len(team.rows)) for team in sheet.teams)
    entries = {"duration": sheet.duration, **{f"param.{name}": text for name, text in sheet.params.items()}}
    for index, team in enumerate(sheet.teams):
        entries |= {f"{index}.place": team.place, f"{index}.score": team.score}
        for slot, row in enumerate(team.rows):
            texts = {
                "name": row.name,
                "matches": row.matches,
                **row.skill,
                "seconds": row.seconds,
                "left": "on" if row.left else "",
            }
            entries |= {f"{index}.{slot}.{name}": text for name, text in texts.items()}
            entries |= {f"{index}.{slot}.idle": row.idle}
    yield from ((name, text) for name, text in entries.items() if text)
    if sheet.watched != (0, 0):
        yield "watched", "{}.{}".format(*sheet.watched)


def carry(sheet: Sheet, key: str) -> Sheet:
    """The same match by another system, with converted skills; a skill that can't be read becomes a newcomer's."""
    old, new = get_system(sheet.system), get_system(key)
    teams = tuple(
        replace(team, rows=tuple(replace(row, skill=_carried(row.skill, old, new)) for row in team.rows))
        for team in sheet.teams
    )
    return replace(sheet, system=key, teams=teams, params={})


def _carried(skill: Mapping[str, str], old: System[object], new: System[object]) -> dict[str, str]:
    if not skill:
        return {}
    try:
        after = convert_skill(old.read_skill(skill_fields(old, skill)), old, new)
    except (Refused, ValueError):
        return {}
    if after == new.newcomer():
        return {}
    return {name: value if isinstance(value, str) else f"{value:.6g}" for name, value in new.write_skill(after).items()}


def skill_fields(system: System[object], skill: Mapping[str, str]) -> dict[str, object]:
    """A skill as JSON, from its entries; raises ValueError for a text that is no number."""
    start = components(system)
    entered = {name: text if isinstance(start[name], str) else number(text) for name, text in skill.items()}
    return {**start, **entered}


def number(text: str) -> float:
    """A number from a text, an int if it is whole; raises ValueError with a sentence."""
    plain = text.replace("−", "-").replace("\u2009", "")
    if re.fullmatch(r"[+-]?[0-9]+", plain, re.ASCII):
        return int(plain)
    if re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]{1,3})?", plain, re.ASCII | re.IGNORECASE):
        return float(plain)
    raise ValueError(gettext("“%(text)s” is no number.") % {"text": text})


def changed(sheet: Sheet, action: str) -> Sheet:
    """The sheet with a player added ("add:0") or dropped ("drop:0.3"), a team added ("team") or dropped ("undo:1")."""
    parts = _ACTION.fullmatch(action)
    if parts is None:
        return sheet
    team, slot = (int(text) if text else -1 for text in parts.groups()[1:])
    teams = list(sheet.teams)
    room = sheet.players < MOST_PLAYERS
    match parts[1]:
        case "add" if 0 <= team < len(teams) and room:
            teams[team] = replace(teams[team], rows=(*teams[team].rows, PlayerEntry()))
        case "drop" if 0 <= team < len(teams) and 0 <= slot < len(teams[team].rows) and len(teams[team].rows) > 1:
            teams[team] = replace(teams[team], rows=teams[team].rows[:slot] + teams[team].rows[slot + 1 :])
        case "team" if len(teams) < MOST_TEAMS and room:
            teams.append(TeamEntry(place=str(len(teams) + 1) if teams[-1].place else ""))
        case "undo" if 0 <= team < len(teams) and len(teams) > 2:
            del teams[team]
    return replace(sheet, teams=tuple(teams), watched=(0, 0) if parts[1] in ("drop", "undo") else sheet.watched)
