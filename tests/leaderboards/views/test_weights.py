"""What pages weigh: the HTML of each, and all that a first visit loads."""

import datetime as dt
import gzip
import re
from pathlib import Path

import brotli
import pytest
import time_machine
from django.contrib.auth.models import User
from django.contrib.staticfiles import finders
from django.test import Client
from django.utils import timezone

from leaderboards.people.following import follow_player
from ranking.models import Match, Player
from ranking.standings.publishing import publish
from tests.support.factories import LATER, NOW, record
from tests.support.matchmaking import make_queue

pytestmark = pytest.mark.django_db
RAW, COMPRESSED, FIRST_VISIT = 60_000, 15_000, 95_000  # bytes
TEXTS = (".css", ".js", ".svg")
ADDRESSES = (
    "/", "/boards/team/", "/boards/team/?rank=50", "/boards/team/friends/", "/boards/team/distribution/",
    "/boards/team/tiers/", "/boards/team/seasons/", "/boards/team/?q=player", "/players/player-000/",
    "/compare/player-000/player-001/", "/matches/{match}/", "/calculator/", "/seasons/", "/play/", "/play/team/",
    "/help/", "/people/", "/notifications/", "/conduct/", "/account/", "/account/privacy/", "/nothing/",
)  # fmt: skip


def name(number: int) -> str:
    return f"player-{number:03}"


@pytest.fixture
def site(_site: None, client: Client, db: None) -> None:
    """A board of which every row has all that it may have: names of usual length, form, movement, a curve."""
    client.force_login(User.objects.get())


@pytest.fixture(scope="module")
def _site(module_db: None) -> None:
    with time_machine.travel(LATER, tick=False):
        make_site()


def make_site() -> None:
    queue = make_queue(slug="team", size=6)
    mode = queue.mode
    start = NOW - dt.timedelta(days=2)
    for round_ in range(11):
        order = [(number * 5 + round_ * 7) % 60 for number in range(60)]
        for first in range(0, 60, 12):
            teams = [[name(number) for number in order[first + side : first + side + 6]] for side in (0, 6)]
            at = start + dt.timedelta(hours=4 * round_, minutes=first)
            record(*teams, mode="team", ended_at=at, now=at)
        publish(mode, now=start + dt.timedelta(hours=4 * round_ + 1))
    publish(mode, now=NOW)
    me = Player.objects.get(key=name(0))
    me.user = User.objects.create_user("me")
    me.save()
    for number in range(1, 40):
        follow_player(me, Player.objects.get(key=name(number)), now=timezone.now())


@pytest.mark.usefixtures("site")
def test_pages_are_light(client: Client) -> None:
    heavy = {}
    for address in ADDRESSES:
        content = client.get(address.format(match=Match.objects.latest("pk").pk)).content
        raw, compressed = len(content), len(gzip.compress(content, 6))
        assert raw > 2_000, address
        if raw > RAW or compressed > COMPRESSED:
            heavy[address] = (raw, compressed)
    assert heavy == {}


@pytest.mark.usefixtures("site")
def test_a_first_visit_is_light(client: Client) -> None:
    heavy = {}
    match = f"/matches/{Match.objects.latest('pk').pk}/"
    for address in ("/", "/boards/team/", match, "/players/player-000/", "/calculator/", "/play/team/"):
        page = client.get(address).content
        files = set(re.findall(r'(?:href|src)="/static/([^"?#]+)', page.decode()))
        assert {"css/base.css", "js/pages.js", "fonts/archivo-latin.woff2"} <= {without_hash(file) for file in files}
        weights = {file: weight_of(file) for file in files}
        if len(gzip.compress(page, 6)) + sum(weights.values()) > FIRST_VISIT:
            heavy[address] = weights
    assert heavy == {}


def without_hash(file: str) -> str:
    """The name of a static file as it is in the repository; a collected one has a hash in it."""
    return re.sub(r"\.[0-9a-f]{12}(?=\.\w+$)", "", file)


def weight_of(file: str) -> int:
    """The bytes of a static file on its way from the scaled profile, without the answer's head."""
    path = finders.find(without_hash(file))
    assert isinstance(path, str), file
    content = Path(path).read_bytes()
    return len(brotli.compress(content)) if file.endswith(TEXTS) else len(content)
