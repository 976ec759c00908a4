"""Matchmaking in browsers: two players queue, the lobby opens, they accept, play, see the result; and what goes wrong.

The queues' jobs are done here, when the story calls for them; a match is hosted by the example server.
"""

import datetime as dt
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from matchmaking.models import Lobby, Queue, Server, Ticket
from matchmaking.tasks import sweep_lobbies, tick_queues
from ranking.models import Change, Match, Mode, Player
from ranking.standings.publishing import publish
from tests.support.api import make_key
from tests.support.browser import PASSWORD, findings_of, log_in
from tests.support.factories import make_mode, record
from tests.support.patience import waits
from tests.support.programs import Program, example

NAMES = ("fox", "owl")
# What reaches beyond the right edge of a page that scrolls sideways, once its fonts are there.
OUTSIDE = """async () => {
  await document.fonts.ready;
  const root = document.documentElement;
  if (root.scrollWidth <= root.clientWidth) return [];
  const beyond = (element) => element.getBoundingClientRect().right > root.clientWidth;
  const outside = [...document.querySelectorAll("body *")].filter(beyond);
  return outside.map((e) => e.outerHTML.slice(0, 80)).slice(-4);
}"""
SOON = 15_000  # milliseconds
COUNT_RINGS = """window.rung = 0;
HTMLMediaElement.prototype.play = () => { window.rung += 1; return Promise.resolve(); };"""
CAN_PLAY = """new Promise((done) => {
  const chime = new Audio(document.querySelector("[data-sound]").dataset.sound);
  chime.oncanplaythrough = () => done(true);
  chime.onerror = () => done(false);
  chime.load();
})"""


@pytest.fixture
def door(live_server: LiveServer, transactional_db: None) -> str:
    """The address of a site where fox and owl, who have an account each, may queue for `duel`; and for `pairs`."""
    now = timezone.now()
    for slug, size in (("duel", 1), ("pairs", 2)):
        Queue.objects.create(mode=make_mode(slug, team_size_max=size), rematch_after=0, accept_seconds=600,
                             default_width=20, regions=["eu", "us"], variants=["Foundry"])  # fmt: skip
    record(["fox"], ["owl"], now=now, ended_at=now)
    publish(Mode.objects.get(slug="duel"), now=now)
    for name in NAMES:
        Player.objects.filter(key=name).update(user=User.objects.create_user(name, password=PASSWORD))
    return str(live_server.url)


@pytest.fixture
def enter(browser: Browser, door: str) -> Iterator[Callable[..., Page]]:
    """Opens a browser in which somebody is logged in."""
    contexts = []

    def open_for(name: str, **options: Any) -> Page:
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(SOON)
        log_in(page, door, name)
        return page

    yield open_for
    for context in contexts:
        context.close()


@pytest.fixture
def server(door: str, tmp_path) -> Iterator[Program]:
    """The example server, which hosts duels in us."""
    key = make_key("servers", "results")
    command = example("server", door, key, "--mode", "duel", "--region", "us", "--seconds", "1")
    program = Program(tmp_path / "server", *command)
    yield program
    program.end()


def heading(page: Page, words: str) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text(words, timeout=SOON)


def queue(page: Page, door: str, slug: str = "duel") -> None:
    page.goto(f"{door}/play/{slug}/")
    page.get_by_label("Fast").check()
    page.get_by_role("button", name="Find a match").click()
    expect(page.get_by_text("Looking for a match")).to_be_visible()


def wait_for(true: Callable[[], bool], page: Page) -> None:
    for _ in waits(40):
        if true():
            return
        page.wait_for_timeout(1)  # what the browser tells is heard meanwhile
    pytest.fail("It never came.")


def found(pages: list[Page], door: str) -> None:
    """Both queue, and a match is found: their pages lead there by themselves."""
    for page in pages:
        queue(page, door)
    tick_queues()
    for page in pages:
        heading(page, "Match found")


def accept(pages: list[Page]) -> None:
    for page in pages:
        page.get_by_role("button", name="Accept").click()


def test_from_the_queue_to_the_post_game_page(door: str, enter: Any, server: Program) -> None:
    pages = [enter(name) for name in NAMES]
    wait_for(lambda: Server.objects.exists(), pages[0])
    found(pages, door)
    for page, other in zip(pages, reversed(NAMES), strict=True):
        expect(page.get_by_role("region", name="Accepted so far")).to_contain_text("0 of 2 have accepted")
        assert not {other, "Foundry", "chance to win"} & set(page.locator("main").inner_text().split())
    pages[0].get_by_role("button", name="Accept").click()
    expect(pages[0].get_by_text("You have accepted. Waiting for 1 player.")).to_be_visible()
    expect(pages[1].get_by_role("region", name="Accepted so far")).to_contain_text("1 of 2", timeout=SOON)
    pages[1].get_by_role("button", name="Accept").click()
    for page in pages:
        page.wait_for_url(f"{door}/matches/*/")
        expect(page.get_by_role("region", name="Your match")).to_be_visible()
    match = Match.objects.latest("pk")
    assert Lobby.objects.get().match == match
    wait_for(lambda: f"match {match.pk} is recorded" in server.said, pages[0])


