"""The form of a mode: its settings, its rating system, and the parameters of that system."""

from __future__ import annotations

from typing import Any

from django import forms

from ranking.admin.base.name_fields import name_fields, names_from
from ranking.admin.base.parameter_fields import find_refusals, parameter_fields, params_from
from ranking.admin.modes.conduct_fields import conduct_fields, conduct_from
from ranking.admin.modes.scoreboard_fields import ScoreboardField
from ranking.admin.modes.tier_fields import TiersField
from ranking.models import Mode
from ranking.models.mode import MOST_ACTIVITY_MATCHES, time_zone_names
from ranking.modes.changes import SETTINGS, has_ratings, team_count_objection
from ranking.modes.parameters import Misfit, check_fits, current_parameters, params_of
from ranking.rules.schedule import EXAMPLES
from ranking.rules.tiers import NAMED, SCHEME_LABELS
from ranking.systems.margin.system import Margin
from ranking.systems.registry import get_system, system_choices

HELP = {
    "slug": "Stands in addresses and in what games send. It can't be changed later.",
    "description": "One line for the home page.",
    "team_count": "The most teams of a match. Once a match was played, two can’t become more, nor more become two.",
    "team_count_min": "The fewest teams of a match, such as 3 in a free-for-all of 3 to 12. Empty: always the most.",
    "least_is_best": "For races by time: the lowest score is the best.",
    "equal_teams": "Matches of teams of different sizes are recorded and count for nothing. Substitutes don't change a"
    " team's size.",
    "least_seconds": "Shorter matches are recorded and count for nothing. 0: every match counts.",
    "withdraw_seconds": "For so many seconds after a result arrived its sender may withdraw it by API. It is void then,"
    " and what came after it is rated anew. 0: only moderators void matches.",
    "least_rounds": "The same by rounds. 0: every match counts.",
    "leave_after_abandon": "Once somebody has abandoned a match, their team-mates may leave it without being leavers.",
    "team_size_min": "The fewest players of a team.",
    "team_size_max": "The most players of a team.",
    "reconnect_grace": "Seconds that a player may be absent in all without having left. Default: 180.",
    "time_zone": "Where this mode's days and seasons begin.",
    "ranked": "Without it the mode is for fun: its ratings are computed in the background, and shown nowhere.",
    "shows_rating": "On boards, players' and matches' pages, explanations included.",
    "shows_percentile": "“Top 38 %”, on boards, players' and matches' pages.",
    "shows_tier": "Bronze to Master, or whatever the tiers below are.",
    "placement_matches": "Completed matches before somebody is on the board. 0: at once.",
    "activity_matches": f"Completed matches within the window to stay on the board, 1 to {MOST_ACTIVITY_MATCHES}.",
    "activity_days": "The window, in days. Empty: nobody becomes inactive.",
    "schedule": "When seasons end, by the clocks of the time zone above: " + "; ".join(EXAMPLES) + ". Empty: when you"
    " end them.",
    "late_results": "Seconds after a season's end in which results of it still count. Default: 300.",
    "placement_after_reset": "Completed matches before a player whose rating comes from the season before is on the"
    " board. Default: 3; never more than placement matches.",
    "tier_scheme": "How percentiles become tiers.",
    "tier_least_listed": "Tiers are given while at least so many players are listed. Default: 20; 0: always.",
    "best_by": "The statistic by which match pages name the most valuable player. Two-layer names them by its impact,"
    " margin by its impact stat if it has one.",
    "link_hosts": "Where replays and videos may lie that your game servers link, such as replays.example.org: one host"
    " on a line; names below it count, too. Empty: no links.",
    "entry_days": "Days for which a player must have been known here before they queue for it. Default: 0, none.",
    "entry_matches": "Completed matches of the mode below before they queue for it. Default: 0, none.",
    "entry_mode": "A mode for fun, where newcomers play first.",
}
LABELS = {
    "team_size_min": "Smallest team",
    "team_size_max": "Largest team",
    "team_count": "Teams",
    "team_count_min": "Fewest teams",
    "least_is_best": "The lowest score is best",
    "equal_teams": "Only equal teams count",
    "least_seconds": "Shortest match, in seconds",
    "least_rounds": "Shortest match, in rounds",
    "withdraw_seconds": "Senders may withdraw results for",
    "leave_after_abandon": "Leave after a team-mate",
    "activity_matches": "Matches to stay active",
    "activity_days": "Activity window",
    "reconnect_grace": "Reconnect grace",
    "schedule": "Seasons end",
    "late_results": "Late results",
    "placement_after_reset": "Placement after a reset",
    "shows_rating": "Shows ratings",
    "shows_percentile": "Shows percentiles",
    "shows_tier": "Shows tiers",
    "tier_least_listed": "Players for tiers",
    "best_by": "Best player by",
    "link_hosts": "Hosts of replays and videos",
    "entry_days": "Days known to the site",
    "entry_matches": "Matches to complete first",
    "entry_mode": "Mode of those matches",
}
PROPOSED = "As proposed: margin, which predicts best with scores, and as well as any without"
FIXED = "Fixed: this mode has ratings. Going over to another system rates them all anew."


