"""One's own conduct: what counts and for how long, what became of it, and appealing. What a match says of leavers."""

import datetime as dt

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from ranking.models import Appeal, Incident, Mode, Player, Rating
from ranking.moderation.appeals import appeal_against, decide_appeals
from ranking.moderation.notes import warn_players, withdraw_warnings
from ranking.moderation.sanctions import pardon_incidents
from ranking.moderation.voids import void
from ranking.rules.report import PlayerReport
from ranking.seasons.strikes import lift_strikes, strike_ratings
from tests.support.factories import ban_player, make_mode, record
from tests.support.page_tree import read_page
from tests.support.seasons import end

pytestmark = pytest.mark.django_db
PAGE = reverse("leaderboards:conduct")


@pytest.fixture
def me():
    make_mode()
    record(["me", "mate"], ["b", "c"])
    Player.objects.filter(key="me").update(user=User.objects.create_user("me"))
    return Player.objects.get(key="me")


def client(name="me"):
    made = Client()
    made.force_login(User.objects.get(username=name))
    return made


def leave(hours=1.0):
    now = timezone.now()
    left = PlayerReport(id="me", left_early=True)
    match = record(["b", "c"], [left, "mate"], ended_at=now - dt.timedelta(hours=hours), now=now).record.match
    return Incident.objects.get(match=match)


def ban(me, **more):
    return ban_player(me, **{"scope": "queue", "by": None, "reason": "Cheating.", "now": timezone.now(), **more})


def test_nothing_against_them(me):
    page = client().get(PAGE).text
    assert "Nothing: you have stayed in every match." in page
    assert "conduct-area" not in page
    assert "Duel: each leave adds 3 points. Points fade by 10 % a day." in page
    assert "<td>from 1.5</td>" in page
    assert "Missed accepts in a day" in page
    for accepts, span in (("1", "no lockout"), ("2", "3 minutes"), ("3", "10 minutes"), ("4 and more", "30 minutes")):
        assert f"<tr><td>{accepts}</td><td>{span}</td></tr>" in page


def test_what_counts_and_what_became_of_the_rest(me):
    counts, pardoned, voided, turned_down, waits = (leave(hours) for hours in (0.01, 1, 2, 3, 4))
    for one in (turned_down, waits):
        appeal_against(me, words="No.", now=timezone.now(), incident=one.pk)
    pardon_incidents([pardoned.pk], by=None, reason="The server crashed.", now=timezone.now())
    void([voided.match], by=None, reason="x", now=timezone.now())
    decide_appeals([turned_down.appeal.pk], grant=False, by=None, reason="You left.", now=timezone.now())
    page = client().get(PAGE)
    shown = [(one.incident.pk, one.state, one.minutes, one.may_appeal) for one in page.context["page"].incidents]
    assert shown == [
        (counts.pk, "", 120, True),
        (pardoned.pk, "Pardoned", 0, False),
        (voided.pk, "The match is void: x", 0, False),
        (turned_down.pk, "Your appeal was turned down", 30, False),
        (waits.pk, "Your appeal is being looked at", 10, False),
    ]
    for words in ("The server crashed.", "You left.", "data-left", "locked out for 2 hours", "conduct-area"):
        assert words in page.text


def test_appealing_without_a_script(me):
    incident, browser = leave(0.01), client()
    address = reverse("leaderboards:appeal", args=["incident", incident.pk])
    assert f'href="{address}"' in browser.get(PAGE).text
    assert "You appeal against the lockout from" in browser.get(address).text
    refused = browser.post(address, {"words": " "}).text
    assert 'role="alert" id="problem">Say in your words' in refused
    done = browser.post(address, {"words": "My router died."}, follow=True)
    assert done.redirect_chain == [(PAGE, 302)]
    assert "Your appeal is with the moderators." in done.text
    assert address not in done.text
    assert Appeal.objects.values_list("words", "incident").get() == ("My router died.", incident.pk)
    again = browser.post(address, {"words": "Again."}, follow=True).text
    assert "You have appealed against this already" in again