def test_one_declines(door: str, enter: Any) -> None:
    fox, owl = (enter(name) for name in NAMES)
    found([fox, owl], door)
    fox.get_by_role("button", name="Decline").click()
    heading(fox, "The match fell through")
    expect(fox.get_by_text("You are back in the queue")).to_have_count(0)
    heading(owl, "The match fell through")
    expect(owl.get_by_text("You are back in the queue, in your old place.")).to_be_visible()
    owl.get_by_role("link", name="To the queue").click()
    expect(owl.get_by_text("Looking for a match")).to_be_visible()
    fox.get_by_role("link", name="Back to the Duel queue").click()
    expect(fox.get_by_text("You declined the match.")).to_be_visible()


def test_the_server_vanishes(door: str, enter: Any, server: Program) -> None:
    pages = [enter(name) for name in NAMES]
    wait_for(lambda: Server.objects.exists(), pages[0])
    found(pages, door)
    server.end()
    accept(pages)
    for page in pages:
        heading(page, "Everybody is in")
        expect(page.get_by_text("127.0.0.1:7777")).to_be_visible()
    Server.objects.update(heard_at=timezone.now() - dt.timedelta(seconds=31))
    sweep_lobbies()
    for page in pages:
        heading(page, "The match fell through")
        expect(page.get_by_text("The game server is gone.")).to_be_visible()
        expect(page.get_by_text("You are back in the queue, in your old place.")).to_be_visible()
    assert Change.objects.filter(kind=Change.FORFEIT).count() == 0


def test_one_drops_out(door: str, enter: Any) -> None:
    fox, owl = (enter(name) for name in NAMES)
    found([fox, owl], door)
    accept([fox, owl])
    for page, rank in ((owl, "#2"), (fox, "#1")):
        heading(page, "Everybody is in")
        stake = page.get_by_role("region", name="What is at stake")
        for end in ("Win", "Draw", "Loss"):
            expect(stake).to_contain_text(end)
        expect(stake).to_contain_text(rank)
        expect(page.get_by_role("region", name="Chances")).to_contain_text("chance to win")
        expect(page.get_by_text("Foundry")).to_be_visible()
    fox.get_by_role("button", name="Leave").click()
    heading(fox, "You dropped out")
    heading(owl, "Somebody dropped out")
    expect(owl.get_by_text("You are back in the queue, in your old place.")).to_be_visible()
    fox.goto(f"{door}/play/duel/")
    expect(fox.get_by_role("heading", name="You can’t queue now")).to_be_visible()
    expect(fox.get_by_text("You dropped out of a lobby")).to_be_visible()
    assert Change.objects.get(kind=Change.FORFEIT).player.key == "fox"


def test_all_of_it_works_without_javascript(door: str, enter: Any) -> None:
    pages = [enter(name, java_script_enabled=False) for name in NAMES]
    for page in pages:
        queue(page, door)
    tick_queues()
    for page in pages:
        page.reload()
        heading(page, "Match found")
    accept(pages)
    heading(pages[1], "Everybody is in")
    pages[0].reload()
    heading(pages[0], "Everybody is in")
    assert Lobby.objects.get().state == "ready"


def test_a_party_forms_and_is_queued_by_its_leader(door: str, enter: Any) -> None:
    fox, owl = (enter(name) for name in NAMES)
    owl.goto(f"{door}/party/")
    fox.goto(f"{door}/party/")
    expect(fox.get_by_text("You are on your own")).to_be_visible()
    fox.get_by_label("Find people by name").fill("ow")
    fox.get_by_role("button", name="Find").click()
    fox.get_by_role("button", name="Invite owl").click()
    owl.get_by_role("button", name="Join fox").click()
    expect(fox.locator(".party-list").first).to_contain_text("2 players", timeout=SOON)
    owl.goto(f"{door}/play/pairs/")
    expect(owl.get_by_role("heading", name="fox leads your party")).to_be_visible()
    queue(fox, door, "pairs")
    expect(owl.get_by_text("Looking for a match")).to_be_visible(timeout=SOON)
    ticket = Ticket.objects.get()
    assert sorted(member.player.key for member in ticket.members.all()) == sorted(NAMES)
    owl.goto(f"{door}/party/")
    owl.get_by_role("button", name="Leave the party").click()
    expect(fox.get_by_text("owl left your party.")).to_be_visible(timeout=SOON)


