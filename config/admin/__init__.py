"""Logins and what belongs to them in the admin: our pages in place of Django's and the accounts' library's.

Tokens, providers' secrets and the like have no page at all.
"""

from django.apps import apps
from django.contrib import admin
from django.contrib.auth import admin as auth  # these apps come later: what they register is there to be withdrawn

if apps.is_installed("allauth.socialaccount.providers.openid"):
    from allauth.socialaccount.providers.openid import admin as openid  # noqa: F401

STOCK = ("account", "auth", "mfa", "openid", "socialaccount")

admin.site.unregister([model for model in admin.site._registry if model._meta.app_label in STOCK])

from config.admin import addresses, authenticators, connections, groups, users  # noqa: E402 - in their place

__all__ = ["addresses", "auth", "authenticators", "connections", "groups", "users"]
