"""URLs of accounts: the pages of django-allauth under our names, and those of the configured log-in providers."""

from allauth.account import views
from allauth.mfa.totp.views import deactivate_totp
from django.conf import settings
from django.db import transaction
from django.urls import include, path

from config.people.accounts import keep_device, password_reset

_OURS = {"openid_connect": "config.people.oidc_urls"}

urlpatterns = [
    path("login/", views.login, name="login"),
    path("logout/", views.logout, name="logout"),
    path("password/reset/", password_reset, name="account_reset_password"),
    path("password/change/", keep_device(views.password_change), name="account_change_password"),
    path("password/set/", keep_device(views.password_set), name="account_set_password"),
    path("", include("allauth.account.urls")),
    # With its line in the audit log, or not at all.
    path("2fa/totp/deactivate/", transaction.atomic(deactivate_totp), name="mfa_deactivate_totp"),
    path("2fa/", include("allauth.mfa.urls")),
    path("connections/", include("allauth.socialaccount.urls")),
    *(
        path("", include(_OURS.get(provider, f"allauth.socialaccount.providers.{provider}.urls")))
        for provider in settings.SOCIALACCOUNT_PROVIDERS
    ),
]
