"""The page of a forfeit: what dropping out of a lobby cost, with ranks before and after, and why."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboards.postgame.forfeit import ForfeitPage
from ranking.matches.forfeits import record_forfeit
from ranking.models import Change, Forfeit, Incident, Mode, Player
from ranking.moderation.sanctions import pardon_incidents
from ranking.moderation.voids import void
from ranking.rerating.reratings import rerate
from ranking.rules.report import PlayerReport
from ranking.standings.publishing import publish
from tests.support.factories import NOW, make_mode, record

pytestmark = pytest.mark.django_db


def drop_out(mode: Mode, lobby: str = "L", **changes: Any) -> Forfeit:
    """`me` drops out of a lobby against b."""
    me, b = (Player.objects.get(key=key) for key in ("me", "b"))
    forfeit = record_forfeit(mode, lobby=lobby, teams=[[me], [b]], player=me, reason="Left the lobby.", now=NOW)
    if changes:
        Player.objects.filter(pk=me.pk).update(**changes)
    return forfeit


def played(matches: int = 3, **settings: Any) -> Mode:
    mode = make_mode(**settings)
    for _ in range(matches):
        record(["me"], ["b"])
    publish(mode, now=NOW)
    return mode


def page_of(client: Client, forfeit: Forfeit) -> ForfeitPage:
    page: ForfeitPage = client.get(f"/forfeits/{forfeit.pk}/").context["page"]
    return page


def test_rating_rank_and_share_before_and_after_and_why(client: Client) -> None:
    forfeit = drop_out(played())
    page = page_of(client, forfeit)
    assert page.rating is not None
    assert page.rank is not None
    assert page.top is not None
    assert page.why is not None
    moves = [(move.before, move.after) for move in (page.rating, page.rank, page.top)]
    assert moves == [("25.72", "25.41"), ("1", "1"), ("Top 50 %", "Top 50 %")]
    assert page.why.equation == "0.517 × (0 − 0.5969) = −0.3086"
    body = client.get(f"/forfeits/{forfeit.pk}/").content.decode()
    assert "is rated like leaving it at once" in body


def test_the_history_and_ones_own_conduct_lead_there(client: Client, log_in: Callable[[str], Player]) -> None:
    forfeit = drop_out(played())
    link = f'href="/forfeits/{forfeit.pk}/"'
    assert link in client.get("/players/me/").content.decode()
    log_in("me")
    assert link in client.get("/conduct/").content.decode()
    assert "You dropped out" in client.get(f"/forfeits/{forfeit.pk}/").content.decode()


@pytest.mark.parametrize(
    ("settings", "nowhere"),
    [
        ({"shows_rating": False}, ["25.", "Rating", "Stake", "Why"]),
        ({"shows_percentile": False}, ["Top share", "Top "]),
    ],
)
def test_what_the_mode_does_not_show_is_nowhere(client: Client, settings: dict[str, bool], nowhere: list[str]) -> None:
    forfeit = drop_out(played(**settings))
    body = client.get(f"/forfeits/{forfeit.pk}/").content.decode().split("<main")[1]
    assert [word for word in nowhere if word in body] == []
    assert "Rank" in body


def test_who_is_not_placed_keeps_their_rating(client: Client, log_in: Callable[[str], Player]) -> None:
    forfeit = drop_out(played(placement_matches=9))
    page = page_of(client, forfeit)
    assert (page.rating, page.rank, page.why) == (None, None, None)
    assert (
        "The rating of me isn’t shown, and neither is what the forfeit cost."
        in client.get(f"/forfeits/{forfeit.pk}/").text
    )
    log_in("me")
    assert page_of(client, forfeit).why is not None


def test_what_it_cost_besides_rating_is_the_players_own_and_moderators_business(
    client: Client, log_in: Callable[[str], Player], admin_client: Client
) -> None:
    forfeit = drop_out(played())
    address = f"/forfeits/{forfeit.pk}/"
    appeal = f'href="/conduct/appeal/incident/{Incident.objects.get().pk}/"'
    price, others = "3 points, and no queueing for 10 minutes.", "kept their waiting time"
    stranger, moderator = (browser.get(address).text for browser in (client, admin_client))
    log_in("b")
    opponent = client.get(address).text
    log_in("me")
    own = client.get(address).text
    assert [price in text for text in (stranger, opponent, moderator, own)] == [False, False, True, True]
    assert [appeal in text for text in (stranger, opponent, moderator, own)] == [False, False, False, True]
    assert [others in text for text in (stranger, opponent, moderator, own)] == [True] * 4
    assert ["<h1>You dropped out</h1>" in text for text in (moderator, own)] == [False, True]
    pardon_incidents([Incident.objects.get().pk], by=None, reason="x", now=NOW)
    pardoned = client.get(address).text
    assert ("Pardoned: no points, no lockout." in pardoned, appeal in pardoned) == (True, False)


def test_a_moderator_who_dropped_out_reads_their_own_page(admin_client: Client, admin_user: User) -> None:
    forfeit = drop_out(played(), user=admin_user)
    text = admin_client.get(f"/forfeits/{forfeit.pk}/").text
    appeal = f'href="/conduct/appeal/incident/{Incident.objects.get().pk}/"'
    assert ("<h1>You dropped out</h1>" in text, appeal in text) == (True, True)


def test_at_the_lowest_rating_it_says_that_it_cost_none(client: Client, log_in: Callable[[str], Player]) -> None:
    mode = make_mode(system="team-ratio", placement_matches=0)
    for _ in range(3):
        record(["b"], ["me"])
    forfeit = drop_out(mode)
    log_in("me")
    text = client.get(f"/forfeits/{forfeit.pk}/").text
    assert "It cost no rating, because the rating can’t fall any lower." in text
    assert "hero-number" not in text


def test_a_walkover_is_no_lobby(client: Client) -> None:
    played()
    gone = PlayerReport("me", seconds=0.0, left_early=True)
    match = record(["b"], [gone], duration=600.0).record.match
    text = client.get(f"/forfeits/{Forfeit.objects.get().pk}/").text
    assert f'<a href="/matches/{match.pk}/">' in text
    assert ("never came" in text, "to the queue" in text) == (True, False)


def test_who_may_look(client: Client, log_in: Callable[[str], Player]) -> None:
    mode = played()
    forfeit = drop_out(mode, hides_matches=True)
    address = f"/forfeits/{forfeit.pk}/"
    assert client.get(address).status_code == 403
    log_in("me")
    assert client.get(address).status_code == 200
    Mode.objects.update(ranked=False)
    assert [client.get(address).status_code, client.get("/forfeits/0/").status_code] == [404, 404]


def test_void_and_not_rated_yet(client: Client) -> None:
    mode = played()
    forfeit = drop_out(mode)
    void([forfeit], by=None, reason="A crash.", now=NOW)
    assert "is void" in client.get(f"/forfeits/{forfeit.pk}/").content.decode()
    rerate(mode)
    assert (page_of(client, forfeit).void, page_of(client, forfeit).rating) == (True, None)
    other = drop_out(Mode.objects.get(), "M")
    Change.objects.filter(event=other.event_id).delete()
    Forfeit.objects.filter(pk=other.pk).update(event=None, season=None)
    assert "being rated" in client.get(f"/forfeits/{other.pk}/").content.decode()


@pytest.mark.parametrize("system", ["elo", "team-ratio"])
def test_queries(client: Client, django_assert_num_queries: DjangoAssertNumQueries, system: str) -> None:
    forfeit = drop_out(played(system=system))
    with django_assert_num_queries(7):
        client.get(f"/forfeits/{forfeit.pk}/")
