"""Pages kept for visitors without a session: they are those that would be made, and never older than what they show."""

import datetime as dt
import gzip
import re
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from config.serving import kept_pages as module
from config.serving.kept_pages import SHARED, KeptPages, forget_pages
from ranking.database.shown_changes import Versions, _triggers
from ranking.models import Match, Mode, Player
from ranking.moderation.merges import merge_players
from ranking.moderation.voids import void
from ranking.players.administration import anonymise_players
from ranking.rules.report import PlayerReport
from ranking.standings.publishing import publish
from tests.support.api import make_key
from tests.support.concurrency import at_once
from tests.support.factories import LATER, NOW, ban_player, hide_player, make_staff, record
from tests.support.matchmaking import make_queue

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("kept_pages")]

PAGES = (
    "/", "/seasons/", "/boards/duel/", "/boards/duel/?rank=1", "/boards/duel/?region=eu", "/boards/duel/?season=1",
    "/boards/duel/distribution/", "/boards/duel/tiers/", "/boards/duel/seasons/", "/players/ann/",
    "/players/ann/?mode=duel", "/players/ann/matches/", "/players/ann/matches/?result=win", "/players/ann/career/",
    "/players/ann/achievements/", "/players/ann/seasons/duel/1/", "/compare/ann/bob/", "/matches/{match}/",
)  # fmt: skip
API = (
    "/api/v1/modes/", "/api/v1/modes/duel/seasons/", "/api/v1/boards/duel/", "/api/v1/boards/duel/?limit=1",
    "/api/v1/boards/duel/players/?id=ann", "/api/v1/boards/duel/distribution/", "/api/v1/players/ann/",
    "/api/v1/players/ann/history/?mode=duel", "/api/v1/players/ann/seasons/?mode=duel",
    "/api/v1/matches/{match}/", "/api/v1/matches/{match}/post-game/",
)  # fmt: skip
LAST = LATER + dt.timedelta(hours=1)
_TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="[^"]+"')


@pytest.fixture
def duel() -> Mode:
    """A mode with a queue and a published board, ann before bob; ann has a login."""
    mode = make_queue(size=2).mode
    for minute in range(3):
        record(["ann"], ["bob"], region="eu", ended_at=NOW + dt.timedelta(minutes=minute))
    record(["cid"], ["dot"])
    publish(mode, now=LATER)
    Player.objects.filter(key="ann").update(user=User.objects.create_user("ann"))
    return mode


def addresses_of(*templates: str) -> list[str]:
    return [address.format(match=Match.objects.earliest("pk").pk) for address in templates]


def visitors() -> dict[str, Callable[[str], Any]]:
    """How each kind of visitor asks for an address."""

    def browser(cookies: dict[str, str] | None = None, account: str = "", **headers: str) -> Callable[[str], Any]:
        client = Client(headers=headers)
        client.cookies.load(cookies or {})
        if account:
            client.force_login(User.objects.get(username=account))
        return client.get

    make_staff("moderator")
    return {
        "stranger": browser(),
        "German browser": browser(accept_language="de"),
        "cookie of a language": browser({"language": "de"}),
        "cookie of a theme": browser({"theme": "dark"}),
        "both cookies": browser({"language": "de", "theme": "light"}),
        "HTMX": browser(hx_request="true"),
        "restoring HTMX": browser(hx_request="true", hx_history_restore_request="true"),
        "player": browser(account="ann"),
        "moderator": browser(account="moderator"),
        "key": browser(authorization=f"Bearer {make_key('read', 'ratings:hidden')}"),
    }


def text_of(response: Any) -> str:
    return _TOKEN.sub("", response.text)


def hits() -> float:
    return float(module._HIT._value.get())


