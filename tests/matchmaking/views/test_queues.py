"""The pages of queues: who sees which form, how a wait reads, what is said when it ends; and the header's way there."""

import json
import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from leaderboards.templatetags.rungs import local_time
from matchmaking.models import Formed, Server, Ticket, TicketMember
from matchmaking.parties import parties
from matchmaking.refusals import Refusal
from matchmaking.server_failures import note_failed_start
from ranking.models import Ban, Incident, Match, Mode, Player
from ranking.moderation.appeals import appeal_against
from ranking.moderation.sanctions import pardon_incidents
from ranking.standings.publishing import publish
from tests.support.caches import forget_waits
from tests.support.factories import NOW, ban_player, make_mode, record
from tests.support.matchmaking import (
    accept_all,
    form,
    later,
    make_lobby,
    make_player,
    make_queue,
    make_server,
    queue_up,
    sweep,
)
from tests.support.page_tree import read_page

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]
HTMX = {"HX-Request": "true"}


def visit(player=None) -> Client:
    """A browser in which the player is logged in."""
    client = Client()
    if player is not None:
        user, made = User.objects.get_or_create(username=player.key)
        if made:
            type(player).objects.filter(pk=player.pk).update(user=user)
        client.force_login(user)
    return client


def page(client: Client, address: str = "/play/duel/", status: int = 200, **headers: str) -> str:
    response = client.get(address, headers=headers)
    assert response.status_code == status
    return " ".join(response.text.split())


def join(client: Client, **said) -> tuple[int, str]:
    response = client.post("/play/duel/join/", said)
    return response.status_code, " ".join(response.text.split())


def notices(text: str) -> list[str]:
    return [notice.text for notice in read_page(text).one("main").all("p.notice")]


def queues_listed(client: Client) -> list[tuple[str, str, str, str]]:
    """Of each queue on the list: where it leads, whether it is ranked, the viewer's rank, and what the foot says."""

    def text(card, selector):
        return " ".join(part.text for part in card.all(selector))

    cards = read_page(page(client, "/play/")).all("article.queue-card")
    return [(card.links[0], text(card, "p.chip"), text(card, "p.queue-own"), text(card, "footer")) for card in cards]


def offered(client: Client) -> list[str]:
    """Where the queue's page leads a viewer who isn't in it: its form's address, or the links in place of the form."""
    live = read_page(page(client)).one("#live")
    return [form.attributes["action"] for form in live.all("form")] + live.links


def test_the_header_leads_to_play_where_there_is_a_queue():
    make_mode("duel")
    assert 'href="/play/"' not in page(Client(), "/")
    make_queue("fun", mode={"ranked": False})
    text = page(Client(), "/")
    assert 'href="/play/"' in text
    assert "/boards/fun/" not in text


def test_one_statement_for_the_header(django_assert_num_queries):
    for count in (1, 3):
        while Mode.objects.count() < count:
            queue = make_queue(f"mode-{Mode.objects.count()}")
        player = make_player()
        client = visit(player)
        queue_up(queue, player)
        with django_assert_num_queries(5):  # session, account, player, unread notices, header
            text = page(client, "/help/")
        bar = read_page(text).one("#live-bar")
        assert (bar.one("b").text, bar.links) == (queue.mode.name, [f"/play/{queue.mode.slug}/"])


def test_a_wait_for_a_server_says_so(clock):
    queue = make_queue()
    player = make_player()
    queue_up(queue, player)
    assert notices(page(visit(player))) == []
    server = make_server(queue.mode)
    forget_waits()
    assert notices(page(visit(player))) == []
    Server.objects.filter(pk=server.pk).update(busy=1)
    forget_waits()
    [notice] = notices(page(visit(player)))
    assert "Every game server" in notice


def test_the_list_of_queues():
    assert queues_listed(Client()) == []
    duel, _ = make_queue(), make_queue("team", size=4, open=False, mode={"placement_matches": 3})
    make_queue("a-fun", mode={"ranked": False})
    for key in ("fox", "owl"):
        record([key], ["loser"])
    publish(duel.mode, now=NOW)
    Formed.objects.create(queue=duel, formed_at=NOW, difference=0, spread=0, longest_wait=65, waits=[])
    queue_up(duel)
    player = Player.objects.get(key="fox")
    queue_up(duel, player)
    forget_waits()
    assert queues_listed(visit(player)) == [
        (
            "/play/duel/",
            "ranked",
            "#1 of 3 Master 25.26",
            "2 waiting Last match found after 1:05 You are in this queue",
        ),
        (
            "/play/team/",
            "ranked closed now",
            "3 placement matches to your first rank",
            "Nobody waits: be the first. closed now",
        ),
        ("/play/a-fun/", "for fun", "", "Nobody waits: be the first. Play"),
    ]