def test_what_keeps_them_from_queues_can_be_appealed_against_where_it_stands(me):
    incident = leave(0.01)
    address = reverse("leaderboards:appeal", args=["incident", incident.pk])
    top = client().get(PAGE).text.split('id="history"')[0]
    assert (f'href="{address}"' in top, "conduct page" in top) == (True, False)
    appeal_against(me, words="No.", now=timezone.now(), incident=incident.pk)
    top = client().get(PAGE).text.split('id="history"')[0]
    assert (address in top, "Your appeal is being looked at. You" in top) == (False, True)
    decide_appeals([incident.appeal.pk], grant=False, by=None, reason="You left.", now=timezone.now())
    top = client().get(PAGE).text.split('id="history"')[0]
    assert (address in top, "Your appeal was turned down." in top) == (False, True)


@pytest.mark.parametrize("days", [3, None])
def test_a_ban_is_told_and_appealed_against(me, days):
    now = timezone.now()
    given = ban(me, ends_at=days and now + dt.timedelta(days=days))
    address = reverse("leaderboards:appeal", args=["ban", given.pk])
    page = client().get(PAGE).text
    assert "From queues: Cheating." in page
    assert ("until a moderator lifts it" in page) == (days is None)
    assert address in page
    assert "“Cheating.”" in client().get(address).text


@pytest.mark.parametrize("kind", ["ban", "incident"])
def test_nobody_appeals_for_another(me, kind):
    Player.objects.filter(key="b").update(user=User.objects.create_user("b"))
    number = ban(me).pk if kind == "ban" else leave().pk
    for method in ("get", "post"):
        answer = getattr(client("b"), method)(
            reverse("leaderboards:appeal", args=[kind, number]), {"words": "x"}, follow=True
        )
        assert "There is nothing to appeal against" in answer.text
    assert not Appeal.objects.exists()


def test_who_was_struck_from_a_season_reads_why(me):
    now = timezone.now()
    archived = end(Mode.objects.get(), at=now)
    rating = Rating.objects.get(player=me, season=archived)
    assert "Struck from seasons" not in client().get(PAGE).text
    strike_ratings([rating.pk], by=None, reason="Boosted.", note="Seen by three.", now=now)
    page = client().get(PAGE).text
    assert '<a href="/players/me/seasons/duel/1/">Season 1 of Duel</a>: Boosted.' in page
    assert "no medal and no reward; your rank stays" in page
    assert "Seen by three." not in page
    lift_strikes([rating.pk], by=None, reason="It was a mix-up.", now=now)
    page = client().get(PAGE).text
    assert ("lifted: It was a mix-up." in page, "no medal" in page) == (True, False)


def test_a_warning_is_read_and_its_withdrawal_too(me):
    now = timezone.now()
    assert "Warnings" not in client().get(PAGE).text
    [warning] = warn_players([me], by=None, reason="Mind your words.", note="Seen by three.", now=now)
    page = client().get(PAGE).text
    assert '<b translate="no">Mind your words.</b>' in page
    assert "a warning alone: you can play as before" in page
    assert "Seen by three." not in page
    withdraw_warnings([warning.pk], by=None, reason="It was a mix-up.", now=now)
    page = client().get(PAGE).text
    assert ("withdrawn: It was a mix-up." in page, "a warning alone" in page) == (True, False)


def test_an_account_without_a_player(me):
    User.objects.create_user("nobody")
    page = client("nobody").get(PAGE).text
    assert ("No player yet" in page, f'href="{reverse("leaderboards:claim")}"' in page) == (True, True)
    assert client("nobody").get(reverse("leaderboards:appeal", args=["ban", 1])).status_code == 404


@pytest.mark.parametrize("incidents", [1, 3])
def test_as_many_queries_for_many(me, django_assert_num_queries, incidents):
    for _ in range(incidents):
        leave()
        ban(me)
    browser = client()
    with django_assert_num_queries(18):
        browser.get(PAGE)


