"""The very Caddyfile that ships, before two web processes of the scaled profile."""

import http.client
import json
import os
import shutil
import signal
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.name_server import NameServer
from tests.support.patience import wait_until
from tests.support.proxies import CADDYS_ROOT, start_caddy
from tests.support.servers import SCALED, free_port, new_database
from tests.support.sites import Site, report

pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(not SCALED, reason="a proxy stands before the scaled profile"),
]

REPLICAS = ("127.0.0.2", "127.0.0.3")
HANGS = 600  # seconds after which a connection is given up: no test is about how quick an answer is
OPERATOR, STRANGER = "127.0.0.9", "127.0.0.1"  # only the operator's address may read the metrics


class Proxied:
    """Two web processes on one port of different addresses, and Caddy, which finds them by name."""

    def __init__(self, folder: Path, site: Site) -> None:
        self.site, self.folder = site, folder
        self.names = NameServer(*REPLICAS)
        self.http, self.https = free_port(), free_port()
        self.root = folder / CADDYS_ROOT
        self.web = {address: self.start_web(address) for address in REPLICAS}
        self.caddy = start_caddy(folder, http=self.http, https=self.https, web=site.port, names=self.names.port)
        assert wait_until(self.answers), (folder / "caddy.log").read_text()

    def start_web(self, address: str) -> "subprocess.Popen[bytes]":
        process = self.site.start("web", "--host", address, "--port", str(self.site.port), "--workers", "1")

        def ready() -> bool:
            connection = http.client.HTTPConnection(address, self.site.port, timeout=HANGS)
            try:
                connection.request("GET", "/health/ready?only=database,migrations")
                return connection.getresponse().status == 200
            except OSError:
                return False
            finally:
                connection.close()

        assert wait_until(ready, 60), self.site.log.read_text()
        return process

    def answers(self) -> bool:
        try:
            return self.ask("/health/live")[0] == 200
        except OSError:
            return False

    def name_only(self, address: str) -> None:
        """Have the name server know this address alone. Returns when Caddy, which asks it on requests, has heard."""
        self.names.addresses = (address,)
        asked = self.names.asked
        assert wait_until(lambda: self.answers() and self.names.asked > asked)

    def kill_web(self, address: str) -> None:
        """Every process of this replica, at once."""
        for process in self.site.processes("--host", address):
            with suppress(ProcessLookupError):  # a worker that has just followed its master
                os.kill(process, signal.SIGKILL)
        self.web[address].wait()
        assert wait_until(lambda: not self.site.processes("--host", address))

    def ask(
        self, path: str, body: bytes | None = None, source: str = STRANGER, **headers: str
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        """The status, headers and body of an answer over HTTPS, whose certificate is checked."""
        if not self.root.exists():
            raise ConnectionError("Caddy hasn't made its certificates yet.")
        context = ssl.create_default_context(cafile=str(self.root))
        connection = http.client.HTTPSConnection(
            "localhost", self.https, timeout=HANGS, context=context, source_address=(source, 0)
        )
        try:
            sent = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request("GET" if body is None else "POST", path, body, sent)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def post(self, path: str, body: bytes) -> tuple[int, bytes]:
        headers = {"Authorization": f"Bearer {self.site.key}", "Content_Type": "application/json"}
        status, _, answer = self.ask(path, body, **headers)
        return status, answer

    def close(self) -> None:
        self.caddy.terminate()
        self.caddy.wait(HANGS)
        self.names.close()


@pytest.fixture(scope="module")
def proxied(prepared, tmp_path_factory, _static_files) -> Iterator[Proxied]:
    assert shutil.which("caddy"), "Caddy isn't installed: apt-get install caddy"
    url, key = prepared
    folder = tmp_path_factory.mktemp("proxied")
    site = Site(folder, new_database(folder, template=url), RUNGS_METRICS_ALLOW=OPERATOR)
    site.environment["RUNGS_HOSTS"] = "localhost"
    site.key = key
    running = None
    try:
        running = Proxied(folder, site)
        yield running
    finally:
        if running:
            running.close()
        site.close()


def test_pages_come_by_https_alone(proxied):
    status, headers, page = proxied.ask("/account/login/")
    assert (status, b"<form" in page) == (200, True)
    assert headers["Strict-Transport-Security"].startswith("max-age=31536000")
    assert "__Host-csrftoken=" in headers["Set-Cookie"]
    plain = http.client.HTTPConnection("localhost", proxied.http, timeout=HANGS)
    plain.request("GET", "/boards/")
    answer = plain.getresponse()
    assert (answer.status, answer.headers["Location"]) == (308, "https://localhost/boards/")
    plain.close()


def test_pages_are_compressed(proxied):
    status, headers, _ = proxied.ask("/account/login/", Accept_Encoding="gzip")
    assert (status, headers["Content-Encoding"]) == (200, "gzip")


@pytest.mark.parametrize(
    ("source", "headers", "status"),
    [
        (OPERATOR, {}, 200),
        (STRANGER, {}, 403),
        (STRANGER, {"X_Forwarded_For": OPERATOR}, 403),
        (STRANGER, {"X_Forwarded_For": f"{OPERATOR}, {OPERATOR}", "X_Real_IP": OPERATOR}, 403),
        (STRANGER, {"Forwarded": f"for={OPERATOR}"}, 403),
        (OPERATOR, {"X_Forwarded_For": STRANGER}, 200),
    ],
)
def test_the_clients_address_arrives_whatever_it_says_itself(proxied, source, headers, status):
    assert proxied.ask("/metrics", source=source, **headers)[0] == status


def test_plain_http_cant_be_claimed(proxied):
    assert proxied.ask("/account/login/", X_Forwarded_Proto="http")[0] == 200


def test_results_arrive(proxied):
    body = json.dumps(report("through-caddy", "a", "b")).encode()
    assert [proxied.post("/api/v1/matches/", body)[0] for _ in range(2)] == [201, 200]


@pytest.mark.parametrize(
    ("path", "size", "sentence"),
    [
        ("/api/v1/matches/", 1_100_000, b"1,000,000 bytes"),
        ("/api/v1/matches/bulk/", 3_900_000, b"matches"),
        ("/api/v1/matches/bulk/", 4_100_000, b"4,000,000 bytes"),
    ],
)
def test_the_site_says_what_is_too_large(proxied, path, size, sentence):
    """Several times: a proxy that still sends while the site closes the connection says 502, but not each time."""
    for _ in range(10):
        status, answer = proxied.post(path, b"[" + b" " * (size - 2) + b"]")
        assert (status, sentence in answer) == (400 if size == 3_900_000 else 413, True), answer


@pytest.mark.parametrize(
    ("path", "size", "status"), [("/api/v1/nothing/", 900_000, 404), ("/api/v1/matches/bulk/", 3_900_000, 401)]
)
def test_large_bodies_that_nobody_reads_are_answered(proxied, path, size, status):
    statuses = [proxied.ask(path, b" " * size, Content_Type="application/json")[0] for _ in range(10)]
    assert statuses == [status] * 10


def test_what_is_far_too_large_is_refused_at_the_proxy(proxied):
    url = f"https://localhost:{proxied.https}/api/v1/matches/bulk/"
    command = [
        "curl",
        "-sS",
        "--cacert",
        str(proxied.root),
        "--data-binary",
        "@-",
        "-o",
        "/dev/null",
        "-w",
        "%{http_code}",
    ]
    done = subprocess.run([*command, url], input=b" " * 6_000_000, capture_output=True)
    # The proxy may close the connection while curl still sends: curl sees an error then, and no answer.
    assert done.stdout == b"413" or done.returncode in (55, 56, 92), done
    assert proxied.ask("/health/live")[0] == 200


def test_requests_go_on_while_a_replica_is_killed_and_comes_back(proxied):
    """While its address is still given out, the other answers; a game server that is told 502 sends again."""
    for killed in REPLICAS:
        proxied.kill_web(killed)
        assert {proxied.ask("/health/ready?only=database")[0] for _ in range(40)} == {200}
        for number in range(3):
            body = json.dumps(report(f"without-{killed}-{number}", "a", "b")).encode()
            statuses = [proxied.post("/api/v1/matches/", body)[0] for _ in range(12)]
            assert set(statuses) <= {200, 201, 502}
            assert 201 in statuses
        proxied.web[killed] = proxied.start_web(killed)


def test_a_replica_is_found_by_name_and_forgotten_with_it(proxied):
    """As Docker's name server knows the replicas that run, and no other."""
    for gone, left in (REPLICAS, REPLICAS[::-1]):
        proxied.name_only(left)
        proxied.kill_web(gone)
        bodies = [json.dumps(report(f"only-{left}-{number}", "a", "b")).encode() for number in range(10)]
        assert [proxied.post("/api/v1/matches/", body)[0] for body in bodies] == [201] * 10
        proxied.web[gone] = proxied.start_web(gone)
    proxied.names.addresses = REPLICAS