def test_queries_of_the_list(django_assert_num_queries):
    """Session, account, player, header; the ticket, ratings, queues, counts, last waits, matches."""
    player = make_player()
    for count in (1, 3):
        while Mode.objects.count() < count:
            slug = f"mode-{Mode.objects.count()}"
            make_queue(slug)
            record([player.key], ["loser"], mode=slug)
        client = visit(player)
        client.get("/play/")
        forget_waits()
        with django_assert_num_queries(11):
            client.get("/play/")


def test_who_sees_what():
    queue = make_queue()
    assert offered(Client()) == ["/account/login/?next=/play/duel/"]
    stranger = Client()
    stranger.force_login(User.objects.create_user("stranger"))
    assert offered(stranger) == ["/help/#link", "/account/claim/"]
    player = make_player()
    assert offered(visit(player)) == ["/play/duel/join/"]
    banned = make_player()
    given = ban_player(banned, scope=Ban.QUEUE, by=None, reason="Cheating", now=NOW, ends_at=later(60))
    assert offered(visit(banned)) == ["/help/#lockouts", f"/conduct/appeal/ban/{given.pk}/", "/conduct/"]
    text = page(visit(banned))
    assert "You can’t queue now" in text
    assert "Cheating" in text
    other = make_queue("other")
    queue_up(other, player)
    assert offered(visit(player)) == ["/play/other/"]
    type(queue).objects.update(open=False)
    assert offered(visit(make_player())) == ["/play/"]
    assert Client().get("/play/nothing/").status_code == 404


def test_joining_by_the_form():
    make_queue(regions=["eu", "us"])
    player = make_player()
    assert join(visit(player), width="50", strict="strict", regions=["us"])[0] == 302
    ticket = Ticket.objects.get()
    [member] = ticket.members.all()
    assert (member.player, member.width, member.strict, ticket.pings) == (player, 50, True, {"us": 0.0})


def chosen(client: Client, address: str = "/play/duel/") -> tuple[str, str]:
    """The width and the strictness that the form offers first."""
    inputs = read_page(page(client, address)).one("form.join-form").all("input")
    checked = {field.attributes["name"]: field.attributes["value"] for field in inputs if "checked" in field.attributes}
    return checked["width"], checked["strict"]


def test_the_form_remembers_the_last_search_in_this_queue():
    queue, other, player = make_queue(default_width=10), make_queue("other", default_width=10), make_player()
    client = visit(player)
    assert chosen(client) == ("10", "loose")
    join(client, width="50", strict="strict")
    client.post("/play/duel/cancel/")
    assert (chosen(client), chosen(client, "/play/other/")) == (("50", "strict"), ("10", "loose"))
    type(queue).objects.filter(pk=queue.pk).update(default_width=20)  # it offers 50 no longer
    assert chosen(client) == ("20", "strict")
    assert other.default_width == 10


def test_the_form_tells_where_the_viewer_stands_and_who_plays():
    queue, player = make_queue(mode={"placement_matches": 3}), make_player()
    client = visit(player)
    Formed.objects.create(queue=queue, formed_at=NOW, difference=0, spread=0, longest_wait=65, waits=[])

    def beside() -> str:
        forget_waits()
        return read_page(page(client)).one("aside.join-aside").text

    assert "3 placement matches to your first rank" in beside()
    for _ in range(3):
        record([player.key], ["loser"])
    publish(queue.mode, now=NOW)
    queue_up(queue)
    text = beside()
    assert [words in text for words in ("#1 of 2", "1 waiting", "Last match found after 1:05")] == [True] * 3


def test_play_again_leads_to_the_queue_of_the_mode():
    player = make_player()
    queue = make_queue()
    for mode, address in (("duel", "/play/duel/"), ("unqueued", "/play/")):
        if mode != queue.mode.slug:
            make_mode(mode)
        record([player.key], ["loser"], mode=mode)
        match = Match.objects.latest("pk")
        again = read_page(page(visit(player), f"/matches/{match.pk}/")).one("a.match-again")
        assert again.attributes["href"] == address


