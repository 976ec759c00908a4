"""Forms of matchmaking's pages: joining a queue, planning queues, simulating an evening."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from leaderboards.display.regions import region_name
from matchmaking.models import Queue, TicketMember
from matchmaking.planning.planner import (
    LIMITS,
    POPULATION,
    TARGET,
    WIDTH,
    Limit,
    Nonsense,
    PlanChange,
    QueuePlan,
    buckets_of,
    changes_for,
    matches_to_place,
)
from matchmaking.queues.queueing import Wish
from matchmaking.queues.search_words import search_choices
from matchmaking.simulation.scenarios import LIMITS as SCENARIO_LIMITS
from matchmaking.simulation.scenarios import STRATEGIES, Scenario
from ranking.systems.registry import system_choices

LOOSE, STRICT = "loose", "strict"
MOST_ONLINE, MOST_HOURS = 2_000, 24  # that a page simulates at most; the command has no such limits


class JoinForm(forms.Form):
    """A player's wishes on joining a queue; `last`, their last ticket there, says how they searched before.

    Each chosen region gets a ping of 0, because a page can't measure pings.
    """

    width = forms.TypedChoiceField(label=_("Opponents"), coerce=int, required=False, empty_value=None,
                                   widget=forms.RadioSelect(attrs={"aria-describedby": "width-hint"}))  # fmt: skip
    strict = forms.ChoiceField(label=_("If nobody is found"), required=False, widget=forms.RadioSelect,
                               choices=[(LOOSE, _("Search wider")), (STRICT, _("Stay near my rank"))])  # fmt: skip
    regions = forms.MultipleChoiceField(label=_("Regions you can play in"), required=False,
                                        widget=forms.CheckboxSelectMultiple)  # fmt: skip

    def __init__(self, queue: Queue, data: Any = None, *, last: TicketMember | None = None) -> None:
        widths = search_choices(queue.default_width)
        width = last.width if last is not None and last.width in dict(widths) else queue.default_width
        strict = STRICT if last is not None and last.strict else LOOSE
        super().__init__(data, initial={"width": width, "strict": strict, "regions": queue.regions})
        choices = {"width": [(str(width), label) for width, label in widths],
                   "regions": [(region, region_name(region)) for region in queue.regions]}  # fmt: skip
        for name, options in choices.items():
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)  # noqa: S101 - as declared above
            field.choices = options

    def wish(self) -> Wish:
        """The wish of a valid form."""
        values = self.cleaned_data
        pings = dict.fromkeys(values["regions"], 0.0)
        return Wish(width=values["width"] or None, strict=values["strict"] == STRICT, pings=pings)


def number(limit: Limit, label: str, initial: float | None, hint: str = "", *, required: bool = True) -> forms.Field:
    """A field for a number. Only the browser keeps it within its limits; the form's `clean` refuses what is outside."""
    kind = forms.IntegerField if limit.whole else forms.FloatField
    style, step = (".0f", "1") if limit.whole else ("g", "any")
    bounds = {"min": format(limit.least, style), "max": format(limit.most, style), "step": step}
    widget = forms.NumberInput(attrs=bounds)
    return kind(label=label, initial=initial, help_text=hint, required=required, widget=widget)


class PlanForm(forms.Form):
    """The numbers to plan queues with. A valid form has `plan`, `changes` (to reach the target) and `matches` (to place
    all players)."""

    online = number(LIMITS["online"], "Players online", 500)
    participants = number(LIMITS["participants"], "Players of a match", 8, "All teams together.")
    match_minutes = number(LIMITS["match_minutes"], "Minutes of a match", 10)
    modes = number(LIMITS["modes"], "Modes", 1, "Players are spread evenly over them.")
    regions = number(LIMITS["regions"], "Regions", 1, "That don't play each other.")
    width = number(WIDTH, "Rank filter, ± percentiles", 10, "±10 makes five skill buckets, ±50 one.")
    target = number(TARGET, "Wait wanted, seconds", 60, required=False)
    population = number(POPULATION, "All players", 10_000, "To be placed on a ladder.", required=False)

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        self.changes: tuple[PlanChange, ...] = ()
        self.matches: float | None = None
        if self.errors:
            return values
        try:
            numbers = {name: values[name] for name in LIMITS if name != "buckets"}
            self.plan = QueuePlan(**numbers, buckets=buckets_of(values["width"]))
            if values["target"] is not None:
                self.changes = changes_for(self.plan, values["target"])
            if values["population"] is not None:
                self.matches = matches_to_place(values["population"], self.plan.participants)
        except Nonsense as nonsense:
            self.add_error(nonsense.field, str(nonsense))
        return values


class SimulationForm(forms.Form):
    """The numbers of an evening to simulate. A valid form has `scenarios`, one for each ticked strategy."""

    strategy = forms.MultipleChoiceField(
        label="Strategy",
        choices=[("fifo", "First in, first out"), ("skill", "By skill")],
        initial=list(STRATEGIES),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Tick at least one strategy."},
    )
    system = forms.ChoiceField(label="Rating system", choices=system_choices, initial="trueskill")
    online = number(Limit("Players online", 2, MOST_ONLINE), "Players online", 200)
    hours = number(replace(SCENARIO_LIMITS["hours"], most=MOST_HOURS), "Hours", 2)
    team_size = number(SCENARIO_LIMITS["team_size"], "Players of a team", 4)
    team_count = number(SCENARIO_LIMITS["team_count"], "Teams", 2)
    fewest_teams = number(
        SCENARIO_LIMITS["fewest_teams"],
        "Fewest teams",
        0,
        "If matches may be smaller; 0: they all fill up.",
        required=False,
    )
    match_minutes = number(SCENARIO_LIMITS["match_minutes"], "Minutes of a match", 10)
    width = number(SCENARIO_LIMITS["width"], "Rank filter, ± percentiles", 10)
    placement = number(SCENARIO_LIMITS["placement"], "Placement matches", 3)
    in_parties = number(SCENARIO_LIMITS["in_parties"], "Share in parties", 0.3, "0 to 1.")
    regions = number(SCENARIO_LIMITS["regions"], "Regions", 2)
    leaves = number(SCENARIO_LIMITS["leaves"], "Chance to leave a match", 0.02, "0 to 0.5.")
    seed = number(SCENARIO_LIMITS["seed"], "Seed", 7, "The same seed, the same people and luck.")

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        self.scenarios: list[Scenario] = []
        if self.errors:
            return values
        for name, most, unit in (("online", MOST_ONLINE, "players"), ("hours", MOST_HOURS, "hours")):
            if values[name] > most:
                self.add_error(name, f"A page simulates {most:,} {unit} at most; the command has no such limit.")
        if self.errors:
            return values
        numbers = {name: value for name, value in values.items() if name != "strategy" and value is not None}
        try:
            self.scenarios = [Scenario(strategy=strategy, **numbers) for strategy in values["strategy"]]
        except Nonsense as nonsense:
            self.add_error(nonsense.field if nonsense.field in self.fields else None, str(nonsense))
        return values
