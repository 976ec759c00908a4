"""What the results of a game server survive: kill -9 of the game server and of the site, again and again.

CLIENT_KILLS=100 makes so many kills of either; the default is 3.
"""

import datetime as dt
import itertools
import json
import os
import random
import signal
import threading
import time
import uuid

import pytest
from django.utils import timezone

from tests.support.game_servers import refused, spooled
from tests.support.servers import new_database, wait_until
from tests.support.sites import Site

pytestmark = pytest.mark.faults

KILLS = int(os.environ.get("CLIENT_KILLS") or 3)
PATIENCE = 90  # seconds that a site may take to start on a busy machine
RECORDED = """
import json
from ranking.models import Match
print(json.dumps(list(Match.objects.order_by("pk").values_list("external_id", flat=True))))
"""


class WebSite:
    """The web process of a site, to which game servers speak without a proxy between them."""

    def __init__(self, site: Site) -> None:
        self.site, self.url = site, f"http://127.0.0.1:{site.port}"

    def start(self) -> None:
        self.process = self.site.start("web", "--port", str(self.site.port))
        assert wait_until(lambda: self.site.get("/health/live")[0] == 200, PATIENCE), self.site.log.read_text()

    def kill(self) -> None:
        for process in self.site.processes():
            os.kill(process, signal.SIGKILL)
        self.process.wait()

    def recorded(self, name: str) -> list[str]:
        """The ids of a test's matches in the order in which they were recorded."""
        return [match for match in json.loads(self.site.shell(RECORDED)) if match.startswith(name)]


@pytest.fixture(scope="module")
def web(prepared, tmp_path_factory, _static_files):
    url, key = prepared
    folder = tmp_path_factory.mktemp("web")
    site = Site(folder, new_database(folder, template=url), RUNGS_HTTPS="no")
    site.key = key
    web = WebSite(site)
    try:
        web.start()
        yield web
        web.kill()
    finally:
        site.close()


@pytest.fixture
def spool(tmp_path):
    return tmp_path / "spool"


@pytest.fixture
def name():
    """What the ids of a test's matches begin with: the site has those of other tests, too."""
    return uuid.uuid4().hex


def results(name):
    """Duels without an end, one a second; each is the same whenever it is sent."""
    began, rng = timezone.now() - dt.timedelta(days=1), random.Random(1)
    for number in itertools.count(1):
        teams = [{"place": place, "players": [{"id": f"p{rng.randrange(40) * 2 + place}"}]} for place in (1, 2)]
        ended_at = (began + dt.timedelta(seconds=number)).isoformat()
        yield {"id": f"{name}-{number:06}", "mode": "duel", "ended_at": ended_at, "teams": teams}


class Season:
    """A game server that plays one match after the other, and is started again whenever it was killed."""

    def __init__(self, start, web, name):
        self.start, self.web, self.played, self.results = start, web, [], results(name)
        self.server = self._start()

    def _start(self):
        server = self.start(self.web.url, self.web.site.key)
        assert server.read() == "open"
        return server

    def play(self, times):
        for result in itertools.islice(self.results, times):
            self.played.append(result["id"])
            while not self.server.keep(result):  # perhaps it is in the spool: the same result may lie there twice
                self.server = self._start()
            time.sleep(random.uniform(0, 0.02))


def test_results_survive_kills_of_the_game_server_and_of_the_site(web, start, spool, name):
    """Each is recorded exactly once, in the order in which they were played."""
    season = Season(start, web, name)
    for kind in itertools.islice(itertools.cycle(["game server", "site"]), KILLS):
        kill = web.kill if kind == "site" else season.server.process.kill
        killer = threading.Timer(random.uniform(0, 0.3), kill)  # amid whatever the two are doing
        killer.start()
        season.play(random.randrange(10, 25))
        killer.join()
        if kind == "site":
            season.play(3)
            web.start()
            assert wait_until(lambda: not spooled(spool), PATIENCE)  # it waits longer each time that nobody answers
    season.play(5)
    assert season.server.finish() == ["sent"]
    assert web.recorded(name) == season.played
    assert len(season.played) > 8 * KILLS
    assert (spooled(spool), refused(spool)) == ([], {})


def test_what_the_site_refuses_lies_beside_its_reason(web, start, spool, name):
    first, second, third = itertools.islice(results(name), 3)
    server = start(web.url, web.site.key)
    assert server.read() == "open"
    unknown = {**second, "mode": "chess"}
    taken = {**third, "id": first["id"]}
    assert [server.keep(result) for result in (first, unknown, taken, third)] == [True] * 4
    assert server.finish() == ["sent"]
    assert web.recorded(name) == [first["id"], third["id"]]
    (kept, problem), (again, conflict) = refused(spool).values()
    assert (kept, problem["status"], problem["errors"][0]["field"]) == (unknown, 400, "mode")
    assert (again, conflict["status"]) == (taken, 409)


def test_results_wait_for_a_key_that_is_right(web, start, name):
    first, second = itertools.islice(results(name), 2)
    for key, result, end in (("rungs_wrong", first, ["waiting", "stopped by 401"]), (web.site.key, second, ["sent"])):
        server = start(web.url, key)
        assert (server.read(), server.keep(result)) == ("open", True)
        assert server.finish() == end
    assert web.recorded(name) == [first["id"], second["id"]]
