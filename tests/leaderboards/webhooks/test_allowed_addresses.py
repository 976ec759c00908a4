"""Which addresses are the outside world's."""

import ipaddress

import pytest

from leaderboards.webhooks.allowed_addresses import Forbidden, check_url, is_outside


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1:248:1893:25c8:1946", True),
        ("127.0.0.1", False),
        ("10.1.2.3", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("::1", False),
        ("::", False),
        ("fe80::1", False),
        ("fc00::1", False),
        ("fec0::1", False),
        ("ff02::1", False),
        ("::ffff:127.0.0.1", False),
        ("::ffff:93.184.216.34", True),
        ("2002:7f00:1::", False),
        ("64:ff9b::7f00:1", False),
        ("64:ff9b::5db8:d822", True),
        ("2001:0:4136:e378:8000:63bf:3fff:fdd2", False),
    ],
)
def test_is_outside(address: str, expected: bool) -> None:
    assert is_outside(ipaddress.ip_address(address)) is expected


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://example.org/", "It must begin with https://; what is sent isn't for everybody on the way."),
        ("ftp://example.org/", "It must begin with https:// and name a host."),
        ("https:///x", "It must begin with https:// and name a host."),
        ("https://example.org:x/", "That isn't the address of anything."),
        ("https://me:pw@example.org/", "Leave name and password out of the address; the signature tells who sends."),
        ("https://127.0.0.1/", "127.0.0.1 isn't an address of the public internet."),
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
