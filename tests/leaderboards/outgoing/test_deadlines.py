"""An exchange ends by its deadline, whichever part of it takes long: pictures and webhooks alike."""

import datetime as dt
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from leaderboards.outgoing import sockets
from leaderboards.outgoing.connections import NotFetched, fetch
from leaderboards.outgoing.sockets import Deadline
from leaderboards.webhooks._sending import Message, WebhookConnection
from tests.support.patience import wait_until
from tests.support.webhooks import drip, drip_body, drip_head, hang, receive

DEADLINE, SLACK = 2.0, 2.0  # seconds; what answers in time should do so on a busy machine, too
LATE = "No answer within 2 seconds."
PATHS = {"/hang": hang, "/drip": drip, "/head": drip_head, "/body": drip_body}
# What becomes of a webhook's message and of a picture at each address.
CASES = {
    "http://dead:{port}/": (LATE, LATE),
    "http://dead-first:{port}/": (204, "The answer was 204."),
    "http://dead-first:{port}/head": (LATE, LATE),
    "http://dead-first:{port}/body": (200, LATE),
    "http://slow:{port}/drip": (LATE, LATE),
    "http://silent:{port}/": (LATE, LATE),
    "http://here:{port}/hang": (LATE, LATE),
    "http://here:{port}/drip": (LATE, LATE),
    "http://here:{port}/head": (LATE, LATE),
    "http://here:{port}/body": (200, LATE),
    "https://here:{handshake}/": (LATE, LATE),
    "https://here:{tls}/": (204, "The answer was 204."),
    "https://here:{tls}/head": (LATE, LATE),
    "https://here:{tls}/body": (200, LATE),
}


@pytest.fixture
def over() -> Iterator[threading.Event]:
    """Is set when the test is over, so that whoever waits for it ends."""
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def resolve(monkeypatch: pytest.MonkeyPatch, over: threading.Event) -> Iterator[Callable[..., list[object]]]:
    """A resolver whose answers take long or begin with an address that doesn't accept."""
    with socket.socket() as dead:
        dead.bind(("127.0.0.1", 0))
        dead.listen(0)
        queued = [socket.socket() for _ in range(3)]  # fill its queue: who connects now isn't answered
        for each in queued:
            each.setblocking(False)
            each.connect_ex(dead.getsockname())

        def addresses(host: str, port: int, *_: object, **__: object) -> list[object]:
            if host in ("slow", "silent"):
                over.wait(0.5 * DEADLINE if host == "slow" else None)
            at = {"dead": [dead.getsockname()], "dead-first": [dead.getsockname(), ("127.0.0.1", port)]}
            found = at.get(host, [("127.0.0.1", port)])
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", address) for address in found]

        monkeypatch.setattr(socket, "getaddrinfo", addresses)
        yield addresses
        for each in queued:
            each.close()


@pytest.fixture
def certified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """A server's context of TLS, whose certificate for "here" this process trusts."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    valid = (
        dt.datetime(2020, 1, 1, tzinfo=dt.UTC),
        dt.datetime(2120, 1, 1, tzinfo=dt.UTC),
    )  # OpenSSL knows nothing of the clock of these tests
    made = x509.CertificateBuilder(name, name, key.public_key(), 1, *valid)
    made = made.add_extension(x509.SubjectAlternativeName([x509.DNSName("here")]), critical=True)
    path = tmp_path / "here.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(private + made.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return context


@pytest.fixture
def handshake(over: threading.Event) -> Iterator[int]:
    """The port of a server that begins a record of TLS and never finishes it."""

    def serve(connection: socket.socket) -> None:
        with connection:
            connection.sendall(b"\x16\x03\x03\x40\x00\x02")
            while not over.wait(0.02):
                try:
                    connection.sendall(b"\0")
                except OSError:
                    return

    def accept() -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=[connection], daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=accept, daemon=True).start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)


def send(url: str) -> object:
    connection = WebhookConnection(url, allow_private=True, timeout=DEADLINE)
    outcome = connection.send(Message(b"{}", {}))
    connection.close()
    return outcome.status or outcome.error


def fetch_picture(url: str) -> str:
    try:
        fetch(url, most=10_000, allow_private=True, timeout=DEADLINE)
    except NotFetched as error:
        return LATE if "timed out" in str(error) else str(error)
    return "It was fetched."


def test_each_exchange_ends_by_its_deadline(resolve, certified, handshake):
    results: dict[tuple[str, Callable[[str], object]], object] = {}

    def call(case: str, exchange: Callable[[str], object], url: str) -> None:
        results[case, exchange] = exchange(url)

    with receive() as receiver, receive(certified) as secured:
        receiver.by_path = secured.by_path = PATHS
        for case, exchange in product(CASES, (send, fetch_picture)):
            url = case.format(port=receiver.port, tls=secured.port, handshake=handshake)
            threading.Thread(target=call, args=[case, exchange, url], daemon=True).start()
        wait_until(lambda: len(results) == 2 * len(CASES), DEADLINE + SLACK)
        given = {case: tuple(results.get((case, each), "hangs") for each in (send, fetch_picture)) for case in CASES}
    assert given == CASES


def test_only_so_many_threads_wait_for_a_name_server(monkeypatch):
    asked, answered, resolvers = [], threading.Event(), threading.BoundedSemaphore(1)

    def ask(host: str, *_: object, **__: object) -> list[object]:
        asked.append(host)
        answered.wait()
        return [host]

    def resolve(host: str) -> list[object]:
        deadline = Deadline()
        deadline.set(0.05 if not answered.is_set() else 60)
        return sockets.resolve(host, 80, deadline, resolvers=resolvers)

    monkeypatch.setattr(socket, "getaddrinfo", ask)
    for host in ("one", "two"):
        with pytest.raises(TimeoutError):
            resolve(host)
    assert asked == ["one"]
    answered.set()
    assert (resolve("three"), asked) == (["three"], ["one", "three"])


def test_each_message_of_a_kept_connection_has_its_own_deadline(receiver):
    line = WebhookConnection(receiver.url, allow_private=True)
    for _ in range(2):
        assert line.send(Message(b"x", {})).status == 204
        line._connection.deadline.set(-1)  # as if it had taken long
    line.close()
    assert len(receiver.connections) == 1
