"""The admin site: people log in by the site's own page; with settings.ADMIN_MFA they need a second factor."""

from typing import Any

from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone

from config.people.work_queue import work_queue
from leaderboards.accounts.staff import has_staff_rights, wants_provider

SET_UP = "The admin wants a second factor. Set up an authenticator app, then go back to the admin."


class AdminSite(admin.AdminSite):
    def has_permission(self, request: HttpRequest) -> bool:
        return has_staff_rights(request)

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        work = work_queue(request.user, timezone.now())
        return super().index(request, {"work_queue": work, **(extra_context or {})})

    def password_change(  # type: ignore[override]
        self, request: HttpRequest, extra_context: dict[str, object] | None = None
    ) -> HttpResponse:
        """Redirect to the site's own page, which limits guesses of the old password."""
        return redirect("account_change_password")

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Redirect to the next step of the log-in: password, second factor, or setting one up."""
        next_url = request.GET.get("next", reverse("admin:index"))
        if not request.user.is_authenticated:
            return redirect_to_login(next_url)
        if not super().has_permission(request):
            raise PermissionDenied
        if self.has_permission(request):
            return redirect("admin:index")
        if isinstance(request.user, User) and wants_provider(request, request.user):
            messages.warning(request, f"Your staff rights come with {settings.OIDC_NAME}: log in with it.")
            return redirect_to_login(next_url, reverse("openid_connect_login", args=["openid_connect"]))
        if is_mfa_enabled(request.user):
            return redirect_to_login(next_url, reverse("mfa_reauthenticate"))
        messages.warning(request, SET_UP)
        return redirect("mfa_activate_totp")
