"""Admin pages of API keys: create, rotate and revoke. A secret is shown once; only its digest is kept."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone

from ranking.admin.base.acts.acts import Act, on_each
from ranking.admin.base.acts.confirmation import Question, confirmation_page, is_confirmed
from ranking.admin.base.audited import M, person
from ranking.admin.base.base import RowsField, UneditedAdmin, find_only
from ranking.admin.base.display import badge
from ranking.admin.base.filters import choice_filter
from ranking.models import Key, Mode
from ranking.models.access import SCOPES
from ranking.operations.key_administration import end_key, replace_key, subject_of
from ranking.operations.keys import SOON, issue_key, new_prefix

MEANINGS = {
    "results": "Send match results",
    "servers": "Register game servers and report on them",
    "players": "Act for players: tokens, names, regions",
    "read": "Read what pages show, faster than anonymously",
    "ratings:hidden": "Read ratings that pages don't show",
    "moderate": "Moderate in the name of an account that may, such as a moderator's",
    "configure": "Read and change modes and queues in the name of an account that may",
}
REVOKE = Question(
    "Revoke keys",
    "From the next request on, they and the players' tokens that they obtained are refused. This can't be undone.",
    "Revoke",
)
ROTATE = Question(
    "Rotate a key",
    "You get a new key with the same rights. The old one, and the players' tokens that it obtained,"
    " go on working for the time that you choose.",
    "Make the new key",
)
FRESH = re.compile(r"[0-9a-f]{8}")
MADE = "That key was made already, and a secret is shown only once. Make another, and revoke this one."


class KeyForm(forms.ModelForm[Key]):
    """Creates a key. `fresh`, the new prefix, is set when the form is shown, so sending it twice makes one key."""

    fresh = forms.RegexField(FRESH.pattern + r"\Z", initial=new_prefix, widget=forms.HiddenInput)
    scopes = forms.MultipleChoiceField(
        choices=[(scope, f"{scope}: {MEANINGS[scope]}") for scope in SCOPES], widget=forms.CheckboxSelectMultiple
    )
    modes = RowsField(
        Mode.objects.all(), widget=forms.CheckboxSelectMultiple, required=False, help_text="None ticked: every mode."
    )

    expires_at = forms.DateTimeField(
        required=False, widget=forms.DateTimeInput(attrs={"type": "datetime-local"}), label="Expires",
        help_text="UTC. Empty: never.",
    )  # fmt: skip
    limit = forms.IntegerField(
        min_value=1, max_value=2_000_000_000, required=False, help_text="Requests a minute. Empty: the site's limit."
    )

    def clean_expires_at(self) -> object:
        moment = self.cleaned_data["expires_at"]
        if moment is not None and moment <= timezone.now():
            raise forms.ValidationError("This must be in the future.")
        return moment

    def clean(self) -> None:
        if Key.objects.filter(prefix=self.cleaned_data.get("fresh")).exists():
            raise forms.ValidationError(MADE)


class RotateForm(forms.Form):
    overlap = forms.ChoiceField(
        choices=[("1", "1 hour"), ("24", "1 day"), ("168", "7 days"), ("720", "30 days"), ("", "Until I revoke it")],
        initial="24",
        required=False,
        label="The old key works for",
        help_text="Time to give the new key to every server.",
    )

    @property
    def chosen(self) -> dt.timedelta | None:
        hours = self.cleaned_data["overlap"]
        return dt.timedelta(hours=int(hours)) if hours else None


def _expiring(**lookups: dt.timedelta) -> Callable[[HttpRequest], Q]:
    """Return the condition on keys that aren't revoked, and expire so long from now."""
    return lambda request: Q(revoked_at=None, **{name: timezone.now() + span for name, span in lookups.items()})


def _works(request: HttpRequest) -> Q:
    return Q(revoked_at=None) & (Q(expires_at=None) | Q(expires_at__gt=timezone.now()))


_NOW = dt.timedelta()
KeyStateFilter = choice_filter(
    "state",
    "state",
    {
        "works": ("Works", _works),
        "soon": ("Expires within a week", _expiring(expires_at__gt=_NOW, expires_at__lte=SOON)),
        "expired": ("Expired", _expiring(expires_at__lte=_NOW)),
        "revoked": ("Revoked", Q(revoked_at__isnull=False)),
    },
)


def show_once(page: admin.ModelAdmin[M], request: HttpRequest, key: Key, secret: str) -> TemplateResponse:
    """Show the secret, once: the page is the response to a POST, and no other page holds the secret."""
    context = {
        **page.admin_site.each_context(request),
        "title": "Your new key",
        "opts": page.opts,
        "key": key,
        "secret": secret,
    }
    return TemplateResponse(request, "admin/ranking/key/secret.html", context)


