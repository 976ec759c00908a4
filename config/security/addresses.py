"""The client's IP address, read from behind as many proxies as the settings trust."""

import ipaddress

from django.conf import settings
from django.http import HttpRequest

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
UNKNOWN = ipaddress.ip_address("0.0.0.0")  # noqa: S104 - stands for an address that can't be read


def client_address(request: HttpRequest) -> Address:
    """Return the address that the outermost trusted proxy saw. Entries that the client wrote itself are ignored."""
    text = request.META.get("REMOTE_ADDR", "")
    if settings.PROXIES:
        forwarded = [part.strip() for part in request.headers.get("X-Forwarded-For", "").split(",") if part.strip()]
        if len(forwarded) >= settings.PROXIES:
            text = forwarded[-settings.PROXIES]
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
