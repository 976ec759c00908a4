"""Where a connection to an address leads."""

from leaderboards.outgoing.connections import connection_to

ENDS = {
    "https://example.org/x?y": ("example.org", 443),
    "http://example.org": ("example.org", 80),
    "https://example.org:8443/": ("example.org", 8443),
    "https://[2606:2800::25c8:1946]/": ("2606:2800::25c8:1946", 443),
    "http://[2606:2800::25c8:1946]:8080/": ("2606:2800::25c8:1946", 8080),
}


def test_connection_to():
    connections = {url: connection_to(url, allow_private=False) for url in ENDS}
    assert {url: (made.host, made.port) for url, made in connections.items()} == ENDS