class RotateAct(Act):
    """Makes a new key beside one that works. `prefix`, the new key's, is set by the page that asks."""

    def __call__(self, page: admin.ModelAdmin[Key], request: HttpRequest, rows: QuerySet[Key]) -> HttpResponse | None:
        key = find_only(rows)
        if key is None or key.revoked_at or (key.expires_at and key.expires_at <= timezone.now()):
            page.message_user(request, "Rotate one key that works at a time.", messages.WARNING)
            return None
        prefix, form = request.POST.get("prefix", ""), RotateForm(request.POST if is_confirmed(request) else None)
        if not form.is_valid() or not FRESH.fullmatch(prefix):
            return confirmation_page(page, request, rows, ROTATE, form, prefix=prefix or new_prefix())
        if known := Key.objects.filter(prefix=prefix).first():
            page.message_user(request, MADE, messages.WARNING)
            return HttpResponseRedirect(reverse("admin:ranking_key_change", args=[known.pk]))
        by, now = person(request), timezone.now()
        successor, secret = self.do(key, prefix=prefix, overlap=form.chosen, by=by, now=now)
        page.log_addition(request, successor, f"Beside {key}, to rotate it.")
        if form.chosen is not None:
            page.log_change(request, key, f"Rotated; it expires on {key.expires_at:%d %b %Y, %H:%M} UTC.")
        return show_once(page, request, successor, secret)


@admin.register(Key)
class KeyAdmin(UneditedAdmin[Key]):
    audit_name = "key"
    list_display = ("label", "name", "source", "may", "where", "created_at", "last_used_at", "expires_at", "state")
    list_select_related = ("source",)
    list_filter = ("source", KeyStateFilter)
    search_fields = ("prefix", "name", "source__slug")
    search_help_text = "A part of the key's name, its source, or the first 8 characters of the key after rungs_."
    autocomplete_fields = ("source",)
    fields = (
        "label", "name", "source", "may", "where", "limit", "created_at", "last_used_at", "expires_at", "state"
    )  # fmt: skip
    actions = (
        RotateAct("rotate", "Rotate…", "add", replace_key),
        Act("revoke", "Revoke…", "change", on_each(end_key), "Revoked", REVOKE, None),
    )
    shows_every_act = True

    def get_fields(self, request: HttpRequest, obj: Key | None = None) -> Any:
        return self.fields if obj else ("source", "name", "scopes", "modes", "expires_at", "limit", "fresh")

    def get_form(self, request: HttpRequest, obj: Key | None = None, change: bool = False, **kwargs: Any) -> Any:
        return super().get_form(request, obj, change, **({} if obj else {"form": KeyForm}), **kwargs)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Key]:
        return super().get_queryset(request).select_related("source").prefetch_related("modes").defer("digest")

    def search_rows(self, queryset: QuerySet[Key], term: str) -> QuerySet[Key]:
        # Without an index: a site has few keys.
        named = Q(name__icontains=term) | Q(source__slug=term)
        return queryset.filter(named | Q(prefix=term.removeprefix("rungs_")[:8]))

    def has_add_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("ranking.add_key")

    def audit_subject(self, row: Key) -> str:
        return subject_of(row)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        obj.secret = issue_key(obj, now=timezone.now(), prefix=form.cleaned_data["fresh"])

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: str | None = None) -> HttpResponse:
        return show_once(self, request, obj, obj.secret)

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        context |= {"show_save_and_continue": False, "show_save_and_add_another": False}
        return super().render_change_form(request, context, *args, **kwargs)

    @admin.display(description="Key")
    def label(self, key: Key) -> str:
        return f"rungs_{key.prefix}_…"

    @admin.display(description="Scopes")
    def may(self, key: Key) -> str:
        return ", ".join(key.scopes) or "None"

    @admin.display(description="Modes")
    def where(self, key: Key) -> str:
        return ", ".join(mode.name for mode in key.modes.all()) or "Every mode"

    @admin.display
    def state(self, key: Key) -> str:
        if key.revoked_at:
            return badge("Revoked", "warn")
        left = None if key.expires_at is None else key.expires_at - timezone.now()
        if left is None or left > SOON:
            return badge("Works", "good")
        if left <= dt.timedelta():
            return badge("Expired", "warn")
        return badge(f"Expires in {left.days} days" if left.days > 1 else "Expires within 2 days", "warn")
