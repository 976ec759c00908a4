"""Providers: other sites by which people log in, as django-allauth calls them."""

from django.conf import settings

OIDC = "openid_connect"  # the provider of staff; config/people/oidc.py


def name_of(provider: str) -> str:
    """Return the name of a provider as pages show it."""
    return settings.OIDC_NAME if provider == OIDC else provider.capitalize()