def test_a_kept_page_is_the_one_that_would_be_made_for_the_visitor(duel: Mode) -> None:
    Player.objects.filter(key="bob").update(hides_matches=True)
    asking = visitors()
    different, unkept = [], []
    for address in addresses_of(*PAGES, *API):
        made = {}
        for who, ask in asking.items():
            forget_pages()
            made[who] = text_of(ask(address))
        for ask in asking.values():
            ask(address)
        for who, ask in asking.items():
            ask(address)  # home is kept for some seconds only
            before = hits()
            response = ask(address)
            if (response.status_code, text_of(response)) != (200, made[who]):
                different.append((who, address))
            if (hits() > before) is (who in ("player", "moderator", "key")):
                unkept.append((who, address))
    assert (different, unkept) == ([], [])


# Tables that pages read for visitors without a session, and whose changes aren't counted, with the reason.
UNCOUNTED = {
    "ranking_shown_change": "the counts themselves",
    "matchmaking_ticket": "who waits: home is kept for some seconds",
    "matchmaking_ticketmember": "who plays: home is kept for some seconds",
    "matchmaking_lobby": "who plays: home is kept for some seconds",
    "ranking_key": "keys: their answers aren't kept",
}


def test_changes_of_all_that_pages_read_are_counted(client: Client, duel: Mode) -> None:
    """Triggers count writes to each table that a page reads; see `ready` of the apps."""
    read: set[str] = set()

    def note(execute: Any, sql: str, params: Any, many: Any, context: Any) -> Any:
        if sql.lstrip().startswith("SELECT"):
            read.update(re.findall(r'(?:FROM|JOIN)\s+"?([a-z]+_[a-z_]+)\b(?!\()', sql))  # json_each(…) is no table
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        for address in addresses_of(*PAGES, *API):
            assert client.get(address).status_code == 200
    counted = {name.removeprefix("shown_change_").rpartition("_")[0] for name in _triggers(connection)}
    assert read - counted - {*UNCOUNTED} == set()
    assert {"ranking_player", "ranking_rating", "leaderboards_achievement"} <= read


def acts() -> dict[str, Callable[[], object]]:
    """What happens, all to bob, by name."""

    def player(key: str = "bob") -> Player:
        return Player.objects.get(key=key)

    why: dict[str, Any] = {"by": None, "reason": "Why not.", "now": NOW}
    return {
        "a name": lambda: record([PlayerReport("bob", name="Robert")], ["cid"], ended_at=LAST, now=LAST),
        "hidden matches": lambda: Player.objects.filter(key="bob").update(hides_matches=True),
        "a hidden player": lambda: (hide_player(player(), now=NOW), publish(Mode.objects.get(), now=LATER)),
        "a ban": lambda: (ban_player(player(), scope="both", **why), publish(Mode.objects.get(), now=LATER)),
        "a void": lambda: void([Match.objects.earliest("pk")], **why),
        "a merge": lambda: merge_players(player("cid"), player(), **why),
        "an erasure": lambda: anonymise_players([player().pk], **why),
        "a result": lambda: record(["bob"], ["ann"], ended_at=LATER, now=LATER),
        "a publication": lambda: (record(["bob"], ["dot"], ended_at=LATER), publish(Mode.objects.get(), now=LATER)),
        "a mode's name": lambda: Mode.objects.update(name="Duels"),
    }


