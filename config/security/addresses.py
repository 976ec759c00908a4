"""The client's IP address, read from behind as many proxies as the settings trust."""

import ipaddress

from django.conf import settings
from django.http import HttpRequest

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
UNKNOWN = ipaddress.ip_address("0.0.0.0")  # noqa: S104 - stands for an address that can't be read


def client_address(request: HttpRequest) -> Address:
    """Return the address that the outermost trusted proxy saw. Entries that the client wrote itself are ignored.

    It is unknown if the header has fewer entries than there are proxies, and never that of a proxy: the web server may
    have been unable to read what the client wrote. Only a request without the header came past the proxies.
    """
    text = request.META.get("REMOTE_ADDR", "")
    forwarded = request.headers.get("X-Forwarded-For") if settings.PROXIES else None
    if forwarded is not None:
        entries = [part.strip() for part in forwarded.split(",") if part.strip()]
        text = entries[-settings.PROXIES] if len(entries) >= settings.PROXIES else ""
    try:
        address = ipaddress.ip_address(_without_port(text).partition("%")[0])
    except ValueError:
        return UNKNOWN
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


def _without_port(text: str) -> str:
    """Return the address of "192.0.2.1:4711" or "[2001:db8::1]:4711", as some proxies write it."""
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0] if text.count(":") == 1 else text


def network_of(address: Address) -> str:
    """Return the network by which rate limits count: an IPv4 address, or the /64 of one IPv6 customer."""
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((address, 64), strict=False).network_address)
    return str(address)
