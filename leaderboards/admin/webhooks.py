"""Admin pages of webhooks: operators add, test and switch them off. A secret is shown when it is made or rotated."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.admin.widgets import AdminURLFieldWidget
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone

from leaderboards.admin.deliveries import state_of
from leaderboards.models import Delivery, Webhook
from leaderboards.outgoing.allowed_addresses import Forbidden, check_url
from leaderboards.webhooks.administration import rotate_secret, subject_of, switch
from leaderboards.webhooks.events import EVENTS, MEANINGS
from leaderboards.webhooks.queueing import queue_test
from leaderboards.webhooks.signing import secret_of
from ranking.admin.base.audited import person
from ranking.admin.base.base import LedgerAdmin, RowsField, find_only
from ranking.admin.base.confirmation import Question, confirmation_page, is_confirmed, report_done
from ranking.admin.base.display import badge
from ranking.models import Mode

SHOWN = 20  # deliveries on a webhook's page
ROTATE = Question(
    "Rotate the secret",
    "You get a new secret. For a day messages are signed with both, so that the receiver can change over.",
    "Make the new secret",
)


class WebhookForm(forms.ModelForm[Webhook]):
    url = forms.URLField(label="URL", max_length=500, assume_scheme="https", widget=AdminURLFieldWidget)
    events = forms.MultipleChoiceField(
        choices=[(event, f"{event}: {MEANINGS[event]}") for event in EVENTS], widget=forms.CheckboxSelectMultiple
    )
    modes = RowsField(
        Mode.objects.all(), widget=forms.CheckboxSelectMultiple, required=False, help_text="None ticked: every mode."
    )

    def clean_url(self) -> str:
        url: str = self.cleaned_data["url"]
        try:
            check_url(url, https_only=settings.SCALED, allow_private=settings.WEBHOOK_ALLOW_PRIVATE)
        except Forbidden as error:
            raise forms.ValidationError(str(error)) from error
        return url


@admin.register(Webhook)
class WebhookAdmin(LedgerAdmin[Webhook]):
    audit_hidden = ("url",)  # it may hold a password, and that of a Discord channel is one
    list_display = ("name", "kind", "host", "what", "where", "state")
    sortable_by = ("name",)
    search_fields = ("name",)
    search_help_text = "A part of the name."
    form = WebhookForm
    change_form_template = "admin/leaderboards/webhook/change_form.html"
    readonly_fields = ("host", "state", "created_at")
    actions = ("test", "rotate", "switch_off", "switch_on")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        if obj is None:
            return ("name", "kind", "url", "events", "modes")
        if not self.has_change_permission(request, obj):  # the whole address of a Discord channel is a secret
            return ("name", "kind", "host", "events", "modes", "state", "created_at")
        return ("name", "kind", "url", "events", "modes", "state", "created_at")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return (*self.readonly_fields, "kind") if obj else self.readonly_fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[Webhook]:
        parked = Delivery.objects.filter(webhook=OuterRef("pk"), parked_at__isnull=False)
        return super().get_queryset(request).annotate(parked=Exists(parked)).prefetch_related("modes")

    def audit_subject(self, row: Webhook) -> str:
        return subject_of(row)

    def audit_state(self, request: HttpRequest, row: Webhook, added: bool) -> dict[str, Any]:
        return {"host": row.host, **super().audit_state(request, row, added)}

    def search_rows(self, queryset: QuerySet[Webhook], term: str) -> QuerySet[Webhook]:
        return queryset.filter(name__icontains=term)  # without an index: a site has few webhooks

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if not change:
            obj.created_at = timezone.now()
        super().save_model(request, obj, form, change)

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: str | None = None) -> HttpResponse:
        if obj.kind == Webhook.GAME:
            return self._show_once(request, obj)
        return super().response_add(request, obj, post_url_continue)

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        context |= {"show_save_and_continue": False, "show_save_and_add_another": False}
        if (hook := context["original"]) is not None:
            recent = Delivery.objects.filter(webhook=hook).order_by("-id")[:SHOWN]
            context["deliveries"] = [(delivery, state_of(delivery)) for delivery in recent]
        return super().render_change_form(request, context, *args, **kwargs)

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        hook = self.get_object(request, object_id)
        names: dict[str, str] = {}
        if hook is not None and self.has_change_permission(request, hook):
            names |= {"test": "Send a test"} if hook.disabled_at is None else {}
            names |= {"rotate": "Rotate the secret…"} if hook.kind == Webhook.GAME else {}
            names |= {"switch_on": "Switch on"} if hook.disabled_at else {"switch_off": "Switch off"}
        kwargs["extra_context"] = {"object_actions": names}
        return super().change_view(request, object_id, *args, **kwargs)

    def _show_once(self, request: HttpRequest, hook: Webhook) -> TemplateResponse:
        context = {
            **self.admin_site.each_context(request),
            "title": "The secret of this webhook",
            "opts": self.opts,
            "hook": hook,
            "secret": secret_of(hook),
        }
        return TemplateResponse(request, "admin/leaderboards/webhook/secret.html", context)

    @admin.display(description="Events")
    def what(self, hook: Webhook) -> str:
        return ", ".join(hook.events)

    @admin.display(description="Modes")
    def where(self, hook: Webhook) -> str:
        return ", ".join(mode.name for mode in hook.modes.all()) or "Every mode"

    @admin.display
    def state(self, hook: Any) -> str:
        if hook.disabled_at is not None:
            return badge("Off", "warn")
        return badge("Messages are parked", "warn") if hook.parked else badge("Works", "good")

    @admin.action(description="Send a test", permissions=["change"])
    def test(self, request: HttpRequest, hooks: QuerySet[Webhook]) -> HttpResponse | None:
        hook = find_only(hooks)
        if hook is None or hook.disabled_at is not None:
            self.message_user(request, "Test one webhook at a time, which is switched on.", messages.WARNING)
            return None
        queue_test(hook, timezone.now())
        sentence = "A test was sent off. Load this page again in some seconds: its outcome stands below."
        self.message_user(request, sentence, messages.SUCCESS)
        return HttpResponseRedirect(reverse("admin:leaderboards_webhook_change", args=[hook.pk]))

    @admin.action(description="Rotate the secret…", permissions=["change"])
    def rotate(self, request: HttpRequest, hooks: QuerySet[Webhook]) -> HttpResponse | None:
        hook = find_only(hooks)
        if hook is None or hook.kind != Webhook.GAME:
            self.message_user(request, "Rotate the secret of one game's webhook at a time.", messages.WARNING)
            return None
        how: Any = {"by": person(request), "now": timezone.now()}
        if not is_confirmed(request) or not rotate_secret(hook, seen=request.POST.get("seen", ""), **how):
            return confirmation_page(self, request, hooks, ROTATE, seen=str(hook.rotation))
        self.log_change(request, hook, "Rotated the secret")
        return self._show_once(request, hook)

    @admin.action(description="Switch off", permissions=["change"])
    def switch_off(self, request: HttpRequest, hooks: QuerySet[Webhook]) -> HttpResponse | None:
        done = [hook for hook in hooks if switch(hook, on=False, by=person(request), now=timezone.now())]
        return report_done(self, request, done, "Switched off")

    @admin.action(description="Switch on", permissions=["change"])
    def switch_on(self, request: HttpRequest, hooks: QuerySet[Webhook]) -> HttpResponse | None:
        done = [hook for hook in hooks if switch(hook, on=True, by=person(request), now=timezone.now())]
        return report_done(self, request, done, "Switched on")
