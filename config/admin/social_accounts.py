"""Admin pages of accounts at other sites by which people log in. Staff view and delete them; only a log-in adds one."""

from __future__ import annotations

from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from config.admin.accounts import CreatedBySiteAdmin, account_named
from leaderboards.accounts.providers import name_of
from ranking.admin.base.audited import M


class ProviderFilter(admin.SimpleListFilter):
    title = "provider"
    parameter_name = "provider"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
        return [(provider, name_of(provider)) for provider in settings.SOCIALACCOUNT_PROVIDERS]

    def queryset(self, request: HttpRequest, queryset: QuerySet[M]) -> QuerySet[M]:
        return queryset.filter(provider=self.value()) if self.value() else queryset


@admin.register(SocialAccount)
class SocialAccountAdmin(CreatedBySiteAdmin[SocialAccount]):
    """The pages don't show `extra_data`, what the other site says about a person: only the log-in needs it."""

    audit_name = "login elsewhere"
    list_display = fields = readonly_fields = ("user", "provider", "uid", "date_joined", "last_login")
    list_select_related = ("user",)
    list_filter = (ProviderFilter,)
    search_fields = ("user", "uid")
    search_help_text = "The account’s whole name, or its whole number there."

    def title_of(self, row: SocialAccount) -> str:
        return f"{row.user} at {name_of(row.provider)}"

    def audit_subject(self, row: SocialAccount) -> str:
        return f"login at {name_of(row.provider)} of account {row.user_id}"

    def search_rows(self, queryset: QuerySet[SocialAccount], term: str) -> QuerySet[SocialAccount]:
        providers = list(settings.SOCIALACCOUNT_PROVIDERS)  # the index of `uid` begins with the provider
        return queryset.filter(Q(user=account_named(term)) | Q(uid=term, provider__in=providers))
