"""Links of a match to its replay and videos: which addresses a mode allows. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

REPLAY, VIDEO = "replay", "video"
KINDS = (REPLAY, VIDEO)
MOST = 10  # links of a match
LONGEST = 500  # characters of an address
MOST_HOSTS = 20  # that a mode allows
_HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]", re.ASCII)
_ADDRESS = re.compile(r"[\x21-\x7e]+", re.ASCII)


class BadLink(ValueError):
    """An address, or a host that a mode would allow, can't be taken; `str` says why."""


def read_hosts(text: str) -> tuple[str, ...]:
    """Return the hosts of a text that has one on each line, in lower case. Raise BadLink."""
    hosts = tuple(dict.fromkeys(text.lower().split()))
    for host in hosts:
        if not _HOST.fullmatch(host) or len(host) > 253:
            raise BadLink(f"{host!r} is not the name of a host, such as replays.example.org.")
    if len(hosts) > MOST_HOSTS:
        raise BadLink(f"A mode allows at most {MOST_HOSTS} hosts, not {len(hosts)}.")
    return hosts


def check_address(address: str, hosts: Sequence[str]) -> None:
    """Raise BadLink unless this is an https address at one of the hosts, or at a name below one of them."""
    if not _ADDRESS.fullmatch(address):
        raise BadLink("An address has no spaces, and no characters beyond ASCII: encode them.")
    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise BadLink(f"This is no address: {error}.") from error
    if parts.scheme != "https" or not host:
        raise BadLink("Send an address that begins with https://.")
    if parts.username is not None or parts.password is not None or port not in (None, 443) or "\\" in address:
        raise BadLink("An address has no user, no port and no backslash.")
    if not hosts:
        raise BadLink("The mode takes no links to matches.")
    if not any(host == allowed or host.endswith("." + allowed) for allowed in hosts):
        raise BadLink(f"The mode doesn't take links to {host}; it takes {', '.join(hosts)}.")