def test_nonsense_in_the_form_is_refused():
    make_queue(regions=["eu"])
    nonsense = ({"width": "7"}, {"width": "x"}, {"strict": "maybe"}, {"regions": ["mars"]})
    client = visit(make_player())
    answers = [(said, join(client, **said)) for said in nonsense]
    told = [(said, status, len(read_page(text).one("div.fault").all("p"))) for said, (status, text) in answers]
    assert told == [(said, 409, 1) for said in nonsense]
    assert not Ticket.objects.exists()


def test_a_refusal_is_said_on_the_page():
    queue = make_queue()
    player = make_player()
    queue_up(queue, player)
    status, text = join(visit(player))
    assert (status, notices(text)) == (409, [str(Refusal("busy:you-waiting", mode="Duel"))])


def test_the_barred_read_why_until_when_and_how_to_appeal():
    make_queue()
    player = make_player()
    given = ban_player(player, scope="queue", by=None, reason="<Cheating>.", now=NOW, ends_at=later(3600))
    client = visit(player)
    client.cookies["zone"] = "Europe/Berlin"
    for status, text in ((200, page(client)), join(client)):
        assert (status, text.count("You are banned from queues until")) in [(200, 1), (409, 1)]
        assert "until 20 May 2026 at 15:00: &lt;Cheating&gt;." in text
        assert f'href="/conduct/appeal/ban/{given.pk}/"' in text
        assert 'href="/help/#lockouts"' in text
    appeal_against(player, words="No.", now=NOW, ban=given.pk)
    text = page(visit(player))
    assert ("Your appeal is being looked at. You" in text, "/conduct/appeal/" in text) == (True, False)


def test_a_wait_reads(clock):
    queue = make_queue(default_width=10)
    for _ in range(5):
        Formed.objects.create(queue=queue, formed_at=NOW, difference=0, spread=0, longest_wait=40, waits=[[50, 1, 75]])
    queue_up(queue)
    player = make_player()
    queue_up(queue, player)
    clock(5)
    text = page(visit(player))
    for words in ("Close to your rank", "wider in", "1 other<", "of 1 in the queue", "about 1:15",
                  "mostly 1:15 to 1:15", "data-since>0:05</time>", "data-left>0:15</time>", "Leave queue"):  # fmt: skip
        assert words in text, words


@pytest.mark.parametrize("settings", [{"shows_percentile": False}, {"ranked": False}])
def test_percentiles_are_not_told_where_the_mode_does_not_show_them(settings):
    queue = make_queue(mode=settings)
    player = make_player()
    queue_up(queue, player)
    text = page(visit(player))
    assert 'class="window"' not in text
    assert "40" not in text.split('class="waiting-facts"')[1].split("</dl>")[0]


def test_the_form_tells_how_long_it_may_take_and_how_many_are_in_range(clock):
    queue = make_queue(default_width=10)
    for _ in range(5):
        Formed.objects.create(queue=queue, formed_at=NOW, difference=0, spread=0, longest_wait=40, waits=[[50, 1, 40]])
    queue_up(queue)
    text = " ".join(page(visit(make_player())).split())
    facts = [re.findall(r"[\d:]+", fact.text) for fact in read_page(text).one("dl.join-facts").all("dd")]
    assert facts == [["0:40"], ["1", "1"]]  # the estimated wait; players in range, of those in the queue
    labels = [choice.text for choice in read_page(text).all("fieldset.choices")[0].all("label")]
    assert labels == ["Close ±5", "Balanced ±10", "Fast ±50"]


def test_queueing_by_htmx_keeps_the_page():
    queue = make_queue()
    player = make_player()
    client = visit(player)
    part = client.post("/play/duel/join/", {}, headers=HTMX, follow=True).text
    assert ("<html" in part, "Looking for a match" in part) == (False, True)
    refused = client.post("/play/duel/join/", {}, headers=HTMX)
    assert (refused.status_code, refused.headers["HX-Retarget"]) == (409, "#main")
    assert queue.pk == Ticket.objects.get().queue_id


