"""`python -m bench.floods [RUNS]`: how quickly a site is alive while many clients dawdle.

At once: 60 clients who read nothing of large static files, 60 whose bodies don't come, half of them with a player's
token, and 60 whose heads don't come. With the embedded profile's settings the site is reached directly; with the
scaled profile's, whose PostgreSQL server gets a database of its own for it, through Caddy, too.
"""

import http.client
import os
import socket
import ssl
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.core.management import call_command  # noqa: E402

from bench.measuring import median, p95  # noqa: E402
from tests.support.name_server import NameServer  # noqa: E402
from tests.support.patience import wait_until  # noqa: E402
from tests.support.proxies import CADDYS_ROOT, start_caddy  # noqa: E402
from tests.support.servers import SCALED, free_port, new_database  # noqa: E402
from tests.support.sites import Site  # noqa: E402

EACH, ASKED, PAUSE, GIVES_UP = 60, 100, 0.05, 5.0  # clients of each kind; requests, seconds between them, seconds
LARGE = "/static/drf_spectacular_sidecar/swagger-ui-dist/swagger-ui-bundle.js"  # 1.6 MB
TIMES = 10  # each asks for it, because sockets hold some MB
BOUND = 0.5  # seconds
TOKEN = """
from django.utils import timezone
from ranking.models import Key, Player
from ranking.operations.keys import create_key
from ranking.players.tokens import issue_token
now = timezone.now()
secret = create_key("floods", scopes=["players"], now=now)
player = Player.objects.create(key="fox", name="fox", created_at=now)
print(issue_token(player, key=Key.objects.get(prefix=secret.split("_")[1])))
"""

Connect = Callable[[], socket.socket]


def heads(token: str) -> Iterator[str]:
    """What each client sends, in turn."""
    common = "Host: localhost\r\nX-Forwarded-Proto: https\r\n"
    for number in range(EACH):
        bearer = f"Authorization: Bearer {token}\r\n" if number % 2 else ""
        body = "Content-Type: application/json\r\nContent-Length: 900\r\n\r\n{"
        yield f"GET {LARGE} HTTP/1.1\r\n{common}\r\n" * TIMES
        yield f"POST /api/v1/tickets/ HTTP/1.1\r\n{common}{bearer}{body}"
        yield f"GET / HTTP/1.1\r\n{common}X-Half"


@contextmanager
def flood(connect: Connect, token: str) -> Iterator[None]:
    with ExitStack() as clients:
        for head in heads(token):
            client = clients.enter_context(closing(connect()))
            client.sendall(head.encode())
        time.sleep(1)
        yield


def ask_often(connect: Connect) -> list[float]:
    """The seconds in which /health/live answers, GIVES_UP where it doesn't."""
    taken = []
    for _ in range(ASKED):
        start = time.perf_counter()
        with suppress(OSError), closing(connect()) as client:
            client.sendall(b"GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            answer = http.client.HTTPResponse(client)
            answer.begin()
            if answer.status != 200:
                raise SystemExit(f"/health/live: {answer.status}")
        taken.append(min(time.perf_counter() - start, GIVES_UP))
        time.sleep(PAUSE)
    return taken


def directly(port: int) -> socket.socket:
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2_048)
    client.settimeout(GIVES_UP)
    client.connect(("127.0.0.1", port))
    return client


def by_https(port: int, root: Path) -> socket.socket:
    return ssl.create_default_context(cafile=str(root)).wrap_socket(directly(port), server_hostname="localhost")


@contextmanager
def running(folder: Path) -> Iterator[tuple[Site, str]]:
    """A site with its web processes only, and a player's token."""
    site = Site(folder, new_database(folder))
    site.environment["RUNGS_HOSTS"] = "localhost,127.0.0.1"
    try:
        site.manage("migrate", "-v0")
        token = site.shell(TOKEN)
        site.start("web", "--port", str(site.port))
        if not wait_until(lambda: site.get("/health/live")[0] == 200):
            raise SystemExit(site.log.read_text())
        yield site, token
    finally:
        site.close()


@contextmanager
def proxied(site: Site, folder: Path) -> Iterator[Connect]:
    names, port = NameServer("127.0.0.1"), free_port()
    caddy = start_caddy(folder, http=free_port(), https=port, web=site.port, names=names.port)
    try:
        if not wait_until((folder / CADDYS_ROOT).exists):
            raise SystemExit((folder / "caddy.log").read_text())
        time.sleep(1)
        yield lambda: by_https(port, folder / CADDYS_ROOT)
    finally:
        caddy.terminate()
        caddy.wait()
        names.close()


def row(name: str, taken: list[float]) -> str:
    lost = sum(seconds >= GIVES_UP for seconds in taken)
    figures = f"{median(taken) * 1e3:.1f} | {p95(taken) * 1e3:.1f} | {max(taken) * 1e3:.1f} | {lost} of {len(taken)}"
    return f"| {name} | {figures} | {'✓' if p95(taken) <= BOUND else '✗'} |"


def main(runs: int) -> None:
    if SCALED:
        call_command("collectstatic", interactive=False, verbosity=0)
    print("| /health/live, ms | median | p95 | longest | unanswered | p95 ≤ 500 |\n|---|---:|---:|---:|---:|---|")
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        site, token = stack.enter_context(running(folder))
        ways: dict[str, Connect] = {"directly": lambda: directly(site.port)}
        if SCALED:
            ways["through Caddy"] = stack.enter_context(proxied(site, folder))
        for _ in range(runs):
            for way, connect in ways.items():
                print(row(f"{way}, nobody else", ask_often(connect)), flush=True)
                with flood(connect, token):
                    print(row(f"{way}, {3 * EACH} clients who dawdle", ask_often(connect)), flush=True)


main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
