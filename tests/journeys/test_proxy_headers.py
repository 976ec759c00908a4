"""No proxy lets a client choose a header by another spelling of its name; tried with harmless headers.

Debian's Caddy with the Caddyfile that ships, nginx and HAProxy, before the web server with a small application.
"""

import http.client
import http.server
import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.name_server import NameServer
from tests.support.patience import wait_until
from tests.support.proxies import CADDYS_ROOT, start_caddy, start_haproxy, start_nginx
from tests.support.servers import free_port
from tests.support.small_server import SmallServer

pytestmark = pytest.mark.long
SENT = {"X-Harmless": "one", "X_Harmless": "two", "X_Other": "three", "X-Forwarded-For": "192.0.2.7"}


@dataclass
class Proxied:
    """A proxy on a port. `root`: the certificate of its CA, if it speaks HTTPS."""

    port: int
    root: Path | None = None

    def connect(self) -> http.client.HTTPConnection:
        if self.root is None:
            return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        context = ssl.create_default_context(cafile=str(self.root))  # OSError until Caddy has made its certificates
        return http.client.HTTPSConnection("localhost", self.port, timeout=60, context=context)

    def told(self, **headers: str) -> dict[str, str]:
        """The variables of a request with these headers, behind the proxy."""
        with closing(self.connect()) as connection:
            connection.request("GET", "/", headers=headers)
            variables: dict[str, str] = json.loads(connection.getresponse().read())
            return variables

    def answers(self) -> bool:
        try:
            return bool(self.told())
        except (OSError, ValueError):
            return False


@pytest.fixture(scope="module")
def server() -> Iterator[SmallServer]:
    with closing(SmallServer("application")) as server:
        yield server


@pytest.fixture(params=["caddy", "nginx", "haproxy"])
def proxied(request: pytest.FixtureRequest, server: SmallServer, tmp_path: Path) -> Iterator[Proxied]:
    port, names = free_port(), NameServer("127.0.0.1")
    if request.param == "caddy":
        process = start_caddy(tmp_path, http=free_port(), https=port, web=server.port, names=names.port)
        proxied = Proxied(port, tmp_path / CADDYS_ROOT)
    else:
        start = start_nginx if request.param == "nginx" else start_haproxy
        process = start(tmp_path, port=port, web=server.port)
        proxied = Proxied(port)
    try:
        assert wait_until(proxied.answers), (tmp_path / f"{request.param}.log").read_text()
        yield proxied
    finally:
        process.terminate()
        process.wait(60)
        names.close()


def test_a_second_spelling_never_arrives(proxied: Proxied) -> None:
    told = proxied.told(**SENT)
    assert {name: value for name, value in told.items() if name in ("HTTP_X_HARMLESS", "HTTP_X_OTHER")} == {
        "HTTP_X_HARMLESS": "one"
    }


def test_the_address_is_the_one_that_the_proxy_saw(proxied: Proxied) -> None:
    told = proxied.told(**SENT)
    forwarded = [part.strip() for part in told["HTTP_X_FORWARDED_FOR"].split(",")]
    assert (forwarded[-1], told["HTTP_X_FORWARDED_PROTO"]) == ("127.0.0.1", "https" if proxied.root else "http")


class Names(http.server.BaseHTTPRequestHandler):
    """Answers with the names of the headers that arrived, as they are written."""

    def do_GET(self) -> None:
        body = json.dumps(dict(self.headers.items())).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def test_the_caddyfile_passes_no_such_name_on_whatever_stands_behind(tmp_path: Path) -> None:
    names, port = NameServer("127.0.0.1"), free_port()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Names) as behind:
        threading.Thread(target=behind.serve_forever, daemon=True).start()
        web = behind.server_address[1]
        caddy = start_caddy(tmp_path, http=free_port(), https=port, web=web, names=names.port)
        proxied = Proxied(port, tmp_path / CADDYS_ROOT)
        try:
            assert wait_until(proxied.answers), (tmp_path / "caddy.log").read_text()
            told = {name.lower(): value for name, value in proxied.told(**SENT).items()}
        finally:
            caddy.terminate()
            caddy.wait(60)
            behind.shutdown()
            names.close()
    assert {name: told[name] for name in told if "_" in name or "harmless" in name} == {"x-harmless": "one"}
    assert told["x-forwarded-for"] == "127.0.0.1"
