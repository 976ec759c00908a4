"""Decides which addresses messages may go to: the public internet, never the site's own network.

The check happens when the connection is opened, on the resolved address that is then connected to. So a name that
resolves to another address the second time gains nothing (DNS rebinding).
"""

import ipaddress
import socket
import time
from urllib.parse import urlsplit

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_TRANSLATED = ipaddress.ip_network("64:ff9b::/96")  # NAT64: the last 32 bits are an IPv4 address


class Forbidden(OSError):
    """Messages may not go to this address. The text is a sentence for the operator."""


def check_url(url: str, *, https_only: bool, allow_private: bool) -> None:
    """Raise Forbidden for a URL that messages could never go to. Host names are resolved only when they are used."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError as error:
        raise Forbidden("That isn't the address of anything.") from error
    if parts.scheme not in ("https", "http") or not host:
        raise Forbidden("It must begin with https:// and name a host.")
    if https_only and parts.scheme != "https":
        raise Forbidden("It must begin with https://; what is sent isn't for everybody on the way.")
    if parts.username is not None or parts.password is not None:
        raise Forbidden("Leave name and password out of the address; the signature tells who sends.")
    try:
        literal = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return
    _check(literal, allow_private)


def open_socket(host: str, port: int, timeout: float, *, allow_private: bool) -> socket.socket:
    """Connect to the first of a host's addresses that accepts. Raises Forbidden and other OSErrors.

    If one address of the host is forbidden, the host is: a receiver has no honest reason to mix them.
    """
    until = time.monotonic() + timeout
    addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    for *_, sockaddr in addresses:
        _check(ipaddress.ip_address(str(sockaddr[0]).partition("%")[0]), allow_private)
    failure: OSError = OSError("the name has no address")
    for family, kind, protocol, _, sockaddr in addresses:
        connection = socket.socket(family, kind, protocol)
        try:
            connection.settimeout(max(0.1, until - time.monotonic()))
            connection.connect(sockaddr)
            connection.settimeout(timeout)
            # Head and body go out in two pieces; without this, the second waits 40 ms for the first's acknowledgement.
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except OSError as error:
            connection.close()
            failure = error
        else:
            return connection
    raise failure


def is_outside(address: Address) -> bool:
    """True if the address, or the IPv4 address inside it, belongs to the public internet."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if address.teredo or address.is_site_local:
            return False
        if address in _TRANSLATED:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
        if inner is not None:
            return is_outside(inner)
    return address.is_global and not address.is_multicast


def _check(address: Address, allow_private: bool) -> None:
    if not allow_private and not is_outside(address):
        raise Forbidden(f"{address} isn't an address of the public internet.")
