"""Which addresses are the outside world's."""

import ipaddress
import socket

import pytest

from leaderboards.webhooks.allowed_addresses import Forbidden, check_url, is_outside, open_socket
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


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        *((address, True) for address in PUBLIC),
        *((address, False) for addresses in SPECIAL.values() for address in addresses),
    ],
)
def test_is_outside(address: str, expected: bool) -> None:
    assert is_outside(ipaddress.ip_address(address)) is expected


LOOPBACK = ["127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "017700000001",
            "0", "localhost", "LOCALHOST", "127.0.0.1.", "::1", "::ffff:127.0.0.1", "0:0:0:0:0:ffff:7f00:1",
            "\uff11\uff12\uff17.0.0.1"]  # fmt: skip


@pytest.mark.parametrize("host", LOOPBACK)
def test_no_way_to_write_the_loopback_opens_a_connection(host: str) -> None:
    with receive() as receiver, pytest.raises((Forbidden, socket.gaierror)):
        open_socket(host, receiver.port, 1.0, allow_private=False)
    assert receiver.requests == []


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://example.org/", "It must begin with https://; what is sent isn't for everybody on the way."),
        ("ftp://example.org/", "It must begin with https:// and name a host."),
        ("https:///x", "It must begin with https:// and name a host."),
        ("https://example.org:x/", "That isn't the address of anything."),
        ("https://me:pw@example.org/", "Leave name and password out of the address; the signature tells who sends."),
        ("https://127.0.0.1/", "127.0.0.1 isn't an address of the public internet."),
        ("https://2130706433/", "127.0.0.1 isn't an address of the public internet."),
        ("https://0x7f.1/", "127.0.0.1 isn't an address of the public internet."),
        ("https://0177.0.0.1/", "127.0.0.1 isn't an address of the public internet."),
        ("https://[fe80::1%25eth0]/", "fe80::1 isn't an address of the public internet."),
        ("https://[::ffff:10.0.0.1]/", "::ffff:a00:1 isn't an address of the public internet."),
    ],
)  # fmt: skip
def test_check_url(url: str, said: str) -> None:
    with pytest.raises(Forbidden) as caught:
        check_url(url, https_only=True, allow_private=False)
    assert str(caught.value) == said


def test_what_is_allowed() -> None:
    check_url("https://example.org:8443/x?y=1", https_only=True, allow_private=False)
    check_url("http://127.0.0.1:8000/", https_only=False, allow_private=True)
