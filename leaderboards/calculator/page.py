"""The calculator's page: the sheet as form fields, with each player's figures beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from leaderboards.calculator._entries import MATCH, PARAMS
from leaderboards.calculator._presets import PRESETS, QUITTER
from leaderboards.calculator._results import Calculation, PlayerFigures, SystemChange, calculate
from leaderboards.calculator._sheet import (
    MOST_PLAYERS,
    MOST_TEAMS,
    BadSheet,
    PlayerEntry,
    Sheet,
    TeamEntry,
    changed,
    components,
    localized,
    query_of,
    read_sheet,
)
from leaderboards.calculator.modes import SiteMode, example_match
from leaderboards.calculator.refusals import labels, letter, team_title
from ranking.systems.registry import describe_params, get_system, system_choices
from ranking.systems.shared.params import Parameter
from ranking.wording.translation import gettext, pgettext


@dataclass(frozen=True, slots=True)
class EntryField:
    """A text field; `text`: the entry; `empty`: the value of an empty one."""

    name: str
    label: str
    text: str
    empty: str = ""

    @property
    def value(self) -> str:
        return localized(self.text)

    @property
    def start(self) -> str:
        return localized(self.empty)

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
    """A parameter's field; `name`: the API's; `flag`: True if it is on or off."""

    name: str
    entry: EntryField
    meaning: str
    flag: bool


@dataclass(frozen=True, slots=True)
class CalculatorPage:
    """`whole`: True if the form has changed and not only its figures. `preset`, `mode`: the key of the preset, or the
    slug of the mode, whose example is on show; each may be empty. `modes`: those of the site.
    """

    sheet: Sheet
    sides: list[TeamForm]
    duration: EntryField
    choices: list[ParameterField]
    calculation: Calculation
    problem: str
    preset: str
    whole: bool
    mode: str = ""
    modes: Sequence[SiteMode] = ()

    @property
    def own_systems(self) -> list[tuple[str, str]]:
        """Keys and titles of the systems that modes of the site have; all if it has no modes."""
        used = {mode.system for mode in self.modes}
        return [(key, title) for key, title in system_choices() if not used or key in used]

    @property
    def other_systems(self) -> list[tuple[str, str]]:
        """Keys and titles of the systems that no mode of the site has."""
        own = self.own_systems
        return [choice for choice in system_choices() if choice not in own]

    @property
    def own_comparisons(self) -> list[SystemChange]:
        """The match by the systems of the site, and by the one that is chosen."""
        own = {self.sheet.system, *(key for key, _ in self.own_systems)}
        return [row for row in self.calculation.comparisons if row.key in own]

    @property
    def other_comparisons(self) -> list[SystemChange]:
        own = self.own_comparisons
        return [row for row in self.calculation.comparisons if row not in own]

    @property
    def presets(self) -> list[tuple[str, str]]:
        """Keys and titles of the examples."""
        return [(key, gettext(title)) for key, (title, _) in PRESETS.items()]

    @property
    def system_title(self) -> str:
        return get_system(self.sheet.system).title

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
        return draws.pop() if len(draws) == 1 else ""

    @property
    def params_fault(self) -> str:
        return self.calculation.faults.get(PARAMS, "")

    @property
    def watched(self) -> PlayerForm:
        team, slot = self.sheet.watched
        return self.sides[team].seats[slot]


def make_page(query: Mapping[str, str], modes: Sequence[SiteMode] = ()) -> CalculatorPage:
    """The page for a query; a bad query gives an example with a sentence about the fault.

    `modes`: those of the site; the first one's example is shown if nothing is asked for.
    """
    if "sizes" not in query and "system" not in query:
        return _example_page(query, modes)
    try:
        sheet = read_sheet(query)
    except BadSheet as bad:
        problem = gettext("%(problem)s Here is an example instead.") % {"problem": bad}
        return replace(_example_page({}, modes), problem=problem)
    whole = query.get("of", sheet.system) != sheet.system or "do" in query
    return _page(changed(sheet, query.get("do", "")), modes, whole=whole)


def _example_page(query: Mapping[str, str], modes: Sequence[SiteMode]) -> CalculatorPage:
    """The page with the example of the mode or preset that the query names."""
    named = query.get("preset", "")
    slug = query.get("mode", "" if named or not modes else modes[0].slug)
    for mode in modes:
        if mode.slug == slug:
            return _page(example_match(mode), modes, mode=slug)
    preset = named or "quitter"
    _, sheet = PRESETS.get(preset, ("", QUITTER))
    return _page(sheet, modes, preset=preset if preset in PRESETS else "")


def _page(
    sheet: Sheet, modes: Sequence[SiteMode], *, preset: str = "", mode: str = "", whole: bool = True
) -> CalculatorPage:
    calculation = calculate(sheet)
    return CalculatorPage(
        sheet=sheet,
        sides=[_team_form(sheet, index, team, calculation) for index, team in enumerate(sheet.teams)],
        duration=EntryField("duration", labels()["duration"], sheet.duration, gettext("seconds")),
        choices=[_parameter_field(parameter, sheet) for parameter in describe_params(sheet.system)],
        calculation=calculation,
        problem=calculation.problem,
        preset=preset,
        whole=whole,
        mode=mode,
        modes=modes,
    )


def _team_form(sheet: Sheet, index: int, team: TeamEntry, calculation: Calculation) -> TeamForm:
    return TeamForm(
        index=index,
        title=team_title(index),
        place=EntryField(f"{index}.place", labels()["place"], team.place),
        score=EntryField(f"{index}.score", labels()["score"], team.score),
        seats=[_player_form(sheet, index, slot, row, calculation) for slot, row in enumerate(team.rows)],
        chance=calculation.chances[index] if calculation.chances else None,
        came=calculation.places[index] if calculation.places else "",
        draw=calculation.draws[index] if len(set(calculation.draws)) > 1 else "",
        fault=calculation.faults.get(str(index), ""),
    )


def _player_form(sheet: Sheet, index: int, slot: int, row: PlayerEntry, calculation: Calculation) -> PlayerForm:
    system, at, named = get_system(sheet.system), f"{index}.{slot}", labels()
    entries = [
        EntryField(f"{at}.{name}", named[name], row.skill.get(name, ""), _start(value))
        for name, value in components(system).items()
    ]
    if system.counts_idle_days:
        entries.append(EntryField(f"{at}.idle", named["idle_days"], row.idle, "0"))
    else:
        entries.append(
            EntryField(f"{at}.seconds", named["seconds"], row.seconds, pgettext("seconds of a player", "all"))
        )
    if sheet.counts_matches:
        entries.append(EntryField(f"{at}.matches", gettext("Matches before"), row.matches, "0"))
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


def _start(value: object) -> str:
    return f"{value:.5g}" if isinstance(value, float) else str(value)


def _parameter_field(parameter: Parameter, sheet: Sheet) -> ParameterField:
    flag = isinstance(parameter.default, bool)
    start = ("on" if parameter.default else "off") if flag else _start(parameter.default)
    entry = EntryField(f"param.{parameter.name}", parameter.label, sheet.params.get(parameter.name, ""), start)
    return ParameterField(parameter.name, entry, gettext(parameter.meaning), flag)