class ModeForm(forms.ModelForm[Mode]):
    """Creates or changes a mode. Once it is valid, `rated_by` is the mode's rating system, `params` its parameters."""

    system = forms.ChoiceField(
        choices=system_choices,
        label="Rating system",
        help_text="What a result does to ratings, and so what players do: see docs/formulas and docs/designing.md.",
    )
    tier_scheme = forms.ChoiceField(choices=[*SCHEME_LABELS.items()], initial=NAMED, help_text=HELP["tier_scheme"])
    named_tiers = TiersField()
    scoreboard = ScoreboardField(label="Columns")
    time_zone = forms.ChoiceField(
        choices=lambda: [(name, name) for name in time_zone_names()],
        initial="UTC",
        help_text=HELP["time_zone"],
    )

    class Meta:
        model = Mode
        fields = ("slug", *(name for name in SETTINGS if name not in ("conduct", "names")))
        help_texts = HELP
        labels = LABELS

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        in_force = current_parameters(self.instance) if self.instance.pk else None
        params = params_of(in_force) if in_force else {}
        self.fields.update(parameter_fields(params, in_force.system if in_force else None))
        entry_mode: Any = self.fields["entry_mode"]
        entry_mode.queryset = Mode.objects.filter(ranked=False)
        entry_mode.widget.can_add_related = False
        self.fields.update(conduct_fields(self.instance.conduct or {}))
        self.fields.update(name_fields("name", "Name", self.instance.names))
        system: Any = self.fields["system"]
        if not in_force:
            system.required, system.choices = False, [("", PROPOSED), *system_choices()]
        else:
            system.initial = in_force.system
            if has_ratings(self.instance):
                system.disabled = True
                system.help_text = FIXED

    @property
    def settings(self) -> dict[str, Any]:
        values = {name: self.cleaned_data[name] for name in SETTINGS if name in self.cleaned_data}
        names = names_from("name", self.cleaned_data)
        return {**values, "conduct": conduct_from(self.cleaned_data), "names": names}

    def clean(self) -> None:
        super().clean()
        # "" if the choice was refused.
        self.rated_by: str = self.cleaned_data.get("system") or ("" if "system" in self.errors else Margin.key)
        self.params = params_from(self.rated_by, self.cleaned_data) if self.rated_by else {}
        if not self.rated_by:
            return
        refusals = find_refusals(self.rated_by, self.params)
        for field, sentence in refusals.items():
            self.add_error(field, sentence)
        if not refusals and "team_size_max" in self.cleaned_data:
            self._check_fits()
        if self.instance.pk and "team_count" in self.cleaned_data:
            stored = Mode.objects.get(pk=self.instance.pk)
            if objection := team_count_objection(stored, self.cleaned_data["team_count"]):
                self.add_error("team_count", objection)

    def _check_fits(self) -> None:
        fixed: dict[str, object] = {"team_count": self.instance.team_count, "slug": self.instance.slug}
        values = fixed | self.cleaned_data
        mode = Mode(**{name: values.get(name) for name in ("slug", "team_count", "team_count_min", "team_size_max")})
        try:
            check_fits(get_system(self.rated_by, self.params), mode)
        except Misfit as misfit:
            self.add_error(misfit.field if misfit.field in self.fields else "system", str(misfit))
