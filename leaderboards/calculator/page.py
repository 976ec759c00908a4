"""The calculator's page: the sheet as form fields, with each player's figures beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from leaderboards.calculator.entries import MATCH, PARAMS, letter
from leaderboards.calculator.presets import PRESETS, QUITTER
from leaderboards.calculator.results import Calculation, PlayerFigures, calculate
from leaderboards.calculator.sheet import (
    MOST_PLAYERS,
    MOST_TEAMS,
    BadSheet,
    PlayerEntry,
    Sheet,
    TeamEntry,
    changed,
    components,
    query_of,
    read_sheet,
)
from ranking.systems.registry import describe_params, get_system, system_choices
from ranking.systems.shared.params import Parameter

_LABELS = {"mu": "Mean", "sigma": "Sigma", "mmr": "MMR"}


@dataclass(frozen=True, slots=True)
class EntryField:
    """A text field; `start`: the value of an empty one."""

    name: str
    label: str
    value: str
    start: str = ""

    @property
    def id(self) -> str:
        return "f-" + self.name.replace(".", "-")


@dataclass(frozen=True, slots=True)
class PlayerForm:
    """A player: their fields, and either the outcome of the match or the fault in an entry."""

    key: str  # "0-3", for ids
    place: str  # "0.3", for names
    title: str
    name: str
    left: bool
    watched: bool
    entries: list[EntryField]
    outcome: PlayerFigures | None
    fault: str


@dataclass(frozen=True, slots=True)
class TeamForm:
    """A team; `chance` in per cent, None if the system gives none. `draw`: how a draw is rated, if they differ."""

    index: int
    title: str
    place: EntryField
    score: EntryField
    seats: list[PlayerForm]
    chance: int | None
    came: str
    draw: str
    fault: str


@dataclass(frozen=True, slots=True)
class ParameterField:
    """A parameter's field; `flag`: True if it is on or off."""

    entry: EntryField
    meaning: str
    flag: bool


@dataclass(frozen=True, slots=True)
class CalculatorPage:
    """`whole`: True if the form has changed and not only its figures; `preset`: the key of the preset on show."""

    sheet: Sheet
    sides: list[TeamForm]
    duration: EntryField
    choices: list[ParameterField]
    calculation: Calculation
    problem: str
    preset: str
    whole: bool

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
    def draw(self) -> str:
        """How a draw is rated, if it is the same for all teams."""
        draws = set(self.calculation.draws)
        return _draw_text(draws.pop()) if len(draws) == 1 else ""

    @property
    def params_fault(self) -> str:
        return self.calculation.faults.get(PARAMS, "")

    @property
    def watched(self) -> PlayerForm:
        team, slot = self.sheet.watched
        return self.sides[team].seats[slot]


def make_page(query: Mapping[str, str]) -> CalculatorPage:
    """The page for a query; a bad query gives an example with a sentence about the fault."""
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
    calculation = calculate(sheet)
    return CalculatorPage(
        sheet=sheet,
        sides=[_team_form(sheet, index, team, calculation) for index, team in enumerate(sheet.teams)],
        duration=EntryField("duration", "Match length", sheet.duration, "seconds"),
        choices=[_parameter_field(parameter, sheet) for parameter in describe_params(sheet.system)],
        calculation=calculation,
        problem=problem or calculation.problem,
        preset=preset,
        whole=whole,
    )


def _team_form(sheet: Sheet, index: int, team: TeamEntry, calculation: Calculation) -> TeamForm:
    return TeamForm(
        index=index,
        title=f"Team {letter(index)}",
        place=EntryField(f"{index}.place", "Place", team.place),
        score=EntryField(f"{index}.score", "Score", team.score),
        seats=[_player_form(sheet, index, slot, row, calculation) for slot, row in enumerate(team.rows)],
        chance=calculation.chances[index] if calculation.chances else None,
        came=calculation.places[index] if calculation.places else "",
        draw=_draw_text(calculation.draws[index]) if len(set(calculation.draws)) > 1 else "",
        fault=calculation.faults.get(str(index), ""),
    )


def _player_form(sheet: Sheet, index: int, slot: int, row: PlayerEntry, calculation: Calculation) -> PlayerForm:
    system, at = get_system(sheet.system), f"{index}.{slot}"
    entries = [
        EntryField(f"{at}.{name}", _LABELS.get(name, name.capitalize()), row.skill.get(name, ""), _start(value))
        for name, value in components(system).items()
    ]
    if system.counts_idle_days:
        entries.append(EntryField(f"{at}.idle", "Idle days", row.idle, "0"))
    else:
        entries.append(EntryField(f"{at}.seconds", "Seconds", row.seconds, "all"))
    if sheet.counts_matches:
        entries.append(EntryField(f"{at}.matches", "Matches before", row.matches, "0"))
    return PlayerForm(
        key=f"{index}-{slot}",
        place=at,
        title=row.name or f"{letter(index)}{slot + 1}",
        name=row.name,
        left=row.left,
        watched=sheet.watched == (index, slot),
        entries=entries,
        outcome=calculation.outcomes.get((index, slot)),
        fault=calculation.faults.get(f"{index}-{slot}", ""),
    )


def _draw_text(note: str) -> str:
    """The note with "Draw:" before it, unless it speaks of draws itself."""
    return note if "draw" in note else f"Draw: {note[0].lower()}{note[1:]}"


def _start(value: object) -> str:
    return f"{value:.5g}" if isinstance(value, float) else str(value)


def _parameter_field(parameter: Parameter, sheet: Sheet) -> ParameterField:
    flag = isinstance(parameter.default, bool)
    start = ("on" if parameter.default else "off") if flag else _start(parameter.default)
    label = parameter.name.replace("_", " ").capitalize()
    entry = EntryField(f"param.{parameter.name}", label, sheet.params.get(parameter.name, ""), start)
    return ParameterField(entry, parameter.meaning, flag)