def test_following_by_htmx_answers_only_what_is_new(clock):
    queue = make_queue()
    player = make_player()
    client = visit(player)
    queue_up(queue, player)
    first = client.get("/play/duel/", headers=HTMX).text
    assert "<html" not in first
    [was] = {part.split('"')[0] for part in first.split("?was=")[1:]}
    clock(3)
    assert client.get(f"/play/duel/?was={was}", headers=HTMX).status_code == 204
    queue_up(queue, at=3)
    clock(6)
    assert client.get(f"/play/duel/?was={was}", headers=HTMX).status_code == 200
    [lobby] = form(queue, at=7)
    answer = client.get(f"/play/duel/?was={was}", headers=HTMX)
    assert (answer.status_code, json.loads(answer.headers["HX-Location"])["path"]) == (204, f"/lobbies/{lobby.pk}/")
    assert client.get("/play/duel/").headers["Location"] == f"/lobbies/{lobby.pk}/"


def test_leaving_the_queue_and_being_thrown_out(clock):
    queue = make_queue()
    player = make_player()
    client = visit(player)
    queue_up(queue, player)
    assert client.post("/play/duel/cancel/").headers["Location"] == "/play/duel/"
    assert notices(page(client)) == [Ticket.objects.get().ending]
    clock(300)
    assert notices(page(client)) == []


def test_a_member_follows_the_leader():
    make_queue(size=2)
    fox, owl = make_player("fox"), make_player("owl")
    parties.accept_invitation(parties.invite(owl, by=fox, now=NOW), by=owl, now=NOW)
    text = page(visit(owl))
    assert read_page(text).one("#live").one("h2").text.split()[0] == "fox"
    assert 'hx-trigger="every 2s, tick"' in text
    party = read_page(page(visit(fox))).one("form.join-form").one("p.join-who")
    assert [member.text for member in party.all("b")] == ["fox", "owl"]
    assert join(visit(fox))[0] == 302
    assert Ticket.objects.get().size == 2
    assert read_page(page(visit(owl))).one(".waiting") is not None


def test_the_bar_asks_to_accept_until_the_viewer_has():
    queue = make_queue()
    players = [make_player(), make_player()]
    for player in players:
        queue_up(queue, player)
    [lobby] = form(queue)
    client, accept = visit(players[0]), f'action="/lobbies/{lobby.pk}/accept/"'
    text = page(client, "/calculator/")
    assert ("Duel match found" in text, accept in text, "?was=duel-matched-accept" in text) == (True, True, True)
    assert client.get("/lobbies/now/?was=duel-matched-accept").status_code == 204
    client.post(f"/lobbies/{lobby.pk}/accept/")
    text = page(client, "/lobbies/now/?was=duel-matched-accept")
    assert ("<b>Duel</b> match found." in text, accept in text, "Open lobby" in text) == (True, False, True)


def test_the_lobby_is_its_players_own_and_seen_by_looking():
    queue = make_queue()
    players = [make_player(), make_player()]
    for player in players:
        queue_up(queue, player)
    [lobby] = form(queue)
    address = f"/lobbies/{lobby.pk}/"
    assert Client().get(address).status_code == 302
    assert visit(make_player()).get(address).status_code == 404
    members = TicketMember.objects.filter(ticket__lobby=lobby)
    assert [member.seen_at for member in members] == [None, None]
    text = page(visit(players[0]), address)
    assert [member.player for member in members.all() if member.seen_at is not None] == [players[0]]
    blind = read_page(text).one(".blind")
    assert [blind.one(part).text.split()[0] for part in ("p.blind-count", "p.blind-balance")] == ["0", "Both"]
    for words in ("Match found", "of 2 have", "equally strong", 'id="accept"', 'id="decline"'):
        assert words in text
    late = visit(players[0]).post(f"{address}leave/")
    assert (late.status_code, "decline instead" in late.text) == (409, True)
    visit(players[0]).post(f"{address}accept/")
    act = read_page(page(visit(players[0]), address)).one(".lobby-act")
    assert (act.one("#accept"), re.findall(r"\d+ players?", act.one("p.lobby-words").text)) == (None, ["1 player"])
    visit(players[1]).post(f"{address}accept/")
    compared = [link.attributes["href"] for link in read_page(page(visit(players[0]), address)).all("a.lineup-compare")]
    assert compared == [f"/compare/{players[0].key}/{players[1].key}/?mode=duel"]
    record([players[0].key], [players[1].key], lobby=lobby.pk, now=later(60), ended_at=later(60))
    lobby.refresh_from_db()
    answer = visit(players[0]).get(address, headers=HTMX)
    assert json.loads(answer.headers["HX-Location"])["path"] == f"/matches/{lobby.match_id}/"
    assert "See the result" in page(visit(players[0]), address)


