"""Bodies that come slowly: some are waited for, the next is refused at once, and nobody else is held up."""

import io
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from config.security.slow_bodies import SENTENCE
from tests.support.api import make_key, result
from tests.support.factories import make_mode

pytestmark = pytest.mark.django_db(transaction=True)
RATE, FORM = "/api/v1/rate/", "/account/login/"
JSON, FIELDS = "application/json", "application/x-www-form-urlencoded"


class Slow(io.RawIOBase):
    """A body that doesn't come until it is let through."""

    def __init__(self) -> None:
        self.asked, self.let = threading.Event(), threading.Event()

    def read(self, size: int = -1) -> bytes:
        self.asked.set()
        self.let.wait(20)
        return b"{}"


@pytest.fixture
def client(settings) -> Client:
    settings.WEB_THREADS = 4
    client = Client()
    client.get("/health/live")  # loads the middleware, which all the requests of a process share
    return client


def post(client: Client, path: str, body: Any, **headers: str) -> Any:
    sent: dict[str, Any] = {"CONTENT_LENGTH": "2", "wsgi.input": body}
    return client.post(path, content_type=JSON if path.startswith("/api/") else FIELDS, headers=headers, **sent)


@contextmanager
def slow_clients(client: Client, path: str, number: int) -> Iterator[list[int]]:
    """So many of them at once, waited for; the list has their statuses once they are through."""
    bodies, statuses = [Slow() for _ in range(number)], []

    def send(body: Slow) -> None:
        try:
            statuses.append(post(client, path, body).status_code)
        finally:
            connection.close()

    threads = [threading.Thread(target=send, args=(body,)) for body in bodies]
    for thread, body in zip(threads, bodies, strict=True):
        thread.start()
        assert body.asked.wait(20)
    try:
        yield statuses
    finally:
        for body in bodies:
            body.let.set()
        for thread in threads:
            thread.join()


@pytest.mark.parametrize("path", [RATE, FORM])
def test_two_of_four_threads_wait_and_the_next_body_is_refused(client, path):
    with slow_clients(client, path, 2) as statuses:
        for other in (RATE, FORM):
            refused = post(client, other, io.BytesIO(b"{}"))
            assert (refused.status_code, refused["Retry-After"]) == (503, "2")
            assert SENTENCE in refused.text
    assert statuses == ([400, 400] if path == RATE else [200, 200])
    assert [post(client, other, io.BytesIO(b"{}")).status_code for other in (RATE, FORM)] == [400, 200]


def test_meanwhile_pages_liveness_and_results_are_answered(client):
    make_mode()
    key, body = make_key(), json.dumps(result()).encode()
    with slow_clients(client, RATE, 2):
        assert [client.get(path).status_code for path in ("/", "/boards/duel/", "/health/live")] == [200] * 3
        headers = {"Authorization": f"Bearer {key}"}
        assert client.post("/api/v1/matches/", body, content_type=JSON, headers=headers).status_code == 201
        chunked = {**headers, "Transfer-Encoding": "chunked"}
        sent: dict[str, Any] = {"CONTENT_LENGTH": "", "wsgi.input": io.BytesIO(body)}
        assert client.post("/api/v1/matches/", content_type=JSON, headers=chunked, **sent).status_code == 200


def test_a_wrong_key_is_a_strangers(client):
    with slow_clients(client, RATE, 2):
        assert post(client, "/api/v1/matches/", Slow(), Authorization="Bearer rungs_00000000_x").status_code == 401


def test_what_nobody_read_is_waited_for_in_the_same_line(client):
    body, statuses = Slow(), []

    def send() -> None:
        statuses.append(post(client, "/nothing/", body).status_code)
        connection.close()

    thread = threading.Thread(target=send)
    with slow_clients(client, RATE, 1):
        thread.start()
        assert body.asked.wait(20)
        assert post(client, RATE, io.BytesIO(b"{}")).status_code == 503
        assert post(client, "/nothing/", Slow()).status_code == 404  # no room to wait for it
        assert not statuses
        body.let.set()
        thread.join()
    assert statuses == [404]


def test_chunks_wait_in_the_same_line(client):
    with slow_clients(client, RATE, 2):
        sent: dict[str, Any] = {"CONTENT_LENGTH": "", "wsgi.input": io.BytesIO(b"{}")}
        refused = client.post(RATE, content_type=JSON, headers={"Transfer-Encoding": "chunked"}, **sent)
    assert (refused.status_code, refused.json()["detail"]) == (503, SENTENCE)
