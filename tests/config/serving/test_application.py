"""The site's way to the web server, tried through Granian itself, with a small application instead of the site."""

import hashlib
import http.client
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import closing

import pytest

from config.serving.bodies import ALWAYS
from tests.support import small_site
from tests.support.paths import ROOT
from tests.support.patience import wait_until
from tests.support.small_server import SmallServer

STRANGER, BY_KEY = "Bearer rungs-player-token", small_site.KEY


@pytest.fixture(scope="module")
def running() -> Iterator[SmallServer]:
    with closing(SmallServer("application")) as running:
        yield running


def test_a_header_with_an_underscore_is_no_other_header(running):
    sent = {"X-Harmless": "one", "X_Harmless": "two", "X_Other": "three", "X-Harmless_": "four"}
    told = running.told("/", **sent)
    headers = {name: value for name, value in told.items() if name.startswith("HTTP_X")}
    assert headers == {"HTTP_X_HARMLESS": "one"}


def test_a_header_that_is_not_ascii_is_sent_but_empty(running):
    """So the address of its client is unknown: a proxy adds the address to what the client wrote."""
    told = running.told("/", **{"X-Forwarded-For": "\xff, 203.0.113.9", "X-Other": "one"})
    assert (told["HTTP_X_FORWARDED_FOR"], told["HTTP_X_OTHER"]) == ("", "one")


def test_the_variables_are_those_of_wsgi(running):
    told = running.told("/p%C3%A5%20th?a=%20b&c", b"{}", Cookie="a=b", **{"Content-Type": "text/x"})
    assert {name: value for name, value in told.items() if name not in ("digest", "used", "HTTP_ACCEPT_ENCODING")} == {
        "REQUEST_METHOD": "POST", "PATH_INFO": "/på th".encode().decode("latin-1"), "QUERY_STRING": "a=%20b&c",
        "SCRIPT_NAME": "", "SERVER_NAME": "127.0.0.1", "SERVER_PORT": str(running.port), "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1", "HTTP_HOST": f"127.0.0.1:{running.port}", "HTTP_COOKIE": "a=b",
        "CONTENT_TYPE": "text/x", "CONTENT_LENGTH": "2", "length": 2, "wsgi.url_scheme": "http",
    }  # fmt: skip


@pytest.mark.parametrize("size", [0, 1, 64_001, 500_000])
def test_a_body_arrives_whole_with_a_length_or_in_chunks(running, size):
    body = b"".join(b"%d," % number for number in range(size))[:size]
    for sent in (body, (body[start : start + 1000] for start in range(0, size, 1000))):
        told = running.told("/", sent)
        assert (told["length"], told["digest"]) == (size, hashlib.sha256(body).hexdigest())
        assert (told["CONTENT_LENGTH"], "HTTP_TRANSFER_ENCODING" in told) == (str(size), False)


def test_of_a_body_that_is_far_too_large_only_the_length_is_told(running):
    with running.slow(1, "POST / HTTP/1.1\nHost: a\nContent-Length: 5000001") as [client]:
        answer = http.client.HTTPResponse(client)
        answer.begin()
        told = json.loads(answer.read())
        assert (told["length"], told["CONTENT_LENGTH"]) == (0, "5000001")


def test_bodies_that_dont_come_hold_up_nobody(running):
    with running.slow(30, "POST / HTTP/1.1\nHost: a\nContent-Length: 9"):
        assert [running.ask("/")[0] for _ in range(5)] == [200] * 5
        assert running.told("/", b"{}", Authorization=STRANGER)["length"] == 2


def test_bodies_that_dont_come_in_time_are_refused():
    with closing(SmallServer("impatient")) as running:
        for length in ("Content-Length: 9", "Transfer-Encoding: chunked"):
            with running.slow(5, f"POST / HTTP/1.1\nHost: a\n{length}", b"1") as clients:
                assert [client.recv(12) for client in clients] == [b"HTTP/1.1 408"] * 5


def test_heads_that_dont_come_hold_up_nobody(running):
    with running.slow(30, "GET / HTTP/1.1\nHost: a\nX", b""):
        assert [running.ask("/")[0] for _ in range(5)] == [200] * 5


def test_a_body_that_breaks_off_is_refused(running):
    with running.slow(1, "POST / HTTP/1.1\nHost: a\nContent-Length: 9") as [client]:
        client.shutdown(socket.SHUT_WR)
        assert client.recv(12) == b"HTTP/1.1 408"


@pytest.mark.parametrize(
    ("chunks", "status"),
    [
        (b"5\r\nhello\r\n0\r\n\r\n", 200),
        (b"5\r\nhello\r\n5\r\nhe", 408),
        (b"5\r\nhello\r\n", 408),
        (b"5\r\nhello\r\nzz\r\nhe", 408),  # no size
        (b"5\r\nhello\r\n0\r\nX-Trailer: one\r\n\r\n", 408),
    ],
)
def test_chunks_that_break_off_are_refused(running, chunks, status):
    with running.slow(1, "POST / HTTP/1.1\nHost: a\nTransfer-Encoding: chunked", chunks) as [client]:
        if not chunks.endswith(b"\r\n\r\n"):
            client.shutdown(socket.SHUT_WR)
        assert client.recv(12) == f"HTTP/1.1 {status}".encode()


def test_strangers_with_large_bodies_leave_room_for_keys_and_for_small_bodies(running):
    """A key counts as one once it was proven; a player's token never does."""
    large, head = b"x" * 400_000, "POST / HTTP/1.1\nHost: a\nContent-Length: 900000\nAuthorization: "
    assert running.ask("/", b"{}", Authorization=BY_KEY)[0] == 200
    with running.slow(1, head + STRANGER, large):
        assert wait_until(lambda: running.told("/")["used"] == len(large) - ALWAYS)
        assert [running.ask("/", large, Authorization=bearer)[0] for bearer in (STRANGER, "")] == [503, 503]
        assert running.told("/", large, Authorization=BY_KEY)["length"] == len(large)
        assert running.told("/", b"x" * ALWAYS)["length"] == ALWAYS
    assert wait_until(lambda: running.ask("/", large)[0] == 200)  # they are gone, and what they had is free


@pytest.mark.parametrize(("path", "size"), [("/large", small_site.LARGE), ("/file", None)])
def test_large_answers_and_files_are_sent_without_a_thread(running, path, size):
    """Clients who read nothing, more of them than threads; then one who does."""
    with running.slow(30, f"GET {path} HTTP/1.1\nHost: a", b"") as clients:
        assert [client.recv(12) for client in clients] == [b"HTTP/1.1 200"] * 30
        assert running.ask("/")[0] == 200
        status, headers, body = running.ask(path)
    wanted = (ROOT / "tests/support/small_site.py").read_bytes() if size is None else b"x" * size
    assert (status, body == wanted) == (200, True)
    assert headers.get("content-length") == (None if size is None else str(size))


def test_an_answer_to_head_has_no_body(running):
    for path in ("/", "/large", "/file"):
        status, _, body = running.ask(path, method="HEAD")
        assert (status, body) == (200, b"")


def test_so_many_requests_at_once_as_there_are_threads(running):
    statuses: list[int] = []
    waiting = [
        threading.Thread(target=lambda: statuses.append(running.ask("/wait")[0])) for _ in range(small_site.THREADS - 1)
    ]
    for thread in waiting:
        thread.start()
    assert running.ask("/go")[0] == 200
    for thread in waiting:
        thread.join()
    assert statuses == [200] * len(waiting)
