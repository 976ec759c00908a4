"""List filters with a field to type in, each a small form of its own that works without JavaScript."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any, ClassVar

from django import forms
from django.contrib.admin import ListFilter
from django.contrib.admin.views.main import PAGE_VAR
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from ranking.admin.base.audited import M
from ranking.admin.base.lists import BadListAddress


class FormFilter(ListFilter):
    """A filter by the answers of a form. The form's field names are the parameters of the address."""

    template = "admin/filter_form.html"
    parameter_name: ClassVar[str]  # of the first field
    links: ClassVar[dict[str, str]] = {}  # values of the first field that are offered as links, with their words

    def __init__(self, request: HttpRequest, params: dict[str, list[str]], model: Any, model_admin: Any) -> None:
        super().__init__(request, params, model, model_admin)
        self.base_fields = self.make_fields()
        self.given = {name: params.pop(name)[-1] for name in self.base_fields if name in params}
        self.form = self._make_form()
        self.values = self._clean()

    def make_fields(self) -> dict[str, forms.Field]:
        """Return the form's fields, none of which is required."""
        raise NotImplementedError

    def condition(self, values: dict[str, Any]) -> Q:
        """Return the condition on the rows; `values` holds the answers that were given."""
        raise NotImplementedError

    def expected_parameters(self) -> list[str | None]:
        return list(self.base_fields)

    def has_output(self) -> bool:
        return True

    def queryset(self, request: HttpRequest, queryset: QuerySet[M]) -> QuerySet[M]:
        return queryset.filter(self.condition(self.values)) if self.values else queryset

    def choices(self, changelist: Any) -> Any:
        """Return what the template shows: links, the form, and the other parameters of the address."""
        mine, other = [*self.base_fields, PAGE_VAR], changelist.params.items()
        links = [{"selected": not self.values, "query_string": changelist.get_query_string(remove=mine),
                  "display": "All"}]  # fmt: skip
        links += [
            {"selected": self.given.get(self.parameter_name) == value, "display": words,
             "query_string": changelist.get_query_string({self.parameter_name: value}, remove=mine)}
            for value, words in self.links.items()
        ]  # fmt: skip
        return [{"links": links, "form": self.form, "other": [pair for pair in other if pair[0] not in mine]}]

    def _make_form(self) -> forms.Form:
        form = forms.Form(self.given or None, auto_id=f"filter-{self.parameter_name}-%s")
        form.fields.update(self.base_fields)
        return form

    def _clean(self) -> dict[str, Any]:
        if not self.given:
            return {}
        if not self.form.is_valid():
            name, errors = next(iter(self.form.errors.items()))
            sentence = f"The filter “{self.title}” ({name}) can’t be “{self.given.get(name, '')[:64]}”: {errors[0]}"
            raise BadListAddress(sentence, name)
        return {name: value for name, value in self.form.cleaned_data.items() if value not in (None, "")}


def text_field(label: str, longest: int = 64, **more: Any) -> forms.CharField:
    return forms.CharField(label=label, required=False, max_length=longest, **more)


class MomentField(forms.Field):
    """A time in UTC, such as 2026-11-22T14:30; or how long ago, such as 7d or 12h. Its value: an aware time.

    How long ago is counted in whole minutes, as a browser shows the time in its field: sent again, it is the same time.
    """

    UNITS: ClassVar = {"h": dt.timedelta(hours=1), "d": dt.timedelta(days=1)}
    widget = forms.DateTimeInput(attrs={"type": "datetime-local"})

    def to_python(self, value: Any) -> dt.datetime | None:
        text = str(value or "").strip()
        if not text:
            return None
        if text[-1] in self.UNITS and text[:-1].isascii() and text[:-1].isdigit() and len(text) <= 5:
            now = timezone.now().replace(second=0, microsecond=0)
            return now - int(text[:-1]) * self.UNITS[text[-1]]
        try:
            moment = dt.datetime.fromisoformat(text.replace(" ", "+"))  # a plus sign in an address is a blank
            return moment.replace(tzinfo=dt.UTC) if moment.tzinfo is None else moment.astimezone(dt.UTC)
        except (ValueError, OverflowError) as error:
            sentence = "Write a time in UTC, such as 2026-11-22T14:30, or 7d for 7 days ago."
            raise forms.ValidationError(sentence) from error

    def prepare_value(self, value: Any) -> Any:
        """Return a time as browsers read it in a field; they would show 7d or a time with a zone as an empty field."""
        try:
            moment = self.to_python(value)
        except forms.ValidationError:
            return value
        if moment is None:
            return value
        return moment.replace(tzinfo=None).isoformat(timespec="seconds" if moment.second else "minutes")


class TimeFilter(FormFilter):
    """Filters by a time: since, until or between. Subclasses say by which column, which has an index."""

    column: ClassVar[str]
    names: ClassVar = ("since", "until")
    parameter_name = "since"
    links: ClassVar = {"1d": "In the last day", "7d": "In the last 7 days", "30d": "In the last 30 days"}

    def make_fields(self) -> dict[str, forms.Field]:
        since, until = self.names
        labels = {since: "From (UTC)", until: "To (UTC)"}
        return {name: MomentField(label=label, required=False) for name, label in labels.items()}

    def condition(self, values: dict[str, Any]) -> Q:
        since, until = (values.get(name) for name in self.names)
        if since and until and since > until:
            raise BadListAddress(f"The filter “{self.title}” ends before it begins.", *self.names)
        found = Q(**{f"{self.column}__gte": since}) if since else Q()
        return found & Q(**{f"{self.column}__lte": until}) if until else found


def time_filter(column: str, title: str) -> type[TimeFilter]:
    """Return a filter by the time in this column."""
    return type("TimeFilter", (TimeFilter,), {"column": column, "title": title})


def exact_filter(
    parameter: str, title: str, label: str, condition: Callable[[str], Q], *, links: dict[str, str] | None = None
) -> type[FormFilter]:
    """Return a filter by a whole text."""

    class ExactFilter(FormFilter):
        parameter_name = parameter

        def make_fields(self) -> dict[str, forms.Field]:
            return {parameter: text_field(label, 150)}

        def condition(self, values: dict[str, Any]) -> Q:
            return condition(values[parameter])

    ExactFilter.title, ExactFilter.links = title, links or {}
    return ExactFilter
