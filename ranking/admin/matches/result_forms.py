"""Forms of a typed result: the match, and each of its teams in a row of its own."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.http import HttpRequest
from django.utils.dateparse import parse_datetime

from ranking.admin.base.acts.confirmation import ONCE, new_number
from ranking.admin.base.acts.forms import TextsForm, UTCTimeField, sent_form
from ranking.matches.records import MatchRecord
from ranking.matches.sent_results import match_fields, team_fields
from ranking.models import Mode
from ranking.moderation.typed_results import BadTyping, Fault, TypedTeam, read_typed
from ranking.rules.report import Report

_TEAM = re.compile(r"teams\[(\d+)\](?:\.(score|place|left))?")
NO_PLAYERS = "No team has a player yet: name the players of each team, one a line."
_SHOWN = "%Y-%m-%dT%H:%M:%S"


class ModeChoiceForm(forms.Form):
    mode = forms.ModelChoiceField(Mode.objects.order_by("name"), empty_label=None)


class MatchForm(forms.Form):
    """When it was played."""

    ended_at = UTCTimeField(label="Ended", help_text="UTC.")
    duration = forms.FloatField(
        min_value=0, required=False, label="Seconds of play", help_text="Empty: not known.",
        widget=forms.NumberInput(attrs={"step": "any"}),
    )  # fmt: skip
    create = forms.BooleanField(
        required=False, label="New players", help_text="Keys and names that nobody has are new players."
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        widget: Any = self.fields["ended_at"].widget
        widget.format, widget.attrs["step"] = _SHOWN, "1"


class TeamForm(forms.Form):
    """A team, a player a line. Empty: there is no such team."""

    players = forms.CharField(
        required=False, widget=forms.Textarea(attrs={"rows": 2, "cols": 30, "spellcheck": "false"}),
        help_text="Keys or names, one a line.",
    )  # fmt: skip
    score = forms.FloatField(required=False, widget=forms.NumberInput(attrs={"step": "any"}))
    place = forms.IntegerField(min_value=1, required=False, help_text="1 is best. For every team, or for none.")
    left = forms.CharField(
        required=False, label="Left early", widget=forms.Textarea(attrs={"rows": 1, "cols": 30, "spellcheck": "false"}),
        help_text="Who of them, one a line.",
    )  # fmt: skip

    def typed(self, name: str) -> TypedTeam | None:
        """The team as typed; None if nothing was."""
        values = self.cleaned_data
        players, left = (_lines(values[field]) for field in ("players", "left"))
        if not players and not left and values["score"] is None and values["place"] is None:
            return None
        return TypedTeam(players, left, values["score"], values["place"], name)


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


class ResultForms:
    """The forms of a result: `match`, `teams`, and `act` if the act asks why. `record`: the match that it corrects."""

    def __init__(self, request: HttpRequest, mode: Mode, now: dt.datetime, record: MatchRecord | None = None) -> None:
        data, self.mode, self.record = request.POST or None, mode, record
        self.recorded = [] if record is None else team_fields(record)
        self.fields = {} if record is None else match_fields(record.match)
        ended_at = now.replace(microsecond=0) if record is None else record.match.ended_at
        initial = {"ended_at": ended_at, "duration": self.fields.get("duration")}
        self.match = MatchForm(data, initial=initial)
        rows = max(mode.team_count, len(self.recorded))
        self.teams = [TeamForm(data, prefix=f"team-{number}", initial=self._initial(number)) for number in range(rows)]
        for number, form in enumerate(self.teams, 1):
            form.fields["score"].label = "Time" if mode.least_is_best else "Score"
            for field in form.fields.values():
                field.widget.attrs["aria-label"] = f"Team {number}: {field.label or ''}".strip(": ")
        self.act = None if record is None else sent_form(request, TextsForm)
        self.once = request.POST.get(ONCE) or new_number()

    def _initial(self, number: int) -> dict[str, Any]:
        if number >= len(self.recorded):
            return {}
        team = self.recorded[number]
        left = [player["id"] for player in team["players"] if player.get("left_early")]
        players = "\n".join(player["id"] for player in team["players"])
        return {"players": players, "left": "\n".join(left), "score": team.get("score"), "place": team.get("place")}

    @property
    def all(self) -> list[forms.Form]:
        return [self.match, *self.teams, *([] if self.act is None else [self.act])]

    def is_valid(self) -> bool:
        return all([form.is_valid() for form in self.all])  # noqa: C419 - each of them says what is wrong with it

    def read(self) -> Report:
        """The result as typed. Raises BadTyping."""
        names = [team.get("name", "") for team in self.recorded] + [""] * len(self.teams)
        typed = [form.typed(name) for form, name in zip(self.teams, names, strict=False)]
        like = [player for team in self.recorded for player in team["players"]]
        values = self.match.cleaned_data
        fields = {"mode": self.mode.slug, **self.fields, **self._times(values), "id": f"typed-{self.once}"}
        if not any(team is not None and team.players for team in typed):
            self.numbers = list(range(len(self.teams)))
            raise BadTyping([("teams[0]", NO_PLAYERS)])
        self.numbers = [number for number, team in enumerate(typed) if team is not None]
        return read_typed(fields, [team for team in typed if team is not None], create=values["create"], like=like)

    def _times(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The times as typed; those that weren't changed keep their fractions."""
        ended_at, before = values["ended_at"], parse_datetime(self.fields.get("ended_at", ""))
        if before is not None and ended_at == before.replace(microsecond=0):
            ended_at = before
        return {"ended_at": ended_at.isoformat(), "duration": values["duration"]}

    def add_faults(self, faults: Sequence[Fault]) -> None:
        """Show each sentence beside its field; one about no field of these stands above all."""
        for path, sentence in faults:
            found = _TEAM.match(path)
            if found is not None and int(found[1]) < len(self.numbers):
                self.teams[self.numbers[int(found[1])]].add_error(found[2] or "players", sentence)
            else:
                self.match.add_error(path if path in self.match.fields else None, sentence)
