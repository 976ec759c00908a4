"""Lists that offer acts below their rows, and pages of rows that offer them as buttons."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, TypeVar

from django.contrib import admin, messages
from django.contrib.admin.helpers import ActionForm
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse

from ranking.admin.base.acts.acts import Act
from ranking.admin.base.acts.chosen_rows import most_of, name_rows, read_action
from ranking.admin.base.acts.confirmation import SENT_BEFORE, claim_form, give_up_form

M = TypeVar("M", bound=Model)


class TickedRowsForm(ActionForm):
    """The form of a list's actions. Django's own way to act on all rows is closed; ours is in chosen_rows.py."""

    def clean_select_across(self) -> bool:
        return False


class ActsAdmin(admin.ModelAdmin[M]):
    """Offers the acts among `actions` to those who have the right.

    `shows_every_act`: the page of a row shows buttons of acts that the reader hasn't the right to, too.
    """

    action_form = TickedRowsForm
    shows_every_act: ClassVar[bool] = False

    def get_actions(self, request: HttpRequest, action_location: Any = None) -> dict[str, Any]:
        location = () if action_location is None else (action_location,)  # Django 6.1 gives it, older ones take none
        actions = super().get_actions(request, *location)
        return {name: each for name, each in actions.items() if not _is_forbidden(each, self, request)}

    def choose_rows(self, request: HttpRequest) -> bool:
        """Choose the rows that a sent act is meant for; False, with a message, if it can't be done on them."""
        return request.method != "POST" or name_rows(self, request)

    def acts_context(self, request: HttpRequest) -> dict[str, object]:
        """Return what the list's template shows below the rows."""
        bulk = any(act.bulk for act in self._allowed_acts(request))
        return {"acts_across": bulk, "most_across": most_of(request)}

    def response_action(
        self, request: HttpRequest, queryset: QuerySet[M], *args: Any, **where: Any
    ) -> HttpResponse | None:
        """Act on the rows that were ticked or previewed, whether or not they still match the address.

        A form that is sent twice is acted on once.
        """
        claim = claim_form(request)
        if claim is None:
            self.message_user(request, SENT_BEFORE, messages.WARNING)
            return HttpResponseRedirect(request.get_full_path())
        rows: Any = self.get_queryset(request)
        if self.list_select_related and not isinstance(self.list_select_related, bool):
            rows = rows.select_related(*self.list_select_related)
        acted = False
        try:
            response: Any = super().response_action(request, rows.order_by(*self.get_ordering(request)), *args, **where)
            acted = not isinstance(response, TemplateResponse)  # else it asks, perhaps once more
        finally:
            if not acted:
                give_up_form(claim)
        return response  # type: ignore[no-any-return]

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        row = context["original"]
        if row is not None:
            acts: Iterable[Any] = (self.actions or ()) if self.shows_every_act else self._allowed_acts(request)
            offered = (act for act in acts if act.is_offered(request, row))
            context["object_actions"] = {act.name: act.label_on(row) for act in offered}
        return super().render_change_form(request, context, *args, **kwargs)

    def _allowed_acts(self, request: HttpRequest) -> list[Act]:
        functions = (read_action(each)[0] for each in self.get_actions(request).values() if each)
        return [function for function in functions if isinstance(function, Act)]


def _is_forbidden(described: Any, page: admin.ModelAdmin[M], request: HttpRequest) -> bool:
    act = read_action(described)[0] if described else None
    return isinstance(act, Act) and not act.is_allowed(page, request)
