"""The calculator's page: the sheet as form fields, each player's figures beside them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from leaderboards.calculator.entries import MATCH, PARAMS, letter
from leaderboards.calculator.presets import PRESETS, QUITTER
from leaderboards.calculator.results import Calculation, Outcome, calculate
from leaderboards.calculator.sheet import (
    MOST_PLAYERS,
    MOST_TEAMS,
    BadSheet,
    Lineup,
    Row,
    Sheet,
    changed,
    components,
    query_of,
    read_sheet,
)
from ranking.systems.registry import describe_params, get_system, system_choices
from ranking.systems.shared.params import Parameter

_LABELS = {"mu": "Mean", "sigma": "Sigma", "mmr": "MMR"}


@dataclass(frozen=True, slots=True)
class Entry:
    """A text field; `start` is what an empty one stands for."""

    name: str
    label: str
    value: str
    start: str = ""

    @property
    def id(self) -> str:
        return "f-" + self.name.replace(".", "-")


@dataclass(frozen=True, slots=True)
class Seat:
    """A player: their fields, and what the match did to them or the fault in what was entered."""

    key: str  # "0-3", for ids
    place: str  # "0.3", for names
    title: str
    name: str
    left: bool
    watched: bool
    entries: list[Entry]
    outcome: Outcome | None
    fault: str


@dataclass(frozen=True, slots=True)
class Side:
    """A team; `chance` in per cent, None where the system doesn't say."""

    index: int
    title: str
    place: Entry
    score: Entry
    seats: list[Seat]
    chance: int | None
    came: str
    fault: str


@dataclass(frozen=True, slots=True)
class Choice:
    """A parameter to enter; `flag`: one that is on or off."""

    entry: Entry
    meaning: str
    flag: bool


@dataclass(frozen=True, slots=True)
class CalculatorPage:
    """`whole`: the form's own shape has changed, not only its figures. `preset`: the key of the one shown."""

    sheet: Sheet
    sides: list[Side]
    duration: Entry
    choices: list[Choice]
    calculation: Calculation
    problem: str
    preset: str
    whole: bool
    idle: bool

    systems = system_choices()
    presets = [(key, title) for key, (title, _) in PRESETS.items()]

    @property
    def query(self) -> str:
        return urlencode([*query_of(self.sheet)])

    @property
    def sizes(self) -> str:
        return dict(query_of(self.sheet))["sizes"]

    @property
    def full(self) -> bool:
        return self.sheet.players >= MOST_PLAYERS

    @property
    def teams_full(self) -> bool:
        return self.full or len(self.sides) >= MOST_TEAMS

    @property
    def match_fault(self) -> str:
        return self.calculation.faults.get(MATCH, "")

    @property
    def params_fault(self) -> str:
        return self.calculation.faults.get(PARAMS, "")

    @property
    def watched(self) -> Seat:
        team, slot = self.sheet.watched
        return self.sides[team].seats[slot]


def make_page(query: Mapping[str, str]) -> CalculatorPage:
    """The page of an address; whatever it says, there is one."""
    entered = "sizes" in query or "system" in query
    problem, preset, whole = "", "" if entered else query.get("preset", "quitter"), True
    _, sheet = PRESETS.get(preset, ("", QUITTER))
    if entered:
        try:
            sheet = read_sheet(query)
            whole = query.get("of", sheet.system) != sheet.system or "do" in query
            sheet = changed(sheet, query.get("do", ""))
        except BadSheet as bad:
            problem, preset = f"{bad} Here is an example instead.", "quitter"
    return _page(sheet, problem=problem, preset=preset if preset in PRESETS else "", whole=whole)


def _page(sheet: Sheet, *, problem: str, preset: str, whole: bool) -> CalculatorPage:
    found = calculate(sheet)
    system = get_system(sheet.system)
    return CalculatorPage(
        sheet=sheet,
        sides=[_side(sheet, index, team, found) for index, team in enumerate(sheet.teams)],
        duration=Entry("duration", "Match length", sheet.duration, "seconds"),
        choices=[_choice(parameter, sheet) for parameter in describe_params(sheet.system)],
        calculation=found,
        problem=problem or found.problem,
        preset=preset,
        whole=whole,
        idle=system.counts_idle_days,
    )


def _side(sheet: Sheet, index: int, team: Lineup, found: Calculation) -> Side:
    return Side(
        index=index,
        title=f"Team {letter(index)}",
        place=Entry(f"{index}.place", "Place", team.place),
        score=Entry(f"{index}.score", "Score", team.score),
        seats=[_seat(sheet, index, slot, row, found) for slot, row in enumerate(team.rows)],
        chance=found.chances[index] if found.chances else None,
        came=found.places[index] if found.places else "",
        fault=found.faults.get(str(index), ""),
    )


def _seat(sheet: Sheet, index: int, slot: int, row: Row, found: Calculation) -> Seat:
    system, at = get_system(sheet.system), f"{index}.{slot}"
    entries = [
        Entry(f"{at}.{name}", _LABELS.get(name, name.capitalize()), row.skill.get(name, ""), _start(value))
        for name, value in components(system).items()
    ]
    if system.counts_idle_days:
        entries.append(Entry(f"{at}.idle", "Idle days", row.idle, "0"))
    else:
        entries.append(Entry(f"{at}.seconds", "Seconds", row.seconds, "all"))
    return Seat(
        key=f"{index}-{slot}",
        place=at,
        title=row.name or f"{letter(index)}{slot + 1}",
        name=row.name,
        left=row.left,
        watched=sheet.watched == (index, slot),
        entries=entries,
        outcome=found.outcomes.get((index, slot)),
        fault=found.faults.get(f"{index}-{slot}", ""),
    )


def _start(value: object) -> str:
    return f"{value:.5g}" if isinstance(value, float) else str(value)


def _choice(parameter: Parameter, sheet: Sheet) -> Choice:
    flag = isinstance(parameter.default, bool)
    start = ("on" if parameter.default else "off") if flag else _start(parameter.default)
    label = parameter.name.replace("_", " ").capitalize()
    entry = Entry(f"param.{parameter.name}", label, sheet.params.get(parameter.name, ""), start)
    return Choice(entry, parameter.meaning, flag)
