"""Addresses of Redis: what is refused, and that cache and broker both reach a Redis behind a socket's file."""

import subprocess

import pytest
from celery import Celery

from config.env import InvalidEnvironment
from config.redis_addresses import broker_address, is_readable
from config.storage.caches import SharedCache
from tests.support.environment import SCALED_SITE, read_settings
from tests.support.patience import wait_until


def test_what_is_read_as_it_was_meant():
    cases = [
        ("redis://redis", True),
        ("redis://redis:6379/0", True),
        ("redis://:p%40s%2Fs%23w%3F@127.0.0.1:6379/3", True),
        ("rediss://user:pw@redis/0?ssl_cert_reqs=none", True),
        ("unix:///run/redis.sock", True),
        ("unix://:pw@/run/redis.sock?db=3", True),
        ("redis+socket:///run/redis.sock?virtual_host=3", True),
        ("sentinel://host:26379/0", True),
        ("redis://:p@s/s w#rd:%?é@127.0.0.1:8440/3", False),
        ("redis://:12/w@redis/0", False),
        ("redis://:12?w@redis/0", False),
        ("redis://:12#w@redis/0", False),
        ("redis://:pw@redis/0#", False),
        ("redis://:p,w@redis/0", False),
        ("redis://redis/zero", False),
        ("redis://redis/0?db=one", False),
        ("unix://run/redis.sock", False),
        ("unix://", False),
        ("unix:///", False),
        ("unix:///run/redis.sock?virtual_host=3", False),
        ("unix:///run/redis.sock?db=", False),
    ]
    assert [(address, is_readable(address)) for address, _ in cases] == cases


@pytest.mark.parametrize("name", ["RUNGS_REDIS_URL", "RUNGS_BROKER_URL"])
def test_an_address_that_cant_be_read_is_refused_without_its_password(name):
    with pytest.raises(InvalidEnvironment) as refused:
        read_settings(**{**SCALED_SITE, name: "redis://:p@s/s w#rd:%?é@127.0.0.1:8440/3"})
    assert str(refused.value) == (
        f"{name} can't be read: write it like redis://:password@host:6379/0 or unix://:password@/path/to/socket?db=0, "
        "and write special characters of the password in percent form, such as %23 for #."
    )


def test_the_brokers_library_has_its_own_name_for_a_sockets_file():
    cases = [
        ("redis://:pw@redis/0", "redis://:pw@redis/0"),
        ("unix:///run/redis.sock", "redis+socket:///run/redis.sock"),
        ("unix://u:p%2Fw@/run/redis.sock?db=3", "redis+socket://u:p%2Fw@/run/redis.sock?virtual_host=3"),
    ]
    assert [(address, broker_address(address)) for address, _ in cases] == cases
    unix = {**SCALED_SITE, "RUNGS_REDIS_URL": "unix:///run/redis.sock?db=3"}
    other = {**SCALED_SITE, "RUNGS_BROKER_URL": "unix:///run/broker.sock"}
    brokers = [read_settings(**site)["CELERY_BROKER_URL"] for site in (unix, other)]
    assert brokers == ["redis+socket:///run/redis.sock?virtual_host=3", "redis+socket:///run/broker.sock"]


@pytest.fixture
def socket_file(tmp_path):
    """The file of a Redis that listens to nothing else, and wants the password "p/w"."""
    path = tmp_path / "redis.sock"
    command = ["redis-server", "--port", "0", "--unixsocket", str(path), "--requirepass", "p/w", "--save", ""]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL) as process:
        assert wait_until(path.exists)
        yield path
        process.kill()


def test_cache_and_broker_reach_a_redis_behind_a_file(socket_file):
    site = {**SCALED_SITE, "RUNGS_REDIS_URL": f"unix://:p%2Fw@{socket_file}?db=3"}
    settings = read_settings(**site)
    given = settings["CACHES"]["default"]
    cache = SharedCache(given["LOCATION"], given)
    cache.check()
    with Celery(broker=settings["CELERY_BROKER_URL"]).connection_for_write(
        transport_options=settings["CELERY_BROKER_TRANSPORT_OPTIONS"]
    ) as broker:
        broker.SimpleQueue("letters").put("one")
        client = cache._cache.get_client(None)
        assert client.llen("letters") == 1  # in the same database
