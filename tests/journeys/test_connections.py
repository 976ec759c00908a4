"""Clients who open connections and send nothing hold up nobody, up to the number that a process takes."""

import contextlib
import resource
import socket

import pytest

from config.management.commands.web import CONNECTIONS
from tests.support.sites import Site

pytestmark = pytest.mark.faults
IDLE = 1_500  # Granian takes 1,024 unless it is told otherwise


@pytest.fixture
def _many_files():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 3 * IDLE:
        pytest.skip("The system lets nobody open so many files.")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 3 * IDLE), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.usefixtures("_many_files")
def test_more_idle_connections_than_usual_hold_up_nobody(site: Site) -> None:
    assert CONNECTIONS > IDLE
    with contextlib.ExitStack() as clients:
        for _ in range(IDLE):
            clients.enter_context(socket.create_connection(("127.0.0.1", site.port), timeout=10))
        assert site.send("GET", "/health/live", timeout=10) == (200, '{"live": true}')
