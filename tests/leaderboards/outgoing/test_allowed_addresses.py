"""Which addresses are the outside world's."""

import contextlib
import ipaddress
import socket
from collections.abc import Iterable

from leaderboards.outgoing.allowed_addresses import Forbidden, check_url, is_outside
from leaderboards.outgoing.sockets import Deadline, open_socket
from tests.support.webhooks import receive

PUBLIC = ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946", "::ffff:93.184.216.34", "64:ff9b::5db8:d822",
          "1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0",
          "192.0.1.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "2001:200::", "2003::1",
          "3fff:1000::"]  # fmt: skip
SPECIAL = {
    "this network": ["0.0.0.0", "0.255.255.255", "::"],
    "loopback": ["127.0.0.1", "127.255.255.255", "::1"],
    "private": ["10.0.0.0", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fdff::1"],
    "carriers' shared addresses": ["100.64.0.0", "100.127.255.255"],
    "link-local": ["169.254.169.254", "fe80::1", "febf::1", "fec0::1"],
    "protocol assignments": ["192.0.0.1", "192.0.0.8", "192.0.0.9", "192.0.0.170", "2001:1::1", "2001:1ff::1"],
    "documentation": ["192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1", "3fff:fff::1"],
    "benchmarks": ["198.18.0.1", "198.19.255.255", "2001:2::1"],
    "multicast": ["224.0.0.1", "239.255.255.255", "ff02::1", "192.52.193.1", "2001:3::1"],
    "reserved": ["240.0.0.1", "255.255.255.255", "4000::1", "5f00::1", "8000::1", "100::1", "200::1"],
    "AS112": ["192.31.196.1", "192.175.48.1", "2001:4:112::1", "2620:4f:8000::1"],
    "IPv4 inside, compatible": ["::127.0.0.1", "::93.184.216.34"],
    "IPv4 inside, mapped": ["::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:224.0.0.1"],
    "IPv4 inside, translated": ["64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "64:ff9b:1::5db8:d822",
                                "::ffff:0:7f00:1"],
    "tunnels": ["192.88.99.1", "2002:7f00:1::", "2002:5db8:d822::", "2001:0:4136:e378:8000:63bf:3fff:fdd2"],
}  # fmt: skip


def outside(addresses: Iterable[str]) -> list[str]:
    return [address for address in addresses if is_outside(ipaddress.ip_address(address))]


def test_is_outside() -> None:
    assert outside(PUBLIC) == PUBLIC
    assert {kind: outside(addresses) for kind, addresses in SPECIAL.items()} == {kind: [] for kind in SPECIAL}


# Every row of https://www.iana.org/assignments/iana-ipv4-special-registry/ (as of 2020-09-04) and
# https://www.iana.org/assignments/iana-ipv6-special-registry/ (as of 2024-10-22, and the row of RFC 9780 from 2025).
REGISTRY = [
    "0.0.0.0/8", "0.0.0.0/32", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
    "192.0.0.0/24", "192.0.0.0/29", "192.0.0.8/32", "192.0.0.9/32", "192.0.0.10/32", "192.0.0.170/32",
    "192.0.0.171/32", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.88.99.2/32",
    "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
    "255.255.255.255/32",
    "::1/128", "::/128", "::ffff:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64", "2001::/23",
    "2001::/32", "2001:1::1/128", "2001:1::2/128", "2001:1::3/128", "2001:2::/48", "2001:3::/32", "2001:4:112::/48",
    "2001:10::/28", "2001:20::/28", "2001:30::/28", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20",
    "5f00::/16", "fc00::/7", "fe80::/10",
]  # fmt: skip
HOLD_IPV4 = ("::ffff:0:0/96", "64:ff9b::/96")  # these go where the IPv4 address inside goes


def test_no_block_of_the_registries_is_outside() -> None:
    found = []
    for block in REGISTRY:
        network = ipaddress.ip_network(block)
        inside = [network[0], network[-1], network[network.num_addresses // 2]]
        if block in HOLD_IPV4:
            inside = [network[int(ipaddress.ip_address(address))] for address in ("127.0.0.1", "10.1.1.1", "240.0.0.1")]
        found += [(block, address) for address in inside if is_outside(address)]
    assert found == []


def test_what_python_calls_private_is_never_outside() -> None:
    """Whatever the version of its tables, at both ends of each block."""
    tables = (ipaddress._IPv4Constants, ipaddress._IPv6Constants)  # type: ignore[attr-defined]
    blocks = [block for table in tables for block in table._private_networks if str(block) not in HOLD_IPV4]
    assert len(blocks) > 20
    assert [block for block in blocks if is_outside(block[0]) or is_outside(block[-1])] == []


def test_metadata_of_clouds_is_not_outside() -> None:
    """Of Azure; of AWS, Google and others; of Alibaba; of Oracle; of AWS by IPv6."""
    assert outside(["168.63.129.16", "169.254.169.254", "100.100.100.200", "192.0.0.192", "fd00:ec2::254"]) == []


LOOPBACK = ["127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "017700000001",
            "0", "localhost", "LOCALHOST", "127.0.0.1.", "::1", "::ffff:127.0.0.1", "0:0:0:0:0:ffff:7f00:1",
            "\uff11\uff12\uff17.0.0.1"]  # fmt: skip


def test_no_way_to_write_the_loopback_opens_a_connection() -> None:
    opened, deadline = [], Deadline()
    deadline.set(60)
    with receive() as receiver:
        for host in LOOPBACK:
            with contextlib.suppress(Forbidden, socket.gaierror):
                open_socket(host, receiver.port, deadline, allow_private=False).close()
                opened.append(host)
    assert (opened, receiver.requests) == ([], [])


REFUSED = {
    "http://example.org/": "It must begin with https://; what is sent isn't for everybody on the way.",
    "ftp://example.org/": "It must begin with https:// and name a host.",
    "https:///x": "It must begin with https:// and name a host.",
    "https://example.org:x/": "That isn't the address of anything.",
    "https://me:pw@example.org/": "Leave name and password out of the address; the signature tells who sends.",
    "https://127.0.0.1/": "127.0.0.1 isn't an address of the public internet.",
    "https://2130706433/": "127.0.0.1 isn't an address of the public internet.",
    "https://0x7f.1/": "127.0.0.1 isn't an address of the public internet.",
    "https://0177.0.0.1/": "127.0.0.1 isn't an address of the public internet.",
    "https://[fe80::1%25eth0]/": "fe80::1 isn't an address of the public internet.",
    "https://[::ffff:10.0.0.1]/": "::ffff:a00:1 isn't an address of the public internet.",
}


def refusal(url: str) -> str:
    try:
        check_url(url, https_only=True, allow_private=False)
    except Forbidden as forbidden:
        return str(forbidden)
    return ""


def test_check_url() -> None:
    assert {url: refusal(url) for url in REFUSED} == REFUSED


def test_what_is_allowed() -> None:
    check_url("https://example.org:8443/x?y=1", https_only=True, allow_private=False)
    check_url("http://127.0.0.1:8000/", https_only=False, allow_private=True)
