"""`make pictures`: the pictures of README.md and the docs, taken on the demo's site: docs/pictures."""

from collections.abc import Callable, Iterator

import pytest
from django.core.management import call_command
from django.utils import timezone
from playwright.sync_api import Browser, Page, ViewportSize
from pytest_django.live_server_helper import LiveServer

from config.management.commands.demo import ADMIN, PASSWORD, PLAYER
from matchmaking.lobbies import accepting
from matchmaking.models import Lobby, Queue
from matchmaking.queues.queueing import Wish, queue_player
from matchmaking.servers import register_server
from matchmaking.tick.tick import tick
from ranking.models import Appeal, Change, Incident, Player, Rating, Source
from ranking.moderation.appeals import appeal_against, find_grounds
from tests.support.browser import log_in
from tests.support.paths import ROOT

THERE = ROOT / "docs" / "pictures"
SIZE: ViewportSize = {"width": 1180, "height": 760}
MOST_TRIED = 20
WORDS = (
    "The power went out in our street. I was back after ten minutes, and the match was over.",
    "My router restarted, sorry. I have never left before.",
    "We had all agreed to stop.",
)


@pytest.fixture
def demo(live_server: LiveServer, transactional_db: None) -> str:
    """The address of a site on which the demo's seasons are played, with appeals."""
    call_command("demo")
    make_appeals()
    return str(live_server.url)


@pytest.fixture
def enter(browser: Browser, demo: str) -> Iterator[Callable[[str], Page]]:
    """Opens a browser in which somebody is logged in."""
    contexts = []

    def open_for(name: str) -> Page:
        context = browser.new_context(viewport=SIZE, color_scheme="light", reduced_motion="reduce")
        contexts.append(context)
        page = context.new_page()
        log_in(page, demo, name, PASSWORD)
        return page

    yield open_for
    for context in contexts:
        context.close()


def test_pictures(demo: str, enter: Callable[[str], Page]) -> None:
    me = Player.objects.get(key="demo-player")
    match = Change.objects.filter(player=me, mode__slug="control-6v6", outcome=Change.WIN).latest("pk").match_id
    appeal = Appeal.objects.latest("pk").pk
    page = enter(PLAYER)
    take(page, f"{demo}/boards/control-6v6/", "board")
    take(page, f"{demo}/matches/{match}/", "match")
    take(page, f"{demo}/players/{me.key}/", "player")
    take(page, f"{demo}/lobbies/{open_lobby(me).pk}/", "lobby")
    page = enter(ADMIN)
    take(page, f"{demo}/admin/", "work-queue")
    take(page, f"{demo}/admin/ranking/leaver/", "leavers")
    take(page, f"{demo}/admin/ranking/appeal/{appeal}/change/", "appeal")


def take(page: Page, address: str, name: str) -> None:
    answer = page.goto(address)
    assert answer is not None
    assert answer.ok
    page.evaluate("document.fonts.ready")
    page.screenshot(path=THERE / f"{name}.png")


def make_appeals() -> None:
    """The players whose leaves locked them out last say why they left."""
    now, appealed = timezone.now(), 0
    for player in Player.objects.filter(pk__in=Incident.objects.order_by("-happened_at").values("player")[:MOST_TRIED]):
        if appealed < len(WORDS) and (lockouts := find_grounds(player.pk, now).lockouts):
            appeal_against(player, words=WORDS[appealed], incident=max(lockouts), now=now)
            appealed += 1
    assert appealed == len(WORDS)


def open_lobby(player: Player) -> Lobby:
    """A duel of the player's with somebody near in rating, which both have accepted, on a server."""
    queue, now = Queue.objects.get(mode__slug="duel"), timezone.now()
    ratings = Rating.objects.filter(mode=queue.mode, season__current=True)
    own = ratings.get(player=player).display_hundredths
    other = ratings.filter(display_hundredths__lt=own).order_by("-display_hundredths")[0].player
    register_server(
        Source.objects.get(), region="eu-west", address="eu1.example.org:7777", capacity=1, modes=[queue.mode], now=now
    )
    for each in (player, other):
        queue_player(each, queue, wish=Wish(width=50), now=now)
    assert tick(queue, now=now) is not None
    for each in (player, other):
        lobby = accepting.accept(Lobby.objects.get().pk, each, now=now)
    return lobby