def test_who_declines_reads_that_the_first_time_costs_nothing():
    lobby, [me, _] = make_lobby(make_queue())
    address = f"/lobbies/{lobby.pk}/"
    visit(me).post(f"{address}decline/")
    text = page(visit(me), address)
    assert ("The match fell through" in text, "No lockout this time." in text) == (True, True)


@pytest.mark.parametrize("ranked", [True, False])
def test_who_drops_out_reads_what_it_cost_and_nobody_else_does(ranked):
    lobby, [me, other] = make_lobby(make_queue(mode={"ranked": ranked, "placement_matches": 0}))
    address = f"/lobbies/{accept_all(lobby).pk}/"
    word = "Leave (costs rating and a lockout)" if ranked else "Leave (costs a lockout)"
    assert word in page(visit(me), address)
    visit(me).post(f"{address}leave/")
    own, others = page(visit(me), address), page(visit(other), address)
    incident = Incident.objects.get()
    told = [
        '<h1 tabindex="-1">You dropped out</h1>', "3 points, and no queueing for 10 minutes.",
        f"The lockout ends on {local_time(later(600))}.", f'href="/conduct/appeal/incident/{incident.pk}/"',
    ]  # fmt: skip
    assert [(words in own, words in others) for words in told] == [(True, False)] * 4
    assert "Back to the" not in own  # they are locked out
    assert [("Somebody dropped out" in text, "hero-moves" in text) for text in (own, others)] == [
        (False, ranked), (True, False),
    ]  # fmt: skip
    pardon_incidents([incident.pk], by=None, reason="x", now=NOW)
    pardoned = page(visit(me), address)
    assert ("Pardoned: no points, no lockout." in pardoned, "Back to the" in pardoned) == (True, True)


def test_who_declines_reads_that_they_did():
    lobby, [me, other] = make_lobby(make_queue())
    address = f"/lobbies/{lobby.pk}/"
    visit(me).post(f"{address}decline/")
    said = ("You declined the match.", "Somebody declined.")
    own, others = ([words in page(visit(player), address) for words in said] for player in (me, other))
    assert (own, others) == ([True, False], [False, True])


def test_the_operators_view(clock, django_assert_num_queries):
    admin = User.objects.create_superuser("admin")
    client = Client()
    client.force_login(admin)
    assert read_page(page(client, "/queues/")).one("#live") is None
    for number, slug in enumerate(("duel", "second", "third"), 1):
        queue = make_queue(slug)
        queue_up(queue)
        queue_up(queue)
        form(queue)
        queue_up(queue)
        clock(70 * number)
        if slug != "second":
            with django_assert_num_queries(12):  # session, account, player, header, and the page's eight
                text = page(client, f"/queues/?mode={slug}")
    for words in ("Players waiting, by percentile", "41–50: 1", "Mean of 1", "data-since>3:30<", "1 ticket<"):
        assert words in text, words
    assert visit(make_player()).get("/queues/").status_code == 302


def test_the_operators_view_names_servers_that_begin_no_match(clock):
    client = Client()
    client.force_login(User.objects.create_superuser("admin"))
    queue = make_queue()
    for name, failures in (("eu1", 5), ("eu2", 4)):
        server = make_server(queue.mode, name=name)
        for failure in range(1, failures + 1):  # an hour apart, the last one just now
            note_failed_start(server.pk, later(3_600 * (failure - failures)))
    forget_waits()
    text = page(client, "/queues/?mode=duel")
    [problem, failing] = notices(text)
    assert (failing.split(":")[0], re.findall(r"\d+ matches", failing)) == ("test · eu1", ["5 matches"])
    assert "didn’t begin" in problem
    assert ">0</dd>" in text  # of two places none is free


def test_a_lobby_whose_server_failed_says_so_and_where_to_go_instead():
    queue = make_queue(start_seconds=10)
    for number, name in enumerate(("eu1", "eu2")):
        make_server(queue.mode, name=name, address=f"203.0.113.{number}:7000")
    lobby, [one, _] = make_lobby(queue)
    accept_all(lobby)
    words = "The first game server didn’t begin the match, so it goes to another one."
    before = page(visit(one), f"/lobbies/{lobby.pk}/")
    assert (words in before, "203.0.113.0:7000" in before) == (False, True)
    sweep(later(12))
    after = page(visit(one), f"/lobbies/{lobby.pk}/")
    assert (words in after, "203.0.113.1:7000" in after) == (True, True)
