"""What the accounts' library offers in the admin, without its secrets."""

from typing import Any

from allauth.account.models import EmailConfirmation
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialApp, SocialToken
from django.contrib import admin
from django.http import HttpRequest

for model in (Authenticator, EmailConfirmation, SocialApp, SocialToken):
    if admin.site.is_registered(model):
        admin.site.unregister(model)


@admin.register(Authenticator)
class AuthenticatorAdmin(admin.ModelAdmin[Authenticator]):
    """Second factors: who has one. Deleting one lets somebody in who lost theirs."""

    list_display = fields = readonly_fields = ("user", "type", "created_at", "last_used_at")
    list_select_related = ("user",)
    search_fields = ("user__username",)
    search_help_text = "Part of the account's name."
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
