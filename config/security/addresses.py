"""Who is calling: the client's address behind as many proxies as the settings trust."""

import ipaddress

from django.conf import settings
from django.http import HttpRequest

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
NOBODY = ipaddress.ip_address("0.0.0.0")  # noqa: S104 - stands for an address that can't be read


def client_address(request: HttpRequest) -> Address:
    """The address that the outermost trusted proxy saw; what a client writes into the header isn't believed."""
    said = request.META.get("REMOTE_ADDR", "")
    if settings.PROXIES:
        forwarded = [part.strip() for part in request.headers.get("X-Forwarded-For", "").split(",") if part.strip()]
        if len(forwarded) >= settings.PROXIES:
            said = forwarded[-settings.PROXIES]
    try:
        address = ipaddress.ip_address(said.partition("%")[0])
    except ValueError:
        return NOBODY
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


def network_of(address: Address) -> str:
    """What limits count by: an IPv4 address, or the /64 that one IPv6 customer has."""
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((address, 64), strict=False).network_address)
    return str(address)
