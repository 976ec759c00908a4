"""Reads environment variables by type. Nothing invalid is guessed at: `check` names every fault at once.

A reader that finds a fault notes it and returns a usable value, so that the others are read, too. Sentences never quote
addresses with passwords.
"""

import ipaddress
import os
import re
import secrets
from collections.abc import Iterator, Mapping
from math import nan
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

from config import redis_addresses
from ranking.rules.nearest import find_nearest

PREFIX = "RUNGS_"
# Read by config/processes/supervision.py and config/observability/metrics/files.py.
_OTHERS = {"RUNGS_SUPERVISED", "RUNGS_COUNTED_AS"}
# These may also stand in a file, which RUNGS_…_FILE names, as Docker and Kubernetes hand over secrets.
SECRETS = {
    "RUNGS_SECRET_KEY",
    "RUNGS_DATABASE_URL",
    "RUNGS_REDIS_URL",
    "RUNGS_BROKER_URL",
    "RUNGS_EMAIL_URL",
    "RUNGS_STEAM_KEY",
    "RUNGS_DISCORD_SECRET",
    "RUNGS_OIDC_SECRET",
    "RUNGS_DEVICE_PEPPER",
    "RUNGS_METRICS_TOKEN",
    "RUNGS_BACKUP_SECRET",
}
# What Kubernetes sets for Services whose names begin with `rungs`.
_OF_SERVICES = re.compile(r"RUNGS_(\w+_)?(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_[A-Z]+(_PROTO|_PORT|_ADDR)?)?)")
_LONGEST_SECRET = 10_000  # bytes of its file
_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"0", "false", "no", "off"}
_DIGITS = 18  # of a number
# As in the header Origin: lower case, no path, no default port. "*" and other patterns are no origins.
_ORIGIN = re.compile(r"(https://(?!\S+:443$)|http://(?!\S+:80$))[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[1-9]\d{0,4})?")
_DOMAIN = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+")  # of a mail address
_ORIGIN_EXAMPLES = "https://example.org or https://example.org:8443"
_NO_PATH = "in lower case, without path, '*' and the port that goes without saying"
_ESCAPING = "write special characters of the password in percent form, such as %23 for #"


class InvalidEnvironment(ImproperlyConfigured):
    """The process can't start with these variables; the text is a sentence for each fault."""


