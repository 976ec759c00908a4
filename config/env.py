"""Reads environment variables by type. An invalid value raises ImproperlyConfigured instead of being guessed at."""

import ipaddress
import os
import secrets
from math import nan
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"0", "false", "no", "off"}


def text(name: str, default: str) -> str:
    return os.environ.get(name, default).strip()


def choice(name: str, allowed: tuple[str, ...], default: str) -> str:
    value = text(name, default)
    if value not in allowed:
        raise ImproperlyConfigured(f"{name} is {value!r}; it must be one of {', '.join(allowed)}.")
    return value


def flag(name: str, default: bool) -> bool:
    value = text(name, "yes" if default else "no").lower()
    if value in _TRUE:
        return True
    if value in _FALSE:
        return False
    raise ImproperlyConfigured(f"{name} is {value!r}; it must be yes or no.")


def number(name: str, default: int, *, least: int = 0) -> int:
    value = text(name, str(default))
    if not value.isdecimal() or int(value) < least:
        raise ImproperlyConfigured(f"{name} is {value!r}; it must be a whole number of at least {least}.")
    return int(value)


def decimal(name: str, default: float, least: float, most: float) -> float:
    value = text(name, str(default))
    try:
        number = float(value)
    except ValueError:
        number = nan
    if not least <= number <= most:
        raise ImproperlyConfigured(f"{name} is {value!r}; it must be a number from {least:g} to {most:g}.")
    return number


def words(name: str, default: str = "") -> list[str]:
    """Read a list separated by commas."""
    return [word.strip() for word in text(name, default).split(",") if word.strip()]


def networks(name: str) -> list[str]:
    """Read IP addresses and networks separated by commas, such as 127.0.0.1 or 10.0.0.0/8."""
    for word in words(name):
        try:
            ipaddress.ip_network(word, strict=False)
        except ValueError:
            raise ImproperlyConfigured(f"{name} has {word!r}, which is no address and no network.") from None
    return words(name)


def required(name: str) -> str:
    value = text(name, "")
    if not value:
        raise ImproperlyConfigured(f"{name} must be set in the scaled profile.")
    return value


def stored_secret(path: Path) -> str:
    """Return the secret from a file that only its owner may read; the first call makes the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        secret = path.read_text().strip()
        if len(secret) < 50:
            raise ImproperlyConfigured(
                f"{path} holds no usable secret key; delete it to have a new one made."
            ) from None
        return secret
    secret = secrets.token_urlsafe(64)
    with os.fdopen(descriptor, "w") as file:
        file.write(secret)
    return secret