@pytest.mark.parametrize(("user", "seen"), [("me", True), ("boss", True), ("b", False)])
def test_a_match_says_what_a_leave_cost_whom(me, user, seen):
    User.objects.create_superuser("boss")
    User.objects.create_user("b")
    match = leave().match
    page = client(user).get(reverse("leaderboards:match", args=[match.pk])).text
    seats = read_page(page).all("tbody.seat")
    assert [seat.links[0] for seat in seats if seat.one(".chip-left")] == ["/players/me/?mode=duel"]
    assert len(seats) == 4
    assert ("3 points, and no queueing for 10 minutes." in page) == seen


def test_who_left_reads_what_it_cost_and_can_appeal_there(me):
    incident = leave(0.01)
    address = reverse("leaderboards:match", args=[incident.match_id])
    appeal = f'href="{reverse("leaderboards:appeal", args=["incident", incident.pk])}"'
    text = client().get(address).text
    assert (text.count("3 points, and no queueing"), "The lockout ends on <time" in text, appeal in text) == (
        1,
        True,
        True,
    )
    appeal_against(me, words="No.", now=timezone.now(), incident=incident.pk)
    text = client().get(address).text
    assert (appeal in text, "Your appeal is being looked at. You" in text) == (False, True)


def test_leaving_at_the_lowest_rating_is_said_to_cost_none():
    make_mode(system="team-ratio", placement_matches=0)
    record(["b"], ["me"])
    Player.objects.filter(key="me").update(user=User.objects.create_user("me"))
    match = leave(0.01).match
    text = client().get(reverse("leaderboards:match", args=[match.pk])).text
    assert (
        "It cost no rating, because the rating can’t fall any lower.</span> <span>The match counts as not won." in text
    )
    assert "hero-number" not in text
    assert "3 points, and no queueing for 10 minutes." in text


def test_a_pardon_is_told_on_the_match(me):
    incident = leave()
    pardon_incidents([incident.pk], by=None, reason="x", now=timezone.now())
    address = reverse("leaderboards:match", args=[incident.match_id])
    assert "Pardoned: no points, no lockout." in client().get(address).text


@pytest.mark.parametrize(("user", "more"), [("b", 0), ("me", 2)])
def test_two_queries_more_for_who_left(me, django_assert_num_queries, user, more):
    User.objects.create_user("b")
    address = reverse("leaderboards:match", args=[leave().match_id])
    browser = client(user)
    with django_assert_num_queries((10 if user == "b" else 12) + more):
        browser.get(address)


def test_modes_with_the_same_prices_are_told_together(me):
    make_mode("ladder")
    make_mode("strict", conduct={"points": 6})
    Mode.objects.filter(slug="ladder").update(name="Ladder")
    costs = client().get(PAGE).context["page"].costs
    assert [(cost.modes, cost.settings.points) for cost in costs] == [("Duel, Ladder", 3), ("Strict", 6)]


def test_older_records_are_a_page_further(me):
    now, mode = timezone.now() - dt.timedelta(days=90), Mode.objects.get()
    Incident.objects.bulk_create(
        Incident(
            player=me, kind="missed", occasion=f"lobby {n}", happened_at=now - dt.timedelta(hours=n // 2), mode=mode
        )
        for n in range(60)
    )

    def numbers(query=""):
        page = client().get(PAGE + query).context["page"]
        return [record.incident.pk for record in page.incidents], page.older

    first, older = numbers()
    rest, none = numbers(f"?before={older}")
    assert (len(first), len(rest), older, none) == (50, 10, first[-1], 0)
    newest_first = Incident.objects.order_by("-happened_at", "-pk").values_list("pk", flat=True)
    assert [*first, *rest] == list(newest_first)
    assert "Nothing older." in client().get(f"{PAGE}?before={rest[-1]}").text
    for nonsense in ("x", "-1", "9" * 19, "²", "123456789"):
        assert numbers(f"?before={nonsense}") == (first, older)