@pytest.mark.parametrize("act", acts())
def test_the_next_request_sees(client: Client, duel: Mode, act: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever pages show, they show it as it is now: as a site without kept pages would. Boards wait with a result."""
    if act == "a result":
        monkeypatch.setattr(module, "SHARED", 0)
    addresses = ["/", "/boards/duel/", "/players/bob/", "/matches/{match}/", "/api/v1/boards/duel/",
                 "/api/v1/players/bob/", "/players/ann/", "/compare/ann/bob/"]  # fmt: skip
    addresses = addresses_of(*addresses)
    before = [client.get(address).content for address in addresses]
    acts()[act]()
    kept = [client.get(address).content for address in addresses]
    forget_pages()
    made = [client.get(address).content for address in addresses]
    assert kept == made
    assert kept != before


def test_a_result_ends_a_board_after_some_seconds(client: Client, duel: Mode) -> None:
    """Each of many results would have each board made anew, though boards show what was published."""
    addresses = ["/boards/duel/", "/boards/duel/distribution/", "/boards/duel/tiers/", "/api/v1/boards/duel/"]
    begun = time.time()
    kept = [client.get(address).content for address in addresses]
    with time_machine.travel(begun + SHARED - 1, tick=False):
        record(["bob"], ["ann"], ended_at=LATER, now=LATER)
        before = hits()
        assert [client.get(address).content for address in addresses] == kept
        assert hits() == before + len(addresses)
    with time_machine.travel(time.time() + SHARED):
        assert [client.get(address).content for address in addresses] != kept
        assert hits() == before + len(addresses)


def test_two_hundred_who_ask_at_once_have_a_page_made_once(duel: Mode) -> None:
    """Right after a publication, for example. PostgreSQL takes no more than a hundred connections at once."""
    makers, lock = [], threading.Lock()

    def slow(request: HttpRequest) -> HttpResponse:
        with lock:
            makers.append(threading.current_thread().name)
        threading.Event().wait(0.2)
        return HttpResponse("board")

    site = KeptPages(slow)
    jobs = [lambda: site(RequestFactory().get("/boards/duel/")).content] * 200
    workers = 200 if connection.vendor == "sqlite" else 60
    assert set(at_once(jobs, workers)) == {b"board"}
    assert len(makers) == 1


def test_a_process_takes_the_newer_page_of_another_one(client: Client, duel: Mode) -> None:
    """What it has in its own memory is as good as what all share, or isn't used."""
    old = client.get("/players/bob/").content
    mine = dict(module._near)
    Player.objects.filter(key="bob").update(name="Robert")
    new = client.get("/players/bob/").content
    assert new != old
    module._near.clear()
    module._near.update(mine)
    before = hits()
    assert client.get("/players/bob/").content == new
    assert hits() == before + 1


def test_a_page_isnt_kept_longer_than_it_may_be(client: Client, duel: Mode) -> None:
    client.get("/boards/duel/")
    before = hits()
    for age, kept in ((59, 1), (61, 1)):
        with time_machine.travel(time.time() + age):
            client.get("/boards/duel/")
        assert hits() == before + kept


def test_a_process_has_so_many_pages_in_its_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_NEAR", 2)
    page = module.Page(Versions(1, 1), 0.0)
    for key in ("a", "b", "a", "c"):
        module.keep_near(key, page)
    assert list(module._near) == ["a", "c"]


def test_the_counts_are_read_though_the_connection_broke(client: Client, duel: Mode) -> None:
    """They stand in for Django's look whether a connection that is kept still works."""
    kept = client.get("/players/bob/").content
    if connection.vendor == "postgresql":
        backend = connection.connection.info.backend_pid
        other = connection.copy()
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [backend])
        other.close()
    before = hits()
    assert client.get("/players/bob/").content == kept
    assert hits() == before + 1
    Player.objects.filter(key="bob").update(name="Robert")
    assert "Robert" in client.get("/players/bob/").text


def test_a_page_that_nobody_may_keep_is_made_for_each(duel: Mode) -> None:
    made = []

    def personal(request: HttpRequest) -> HttpResponse:
        made.append(request)
        response = HttpResponse("page")
        response.set_cookie("csrftoken", "secret")
        return response

    site = KeptPages(personal)
    for _ in range(3):
        response = site(RequestFactory().get("/boards/duel/"))
        assert not response.has_header("ETag")
    assert len(made) == 3


@pytest.mark.parametrize("kind", ["refused", "missing"])
def test_what_isnt_there_isnt_kept(client: Client, duel: Mode, kind: str) -> None:
    address = {"refused": "/api/v1/boards/duel/?limit=x", "missing": "/players/nobody/"}[kind]
    status = {"refused": 400, "missing": 404}[kind]
    assert [client.get(address).status_code for _ in range(3)] == [status] * 3


