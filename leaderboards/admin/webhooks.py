"""Admin pages of webhooks: operators add, test and switch them off. A secret is shown when it is made or rotated."""

from __future__ import annotations

from functools import partial
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
from ranking.admin.base.acts.acts import Act, on_each
from ranking.admin.base.acts.confirmation import Question, confirmation_page, is_confirmed
from ranking.admin.base.audited import M, person
from ranking.admin.base.base import LedgerAdmin, RowsField, find_only
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


def show_once(page: admin.ModelAdmin[M], request: HttpRequest, hook: Webhook) -> TemplateResponse:
    """Show the secret: the page is the response to a POST."""
    context = {
        **page.admin_site.each_context(request),
        "title": "The secret of this webhook",
        "opts": page.opts,
        "hook": hook,
        "secret": secret_of(hook),
    }
    return TemplateResponse(request, "admin/leaderboards/webhook/secret.html", context)


class SendTestAct(Act):
    """Tests one webhook, and returns to its page, which shows the outcome."""

    def __call__(
        self, page: admin.ModelAdmin[Webhook], request: HttpRequest, rows: QuerySet[Webhook]
    ) -> HttpResponse | None:
        hook = find_only(rows)
        if hook is None or hook.disabled_at is not None:
            page.message_user(request, "Test one webhook at a time, which is switched on.", messages.WARNING)
            return None
        queue_test(hook, timezone.now())
        sentence = "A test was sent off. Load this page again in some seconds: its outcome stands below."
        page.message_user(request, sentence, messages.SUCCESS)
        return HttpResponseRedirect(reverse("admin:leaderboards_webhook_change", args=[hook.pk]))


class RotateAct(Act):
    """Gives the webhook of a game a new secret. `seen`, how often it was rotated, keeps a second click from a third."""

    def __call__(
        self, page: admin.ModelAdmin[Webhook], request: HttpRequest, rows: QuerySet[Webhook]
    ) -> HttpResponse | None:
        hook = find_only(rows)
        if hook is None or hook.kind != Webhook.GAME:
            page.message_user(request, "Rotate the secret of one game's webhook at a time.", messages.WARNING)
            return None
        by, now, seen = person(request), timezone.now(), request.POST.get("seen", "")
        if not is_confirmed(request) or not self.do(hook, seen=seen, by=by, now=now):
            return confirmation_page(page, request, rows, ROTATE, seen=str(hook.rotation))
        page.log_change(request, hook, "Rotated the secret")
        return show_once(page, request, hook)


def _is_on(hook: Webhook) -> bool:
    return hook.disabled_at is None


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
    actions = (
        SendTestAct("test", "Send a test", "change", queue_test, fits=_is_on),
        RotateAct("rotate", "Rotate the secret…", "change", rotate_secret, fits=lambda hook: hook.kind == Webhook.GAME),
        Act("switch_off", "Switch off", "change", on_each(partial(switch, on=False)), "Switched off", fits=_is_on),
        Act(
            "switch_on",
            "Switch on",
            "change",
            on_each(partial(switch, on=True)),
            "Switched on",
            fits=lambda hook: not _is_on(hook),
        ),
    )

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

    def audit_state(self, request: HttpRequest, row: Webhook, added: bool) -> dict[str, object]:
        return {"host": row.host, **super().audit_state(request, row, added)}

    def search_rows(self, queryset: QuerySet[Webhook], term: str) -> QuerySet[Webhook]:
        return queryset.filter(name__icontains=term)  # without an index: a site has few webhooks

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if not change:
            obj.created_at = timezone.now()
        super().save_model(request, obj, form, change)

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: str | None = None) -> HttpResponse:
        if obj.kind == Webhook.GAME:
            return show_once(self, request, obj)
        return super().response_add(request, obj, post_url_continue)

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        context |= {"show_save_and_continue": False, "show_save_and_add_another": False}
        if (hook := context["original"]) is not None:
            recent = Delivery.objects.filter(webhook=hook).order_by("-id")[:SHOWN]
            context["deliveries"] = [(delivery, state_of(delivery)) for delivery in recent]
        return super().render_change_form(request, context, *args, **kwargs)

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
