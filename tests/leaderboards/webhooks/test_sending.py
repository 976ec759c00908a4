"""Where a message goes: to the address that was checked, and nowhere else. A resolver and servers of the test's own."""

import socket
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler

import pytest

from leaderboards.webhooks._sending import Message, Outcome, WebhookConnection
from tests.support.webhooks import Receiver, receive

PUBLIC = "93.184.216.34"
MESSAGE = Message(b"{}", {"Content-Type": "application/json"})
FORBIDDEN = Outcome(None, "Forbidden: 127.0.0.1 isn't an address of the public internet.")


class Network:
    """Names resolve to these answers one after the other; the public address is reached at a server of the test."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, server: Receiver, *answers: list[str]) -> None:
        self.answers, self.resolved, self.connected = list(answers), 0, []
        connect = socket.socket.connect

        def resolve(host: str, port: int, *_: object, **__: object) -> list[object]:
            self.resolved += 1
            addresses = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

        def route(connection: socket.socket, sockaddr: tuple[str, int]) -> None:
            self.connected.append(sockaddr[0])
            connect(connection, ("127.0.0.1", server.port) if sockaddr[0] == PUBLIC else sockaddr)

        monkeypatch.setattr(socket, "getaddrinfo", resolve)
        monkeypatch.setattr(socket.socket, "connect", route)


def send(receiver: Receiver, times: int = 1) -> list[Outcome]:
    """Send to a name whose connections would end at the receiver if it resolved to this machine."""
    connection = WebhookConnection(f"http://game.example:{receiver.port}/", allow_private=False, timeout=5)
    outcomes = [connection.send(MESSAGE) for _ in range(times)]
    connection.close()
    return outcomes


def test_a_name_that_changes_after_the_check_gains_nothing(monkeypatch):
    with receive() as public, receive() as inside:
        network = Network(monkeypatch, public, [PUBLIC], ["127.0.0.1"])
        assert send(inside) == [Outcome(204)]
        assert (network.resolved, network.connected) == (1, [PUBLIC])
        assert (len(public.requests), inside.requests) == (1, [])


def test_each_new_connection_is_checked_again(monkeypatch):
    def close(request: BaseHTTPRequestHandler) -> None:
        request.send_response(204)
        request.send_header("Connection", "close")
        request.end_headers()
        request.close_connection = True

    with receive() as public, receive() as inside:
        public.answers.append(close)
        network = Network(monkeypatch, public, [PUBLIC], ["127.0.0.1"])
        assert send(inside, times=2) == [Outcome(204), FORBIDDEN]
        assert (network.resolved, network.connected, inside.requests) == (2, [PUBLIC], [])


@pytest.mark.parametrize("addresses", [["127.0.0.1"], [PUBLIC, "127.0.0.1"], ["127.0.0.1", PUBLIC]])
def test_a_name_with_a_forbidden_address_is_never_connected_to(monkeypatch, addresses):
    with receive() as public, receive() as inside:
        network = Network(monkeypatch, public, addresses)
        assert send(inside) == [FORBIDDEN]
        assert (network.connected, public.requests, inside.requests) == ([], [], [])


@pytest.mark.parametrize("status", [300, 301, 302, 303, 305, 307, 308])
def test_a_redirect_is_not_followed(monkeypatch, status):
    def redirect_to(port: int) -> Callable[[BaseHTTPRequestHandler], None]:
        def answer(request: BaseHTTPRequestHandler) -> None:
            request.send_response(status)
            request.send_header("Location", f"http://127.0.0.1:{port}/")
            request.send_header("Content-Length", "0")
            request.end_headers()

        return answer

    with receive() as public, receive() as inside:
        public.answers.append(redirect_to(inside.port))
        network = Network(monkeypatch, public, [PUBLIC])
        [outcome] = send(inside)
        assert (outcome.status, outcome.error.split()[:2]) == (status, [f"{status}:", "redirects"])
        assert (network.connected, len(public.requests), inside.requests) == ([PUBLIC], 1, [])