def test_what_commits_late_is_seen(client: Client, duel: Mode) -> None:
    """A page made while a change wasn't committed yet isn't kept beyond the commit, whatever commits in between."""
    written, may_commit = threading.Event(), threading.Event()

    def rename() -> None:
        try:
            with transaction.atomic():
                Player.objects.filter(key="bob").update(name="Robert")
                written.set()
                may_commit.wait(20)
        finally:
            connection.close()

    thread = threading.Thread(target=rename)
    thread.start()
    written.wait(20)
    assert "Robert" not in client.get("/players/bob/").text
    if connection.vendor == "postgresql":  # SQLite has one writer at a time
        Player.objects.filter(key="dot").update(name="Dorothy")
        assert "Robert" not in client.get("/players/bob/").text
    may_commit.set()
    thread.join()
    assert "Robert" in client.get("/players/bob/").text


def test_what_commits_while_a_page_is_made_is_seen(duel: Mode) -> None:
    """The page was read before the change and kept after it."""
    names = []

    def page(request: HttpRequest) -> HttpResponse:
        name = Player.objects.get(key="bob").name
        names.append(name)
        if len(names) == 1:
            Player.objects.filter(key="bob").update(name="Robert")
        return HttpResponse(name)

    site = KeptPages(page)
    answers = [site(RequestFactory().get("/players/bob/")).content for _ in range(3)]
    assert answers == [b"bob", b"Robert", b"Robert"]
    assert names == ["bob", "Robert"]


def test_headers_let_a_shared_cache_keep_it_for_ten_seconds(client: Client, duel: Mode) -> None:
    for life, address in ((10, "/boards/duel/"), (10, "/api/v1/boards/duel/"), (5, "/")):
        for response in (client.get(address), client.get(address)):
            assert response["Cache-Control"] == f"public, max-age=0, s-maxage={life}"
            vary = set(response["Vary"].split(", "))
            assert "Cookie" not in vary
            assert ("Accept-Language" in vary) is not address.startswith("/api/")
            assert not response.cookies
            assert "script-src 'self'" in response["Content-Security-Policy"]
            assert response["X-Frame-Options"] == "DENY"
            again = client.get(address, headers={"If-None-Match": response["ETag"]})
            assert (again.status_code, again.content) == (304, b"")
            assert again["Cache-Control"] == response["Cache-Control"]
    for cookie in ("language=de", "theme=dark"):
        response = client.get("/boards/duel/", headers={"cookie": cookie})
        assert response["Cache-Control"] == "private, no-cache"
        assert "Cookie" in response["Vary"]
    response = client.get("/boards/duel/", headers={"hx-request": "true"})
    assert response["Cache-Control"] == "private, no-cache"


def test_limits_and_metrics_count_kept_pages(client: Client, duel: Mode, settings: Any) -> None:
    settings.LIMITS = {**settings.LIMITS, "address": 3}
    statuses = [client.get("/boards/duel/").status_code for _ in range(4)]
    assert statuses == [200, 200, 200, 429]


def test_marks_of_advertising_lead_to_the_same_page(client: Client, duel: Mode) -> None:
    plain = client.get("/boards/duel/?region=eu&rank=1")
    before = hits()
    marked = client.get("/boards/duel/?utm_source=x&rank=1&fbclid=abc&region=eu")
    assert marked.content == plain.content
    assert hits() == before + 1


def test_a_language_that_is_asked_for_is_kept_in_the_cookie(client: Client, duel: Mode) -> None:
    for _ in range(2):
        response = Client().get("/boards/duel/?lang=de")
        assert response.cookies["language"].value == "de"


def test_compressed_for_those_who_take_it(client: Client, duel: Mode) -> None:
    plain = client.get("/boards/duel/")
    zipped = client.get("/boards/duel/", headers={"accept-encoding": "gzip"})
    assert zipped["Content-Encoding"] == "gzip"
    assert gzip.decompress(zipped.content) == plain.content
    assert zipped["ETag"] == plain["ETag"]


def test_it_can_be_turned_off(client: Client, duel: Mode, settings: Any) -> None:
    settings.KEPT_PAGES = False
    response = client.get("/boards/duel/")
    assert not response.has_header("ETag")
    assert "Cookie" in response["Vary"]
