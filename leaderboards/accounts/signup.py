"""Whose mail addresses accounts may have, if the site limits them to domains."""

from django.conf import settings
from django.utils.text import get_text_list


def is_of_domains(address: str) -> bool:
    """True if an account may have this address. A subdomain is another domain."""
    return not settings.SIGNUP_DOMAINS or address.rpartition("@")[2].lower() in settings.SIGNUP_DOMAINS


def domains_text() -> str:
    """The domains in words, such as "example.org or example.com"; "" if every address will do."""
    return get_text_list(settings.SIGNUP_DOMAINS)
