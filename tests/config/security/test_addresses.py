"""The client's address: the connection's, or what as many proxies as we trust say, and never what a client claims."""

import pytest

from config.security.addresses import client_address, network_of


def test_client_address(rf, settings):
    cases = [
        (0, None, "198.51.100.1"),
        (0, "203.0.113.7", "198.51.100.1"),  # no proxy: the header is the client's own word
        (1, "203.0.113.7", "203.0.113.7"),
        (1, "10.9.9.9, 203.0.113.7", "203.0.113.7"),  # the client wrote the first
        (2, "203.0.113.7, 10.0.0.1", "203.0.113.7"),
        (2, "203.0.113.7", "0.0.0.0"),  # came past a proxy
        (1, None, "198.51.100.1"),  # came past all
        (1, "", "0.0.0.0"),  # sent, but the web server couldn't read it
        (1, "nonsense", "0.0.0.0"),
        (1, "::ffff:203.0.113.7", "203.0.113.7"),
        (1, "203.0.113.7:4711", "203.0.113.7"),  # as Azure's gateway writes it
        (1, "[2001:db8::7]:4711", "2001:db8::7"),
        (1, "[2001:db8::7]", "2001:db8::7"),
        (1, "2001:db8::7", "2001:db8::7"),
    ]
    given = {}
    for proxies, forwarded, _ in cases:
        settings.PROXIES = proxies
        headers = {} if forwarded is None else {"X-Forwarded-For": forwarded}
        address = client_address(rf.get("/", REMOTE_ADDR="198.51.100.1", headers=headers))
        given[proxies, forwarded] = str(address)
    assert given == {(proxies, forwarded): address for proxies, forwarded, address in cases}


@pytest.mark.parametrize(
    ("address", "expected"), [("203.0.113.7", "203.0.113.7"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::")]
)
def test_household(rf, settings, address, expected):
    settings.PROXIES = 0
    assert network_of(client_address(rf.get("/", REMOTE_ADDR=address))) == expected