class Environment:
    """The environment variables of this process."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = variables
        self._known = set(_OTHERS)
        self._from_files: dict[str, str] = {}  # secrets that were read, by the names of their variables
        self._faults: list[str] = []

    def refuse(self, sentence: str) -> None:
        """Note a fault."""
        self._faults.append(sentence)

    def check(self) -> None:
        """Raise InvalidEnvironment if a variable that was read is invalid."""
        if self._faults:
            raise InvalidEnvironment("\n".join([*self._faults, *self.unknown()]))

    def unknown(self) -> Iterator[str]:
        """Yield a sentence for each variable that nothing has read, with the known name that is nearest."""
        known = sorted(name.removeprefix(PREFIX) for name in self._known)
        in_kubernetes = "KUBERNETES_SERVICE_HOST" in self._variables
        for name in sorted(self._variables.keys() - self._known):
            if in_kubernetes and _OF_SERVICES.fullmatch(name):
                continue
            if name.startswith(PREFIX):
                nearest = find_nearest(name.removeprefix(PREFIX), known)
                meant = f"; did you mean {PREFIX}{nearest}?" if nearest else "."
                yield f"{name} is unknown, so it has no effect{meant}"

    def text(self, name: str, default: str = "") -> str:
        self._known.add(name)
        if name in SECRETS:
            self._known.add(_file_variable(name))
            if self._variables.get(_file_variable(name)):
                return self._secret_from_file(name)
        return self._variables.get(name, default).strip()

    def _secret_from_file(self, name: str) -> str:
        """Read a secret from its file once; "" after a fault. White space around it doesn't belong to it."""
        if name not in self._from_files:
            self._from_files[name] = ""
            file = _file_variable(name)
            if self._variables.get(name, "").strip():
                self.refuse(f"{name} and {file} are both set; unset one of them.")
                return ""
            path = self._variables[file]
            try:
                self._from_files[name] = _read_secret(Path(path))
            except OSError as error:
                self.refuse(f"{file} names {path}, which can't be read ({error.strerror}).")
            except ValueError as error:
                self.refuse(f"{file} names {path}, which {error}.")
        return self._from_files[name]

    def required(self, name: str, *, needed: bool = True) -> str:
        """Read a text that must not be empty if it is needed."""
        value = self.text(name)
        if needed and not value and name not in self._from_files:  # a fault of the file is noted already
            self.refuse(f"{name} must be set in the scaled profile.")
        return value

    def choice(self, name: str, allowed: tuple[str, ...], default: str) -> str:
        value = self.text(name, default)
        if value in allowed:
            return value
        self.refuse(f"{name} is {value!r}; it must be one of {', '.join(allowed)}.")
        return default

    def flag(self, name: str, default: bool) -> bool:
        value = self.text(name, "yes" if default else "no").lower()
        if value not in _TRUE | _FALSE:
            self.refuse(f"{name} is {value!r}; it must be yes or no.")
            return default
        return value in _TRUE

    def number(self, name: str, default: int, *, least: int = 0) -> int:
        value = self.text(name, str(default))
        if value.isdecimal() and len(value) <= _DIGITS and int(value) >= least:
            return int(value)
        self.refuse(f"{name} is {value!r}; it must be a whole number of at least {least}.")
        return default

    def decimal(self, name: str, default: float, least: float, most: float) -> float:
        value = self.text(name, str(default))
        try:
            number = float(value)
        except ValueError:
            number = nan
        if least <= number <= most:
            return number
        self.refuse(f"{name} is {value!r}; it must be a number from {least:g} to {most:g}.")
        return default

    def words(self, name: str, default: str = "") -> list[str]:
        """Read a list separated by commas."""
        return [word.strip() for word in self.text(name, default).split(",") if word.strip()]

    def pairs(self, name: str, allowed: tuple[str, ...]) -> dict[str, str]:
        """Read pairs like "mods=moderator, boss=administrator"; each second half must be an allowed one."""
        pairs = {}
        for word in self.words(name):
            key, _, value = (part.strip() for part in word.rpartition("="))
            if key and value in allowed:
                pairs[key] = value
            else:
                self.refuse(f"{name} has {word!r}; write group=role, with one of the roles {', '.join(allowed)}.")
        return pairs

    def domains(self, name: str) -> list[str]:
        """Read domains of mail addresses separated by commas, such as example.org, in lower case."""
        domains = []
        for word in self.words(name):
            if _DOMAIN.fullmatch(word.lower()):
                domains.append(word.lower())
            else:
                self.refuse(f"{name} has {word!r}, which is no domain: write what follows the @, such as example.org.")
        return domains

    def networks(self, name: str) -> list[str]:
        """Read IP addresses and networks separated by commas, such as 127.0.0.1 or 10.0.0.0/8."""
        return [word for word in self.words(name) if self._is_network(name, word)]

    def _is_network(self, name: str, word: str) -> bool:
        try:
            ipaddress.ip_network(word, strict=False)
        except ValueError:
            self.refuse(f"{name} has {word!r}, which is no address and no network.")
            return False
        return True

    def origins(self, name: str) -> list[str]:
        """Read origins of other sites separated by commas, such as https://example.org, as browsers write them."""
        origins = []
        for word in self.words(name):
            if _ORIGIN.fullmatch(word):
                origins.append(word)
            else:
                self.refuse(f"{name} has {word!r}, which is no origin: write it like {_ORIGIN_EXAMPLES}, {_NO_PATH}.")
        return origins

    def url(self, name: str, schemes: tuple[str, ...], *, needed: bool = False) -> str:
        """Read a URL of one of these schemes; "" if it isn't set."""
        value = self.required(name, needed=needed)
        starts = tuple(f"{scheme}://" for scheme in schemes)
        if value and not _is_url(value, starts):
            self.refuse(f"{name} can't be read: begin it with {' or '.join(starts)}, and {_ESCAPING}.")
            return ""
        return value

    def redis(self, name: str, schemes: tuple[str, ...], *, needed: bool = False) -> str:
        """Read the address of a Redis; "" if it isn't set."""
        value = self.url(name, schemes, needed=needed)
        if value and not redis_addresses.is_readable(value):
            self.refuse(f"{name} can't be read: write it like {redis_addresses.EXAMPLES}, and {_ESCAPING}.")
            return ""
        return value

    def template(self, name: str, part: str, schemes: tuple[str, ...]) -> str:
        """Read a URL in which `part` stands for something; "" if it isn't set."""
        value = self.url(name, schemes)
        if value and part not in value:
            self.refuse(f"{name} must have {part} in it.")
        return value

    def urls_beside(self, known: str, schemes: tuple[str, ...]) -> dict[str, str]:
        """Read a URL from each variable that begins like `known`, RUNGS_HEARTBEAT_URL, by the rest: tell-standings."""
        prefix = known.removesuffix("URL")
        names = [name for name in self._variables if name.startswith(prefix) and name != known]
        return {name.removeprefix(prefix).lower().replace("_", "-"): self.url(name, schemes) for name in names}

    def database(self, name: str, default: str, *, server: bool) -> dict[str, Any]:
        """Read Django's settings of a database from its URL; `server`: it must be PostgreSQL's, and it must be set."""
        value = self.required(name, needed=server)
        if server and value.startswith("sqlite:"):
            self.refuse(f"{name} names SQLite; the scaled profile needs postgres://….")
            value = ""
        sqlite = value.startswith("sqlite:")
        if value and not sqlite and not self.url(name, ("postgres", "postgresql")):
            value = ""
        return dict(environ.Env.db_url_config(value or default))

    def mailer(self, name: str, default: str, *, timeout: int) -> dict[str, Any]:
        """Read an entry of Django's MAILERS from a URL.

        The request that sends a mail waits for the server for `timeout` seconds at most.
        """
        value = self.text(name)
        if value and not _is_url(value, tuple(f"{scheme}:" for scheme in environ.Env.EMAIL_SCHEMES)):
            self.refuse(f"{name} can't be read: write it like smtp+tls://user:password@host:587, and {_ESCAPING}.")
            value = ""
        read = environ.Env.email_url_config(value or default)
        options: dict[str, Any] = {}
        if ".smtp." in read["EMAIL_BACKEND"]:
            use_ssl = read.get("EMAIL_USE_SSL", False)
            options = {
                "host": read["EMAIL_HOST"],
                "port": read["EMAIL_PORT"] or (465 if use_ssl else 25),
                "username": read["EMAIL_HOST_USER"],
                "password": read["EMAIL_HOST_PASSWORD"],
                "use_tls": read.get("EMAIL_USE_TLS", False),
                "use_ssl": use_ssl,
                "timeout": timeout,
            }
        elif ".filebased." in read["EMAIL_BACKEND"]:
            options = {"file_path": read["EMAIL_FILE_PATH"]}
        return {"BACKEND": read["EMAIL_BACKEND"], "OPTIONS": options}

    def folder(self, path: Path, *, of: str) -> None:
        """Make a folder that a variable names."""
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            self.refuse(f"The folder {path} can't be made ({error.strerror}); {of} says where it is.")

    def stored_secret(self, path: Path) -> str:
        """Return the secret from a file that only its owner may read; the first call makes the file."""
        try:
            secret = _read_or_make_secret(path)
        except OSError as error:
            self.refuse(f"{path} can't be read or made ({error.strerror}); set RUNGS_SECRET_KEY instead.")
            return ""
        if len(secret) < 50:
            self.refuse(f"{path} holds no usable secret key; delete it to have a new one made.")
        return secret


def _file_variable(name: str) -> str:
    return f"{name}_FILE"


def _read_secret(path: Path) -> str:
    """Read a secret. Raises OSError, or ValueError whose text says what the file is; it never quotes the file."""
    with path.open("rb") as file:
        content = file.read(_LONGEST_SECRET + 1)
    if len(content) > _LONGEST_SECRET:
        raise ValueError(f"is longer than {_LONGEST_SECRET} bytes, so it holds something else than a secret")
    try:
        secret = content.decode().strip()
    except UnicodeDecodeError:
        raise ValueError("is no text in UTF-8") from None
    if not secret:
        raise ValueError("is empty")
    return secret


def _is_url(value: str, starts: tuple[str, ...]) -> bool:
    try:
        port = urlsplit(value).port
    except ValueError:
        return False
    return value.startswith(starts) and port != 0


def _read_or_make_secret(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text().strip()
    secret = secrets.token_urlsafe(64)
    with os.fdopen(descriptor, "w") as file:
        file.write(secret)
    return secret
