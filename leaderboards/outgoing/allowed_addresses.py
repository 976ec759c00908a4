"""Decides which addresses messages may go to: the public internet, never the site's own network.

The check happens when the connection is opened, on the resolved address that is then connected to. So a name that
resolves to another address the second time gains nothing (DNS rebinding).

The table is our own, because those of Python's ipaddress differ from version to version and miss some networks: Python
3.11.7 lets 192.0.0.8, 192.88.99.0/24, 2002::/16 and 3fff::/20 through, and has no word for Azure's platform address.
It holds every block of IANA's two registries, in their state of 2025 (the newest entry is 100:0:0:1::/64 of RFC 9780);
tests/leaderboards/webhooks/test_allowed_addresses.py goes through them row by row.
"""

import ipaddress
import socket
from urllib.parse import urlsplit

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

# Addresses of single hosts are in these; from IPv6, only what is assigned as global unicast (RFC 4291, section 2.4).
_PUBLIC = {4: ipaddress.ip_network("0.0.0.0/0"), 6: ipaddress.ip_network("2000::/3")}
# IPv6 networks whose last 32 bits are an IPv4 address that the connection goes to: mapped addresses and NAT64.
_HOLDS_IPV4 = [ipaddress.ip_network("::ffff:0:0/96"), ipaddress.ip_network("64:ff9b::/96")]
# What IANA's registries of special-purpose addresses list inside _PUBLIC, whole blocks, even if parts are reachable:
# https://www.iana.org/assignments/iana-ipv4-special-registry/ and .../iana-ipv6-special-registry/.
_SPECIAL = [
    ipaddress.ip_network(network)
    for network in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # carriers' shared addresses
        "127.0.0.0/8",  # loopback
        "168.63.129.16/32",  # Azure's platform, from inside its networks only; in no registry, see Microsoft's
        # "What is IP address 168.63.129.16?". Other clouds' metadata are in link-local, 100.64.0.0/10 and 192.0.0.0/24.
        "169.254.0.0/16",  # link-local
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",  # AS112
        "192.52.193.0/24",  # multicast tunnels
        "192.88.99.0/24",  # 6to4 relays, deprecated
        "192.168.0.0/16",  # private
        "192.175.48.0/24",  # AS112
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast (its own registry)
        "240.0.0.0/4",  # reserved, and broadcast
        "2001::/23",  # protocol assignments: Teredo, ORCHID, benchmarks and others
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4, deprecated
        "2620:4f:8000::/48",  # AS112
        "3fff::/20",  # documentation
    )
]


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
    literal = _find_literal(host)
    if literal is not None:
        check_address(literal, allow_private=allow_private)


def _find_literal(host: str) -> Address | None:
    """Return the address that the host is, in any of the ways in which C libraries read one (127.1, 0x7f000001)."""
    try:
        return ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        try:
            return ipaddress.IPv4Address(socket.inet_aton(host))
        except (OSError, UnicodeEncodeError):
            return None


def is_outside(address: Address) -> bool:
    """True if the address, or the IPv4 address inside it, belongs to the public internet."""
    if isinstance(address, ipaddress.IPv6Address) and any(address in network for network in _HOLDS_IPV4):
        address = ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    public = _PUBLIC[address.version]
    return address in public and not any(
        address in network for network in _SPECIAL if network.version == address.version
    )


def check_address(address: Address, *, allow_private: bool) -> None:
    """Raise Forbidden for an address that messages may not go to."""
    if not allow_private and not is_outside(address):
        raise Forbidden(f"{address} isn't an address of the public internet.")
