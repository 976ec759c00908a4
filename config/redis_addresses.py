"""Addresses of Redis: which ones can be read, and how the broker's library wants them."""

import re
from urllib.parse import parse_qsl, urlencode, urlsplit

NETWORK = ("redis", "rediss", "sentinel")
FILES = {"unix": "db", "redis+socket": "virtual_host"}  # the parameter that has the database's number, by scheme
EXAMPLES = "redis://:password@host:6379/0 or unix://:password@/path/to/socket?db=0"


def is_readable(address: str) -> bool:
    """Whether all of an address is understood as it was meant.

    A password with an unescaped `/`, `?` or `#` ends the host early: what follows would be read as a database, and a
    piece of the password as the host. Django's cache splits addresses at `,` and `;`.
    """
    parts = urlsplit(address)
    parameters = parse_qsl(parts.query, keep_blank_values=True)
    if parts.fragment or address.endswith("#") or re.search("[,;]", address) or "@" in parts.path + parts.query:
        return False
    if not all(re.fullmatch("[0-9]+", value) for key, value in parameters if key in ("db", "virtual_host")):
        return False
    if parts.scheme in NETWORK:
        return re.fullmatch("(/[0-9]*)?", parts.path) is not None
    number = FILES[parts.scheme]
    return not parts.hostname and len(parts.path) > 1 and {key for key, _ in parameters} <= {number}


def broker_address(address: str) -> str:
    """Return an address as Celery's library wants it: it calls `unix://` `redis+socket://`."""
    if not address.startswith("unix://"):
        return address
    parts = urlsplit(address)
    numbers = [(FILES["redis+socket"], value) for _, value in parse_qsl(parts.query)]
    query = f"?{urlencode(numbers)}" if numbers else ""
    return f"redis+socket://{parts.netloc}{parts.path}{query}"