def test_nothing_shifts_and_the_keyboard_stays_when_somebody_comes(door: str, enter: Any) -> None:
    fox = enter("fox")
    queue(fox, door)
    fox.get_by_role("button", name="Leave queue").focus()
    top = "document.querySelector('#cancel').getBoundingClientRect().top"
    before = fox.evaluate(top)
    fox.evaluate("window.same = true")
    queue(enter("owl"), door)
    expect(fox.get_by_text("1 other", exact=True)).to_be_visible(timeout=SOON)
    assert (fox.evaluate(top), fox.evaluate("window.same")) == (before, True)
    expect(fox.locator(":focus")).to_have_id("cancel")


def test_elsewhere_on_the_site_a_bar_says_that_a_match_was_found(door: str, enter: Any) -> None:
    fox, owl = (enter(name) for name in NAMES)
    queue(fox, door)
    fox.goto(f"{door}/boards/duel/")
    bar = fox.get_by_role("complementary", name="Your match")
    expect(bar).to_contain_text("You are in the queue for Duel.")
    queue(owl, door)
    tick_queues()
    expect(bar).to_contain_text("Duel match found", timeout=SOON)
    assert [*bar.get_by_role("link").all_inner_texts()] == ["Duel match found"]
    bar.get_by_role("button", name="Accept").click()
    heading(fox, "Match found")
    expect(fox.get_by_text("You have accepted. Waiting for 1 player.")).to_be_visible()


def test_a_match_that_is_found_rings_on_the_page_that_was_queued_on(door: str, enter: Any) -> None:
    fox, owl = (enter(name) for name in NAMES)
    fox.add_init_script(COUNT_RINGS)
    fox.goto(f"{door}/play/duel/")
    fox.evaluate("window.same = true")
    fox.get_by_role("button", name="Test sound").click()
    assert fox.evaluate("window.rung") == 1
    fox.get_by_label("Fast").check()
    fox.get_by_role("button", name="Find a match").click()
    expect(fox.get_by_text("Looking for a match")).to_be_visible()
    queue(owl, door)
    tick_queues()
    heading(fox, "Match found")
    assert fox.evaluate("[window.same, window.rung]") == [True, 2]
    expect(fox).to_have_title("● Match found")
    assert fox.url == f"{door}/lobbies/{Lobby.objects.get().pk}/"
    accept([fox])
    expect(fox.get_by_text("You have accepted. Waiting for 1 player.")).to_be_visible()
    fox.wait_for_timeout(1_500)
    assert not fox.title().startswith("●")


def test_the_sound_and_the_worker_are_let_in(door: str, enter: Any) -> None:
    fox = enter("fox")
    queue(fox, door)
    assert fox.evaluate(CAN_PLAY)
    wait_for(lambda: len(fox.workers) == 1, fox)
    fox.get_by_role("button", name="Leave queue").click()
    expect(fox.get_by_role("button", name="Find a match")).to_be_visible()


def stages(door: str, fox: Page, owl: Page, admin: Page) -> Iterator[tuple[Page, str]]:
    """Everything that somebody sees of a queue, a party, a lobby: the page, and what it is."""
    for page, address in (
        (fox, "/play/"), (fox, "/play/duel/"), (fox, "/party/"), (fox, "/party/?q=o"), (admin, "/play/duel/"),
        (admin, "/queues/"),
    ):  # fmt: skip
        page.goto(door + address)
        yield page, address
    queue(fox, door)
    yield fox, "waiting"
    queue(owl, door)
    admin.goto(f"{door}/queues/")
    yield admin, "queues with two"
    tick_queues()
    heading(fox, "Match found")
    yield fox, "match found"
    accept([fox])
    expect(fox.get_by_text("You have accepted. Waiting for 1 player.")).to_be_visible()
    yield fox, "accepted"
    accept([owl])
    heading(fox, "Everybody is in")
    yield fox, "ready"
    fox.get_by_role("button", name="Leave").click()
    heading(fox, "You dropped out")
    yield fox, "dropped out"
    fox.goto(f"{door}/play/duel/")
    yield fox, "barred"
    admin.goto(f"{door}/queues/")
    yield admin, "queues with history"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_how_the_pages_look(door: str, enter: Any, scheme: Any) -> None:
    User.objects.create_superuser("admin", password=PASSWORD)
    people = [enter(name, color_scheme=scheme, reduced_motion="reduce") for name in (*NAMES, "admin")]
    faults: dict[str, Any] = {}
    for page, name in stages(door, *people):
        if found := findings_of(page):
            faults[name] = found
        for width in (320, 360, 768, 1440):
            page.set_viewport_size({"width": width, "height": 800})
            if outside := page.evaluate(OUTSIDE):
                faults[f"{name} at {width}"] = outside
    assert faults == {}
