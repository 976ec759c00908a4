"""Admin pages of accounts. They replace the pages of Django and of django-allauth. Start with: users, accounts.

Tokens, secrets of log-in providers and the like have no page at all.
"""

from django.apps import apps
from django.contrib import admin
from django.contrib.auth import admin as auth  # imported now, so that its pages are registered and can be withdrawn

if apps.is_installed("allauth.socialaccount.providers.openid"):
    from allauth.socialaccount.providers.openid import admin as openid  # noqa: F401

STOCK = ("account", "auth", "mfa", "openid", "socialaccount")

admin.site.unregister([model for model in admin.site._registry if model._meta.app_label in STOCK])

from config.admin import authenticators, email_addresses, groups, social_accounts, users  # noqa: E402 - after the withdrawal

__all__ = ["auth", "authenticators", "email_addresses", "groups", "social_accounts", "users"]
