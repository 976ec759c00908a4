"""What a player asks of their matches, on the page of a queue."""

from __future__ import annotations

from typing import Any

from django import forms

from matchmaking.matcher.widening import LADDER
from matchmaking.models import Queue
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
from matchmaking.simulation.scenarios import LIMITS as SCENARIO_LIMITS
from matchmaking.simulation.scenarios import STRATEGIES, Scenario
from ranking.systems.registry import system_choices

LOOSE, STRICT = "loose", "strict"


class JoinForm(forms.Form):
    """Regions chosen here are taken as good: a page can't measure pings, which games do."""

    width = forms.TypedChoiceField(label="How close to your own rank?", coerce=int, required=False, empty_value=None,
                                   widget=forms.RadioSelect(attrs={"aria-describedby": "width-hint"}))  # fmt: skip
    strict = forms.ChoiceField(label="While you wait", required=False, widget=forms.RadioSelect,
                               choices=[(LOOSE, "Widen it"), (STRICT, "Keep it")])  # fmt: skip
    regions = forms.MultipleChoiceField(label="Regions you can play in", required=False,
                                        widget=forms.CheckboxSelectMultiple)  # fmt: skip

    def __init__(self, queue: Queue, data: Any = None) -> None:
        widths = sorted({*(int(step) for step in LADDER), queue.default_width})
        initial = {"width": queue.default_width, "strict": LOOSE, "regions": queue.regions}
        super().__init__(data, initial=initial)
        choices = {"width": [(str(width), "Anyone" if width == 100 else f"±{width}") for width in widths],
                   "regions": [(region, region) for region in queue.regions]}  # fmt: skip
        for name, said in choices.items():
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)  # noqa: S101 - as declared above
            field.choices = said

    def wish(self) -> Wish:
        """What a valid form asks for."""
        said = self.cleaned_data
        pings = dict.fromkeys(said["regions"], 0.0)
        return Wish(width=said["width"] or None, strict=said["strict"] == STRICT, pings=pings)


MOST_ONLINE = 2_000  # that a page simulates; the command has no such limit


def number(limit: Limit, label: str, initial: float | None, said: str = "", *, required: bool = True) -> forms.Field:
    """A number that the browser keeps within its limits; what comes in all the same is refused in a sentence."""
    kind = forms.IntegerField if limit.whole else forms.FloatField
    how, step = (".0f", "1") if limit.whole else ("g", "any")
    bounds = {"min": format(limit.least, how), "max": format(limit.most, how), "step": step}
    widget = forms.NumberInput(attrs=bounds)
    return kind(label=label, initial=initial, help_text=said, required=required, widget=widget)


class PlanForm(forms.Form):
    """`plan`, `changes`, `matches`, once valid."""

    online = number(LIMITS["online"], "Players online", 500)
    participants = number(LIMITS["participants"], "Players of a match", 8, "All teams together.")
    match_minutes = number(LIMITS["match_minutes"], "Minutes of a match", 10)
    modes = number(LIMITS["modes"], "Modes", 1, "Players are spread evenly over them.")
    regions = number(LIMITS["regions"], "Regions", 1, "That don't play each other.")
    width = number(WIDTH, "Rank filter, ± percentiles", 10, "±10 makes five skill buckets, ±50 one.")
    target = number(TARGET, "Wait wanted, seconds", 60, required=False)
    population = number(POPULATION, "All players", 10_000, "To be placed on a ladder.", required=False)

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        self.changes: tuple[PlanChange, ...] = ()
        self.matches: float | None = None
        if self.errors:
            return given
        try:
            numbers = {name: given[name] for name in LIMITS if name != "buckets"}
            self.plan = QueuePlan(**numbers, buckets=buckets_of(given["width"]))
            if given["target"] is not None:
                self.changes = changes_for(self.plan, given["target"])
            if given["population"] is not None:
                self.matches = matches_to_place(given["population"], self.plan.participants)
        except Nonsense as nonsense:
            self.add_error(nonsense.field, str(nonsense))
        return given


class SimulationForm(forms.Form):
    """`scenarios`, once valid: one for each strategy that was ticked."""

    strategy = forms.MultipleChoiceField(
        label="Strategy",
        choices=[("fifo", "First in, first out"), ("skill", "By skill")],
        initial=list(STRATEGIES),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Tick at least one strategy."},
    )
    system = forms.ChoiceField(label="Rating system", choices=system_choices, initial="trueskill")
    online = number(Limit("Players online", 2, MOST_ONLINE), "Players online", 200)
    hours = number(SCENARIO_LIMITS["hours"], "Hours", 2)
    team_size = number(SCENARIO_LIMITS["team_size"], "Players of a team", 4)
    team_count = number(SCENARIO_LIMITS["team_count"], "Teams", 2)
    match_minutes = number(SCENARIO_LIMITS["match_minutes"], "Minutes of a match", 10)
    width = number(SCENARIO_LIMITS["width"], "Rank filter, ± percentiles", 10)
    placement = number(SCENARIO_LIMITS["placement"], "Placement matches", 3)
    in_parties = number(SCENARIO_LIMITS["in_parties"], "Share in parties", 0.3, "0 to 1.")
    regions = number(SCENARIO_LIMITS["regions"], "Regions", 2)
    leaves = number(SCENARIO_LIMITS["leaves"], "Chance to leave a match", 0.02, "0 to 0.5.")
    seed = number(SCENARIO_LIMITS["seed"], "Seed", 7, "The same seed, the same people and luck.")

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        self.scenarios: list[Scenario] = []
        if self.errors:
            return given
        if given["online"] > MOST_ONLINE:
            self.add_error(
                "online", f"A page simulates {MOST_ONLINE:,} players at most; the command has no such limit."
            )
            return given
        numbers = {name: value for name, value in given.items() if name != "strategy"}
        try:
            self.scenarios = [Scenario(strategy=strategy, **numbers) for strategy in given["strategy"]]
        except Nonsense as nonsense:
            self.add_error(nonsense.field if nonsense.field in self.fields else None, str(nonsense))
        return given
