"""Which addresses of replays and videos a mode takes, and which hosts it can allow."""

import pytest

from ranking.rules.match_links import MOST_HOSTS, BadLink, check_address, read_hosts

HOSTS = ("replays.example.org", "video.example")
TAKEN = (
    "https://replays.example.org/1",
    "https://eu.replays.example.org/a/b?x=1#t=20",
    "https://VIDEO.example:443/watch?v=1",
)
REFUSED = {
    "http://replays.example.org/1": "begins with https://",
    "javascript:alert(1)": "begins with https://",
    "//replays.example.org/1": "begins with https://",
    "https://": "begins with https://",
    "https://example.org/1": "takes replays.example.org, video.example",
    "https://notvideo.example/1": "doesn't take links to notvideo.example",
    "https://video.example.evil.example/": "doesn't take links to video.example.evil.example",
    "https://user@video.example/": "no user",
    "https://video.example:8443/": "no port",
    "https://video.example\\@evil.example/": "no backslash|doesn't take|no user",
    "https://video.example/a b": "no spaces",
    "https://vidéo.example/": "beyond ASCII",
    "https://[video.example/": "no address",
    "https://video.example:x/": "no address",
}


def test_addresses():
    for address in TAKEN:
        check_address(address, HOSTS)
    for address, words in REFUSED.items():
        with pytest.raises(BadLink, match=words):
            check_address(address, HOSTS)
    with pytest.raises(BadLink, match="takes no links"):
        check_address(TAKEN[0], ())


def test_hosts_stand_one_on_a_line():
    assert read_hosts("Replays.example.org\r\n\nvideo.example\nvideo.example\n") == HOSTS
    assert read_hosts("") == ()
    for text in ("https://video.example", "video", "video.example/x", "-a.example", "127.0.0.1", "*.example.org"):
        with pytest.raises(BadLink, match="is not the name of a host"):
            read_hosts(text)
    with pytest.raises(BadLink, match=f"at most {MOST_HOSTS} hosts"):
        read_hosts("\n".join(f"a{number}.example" for number in range(MOST_HOSTS + 1)))
