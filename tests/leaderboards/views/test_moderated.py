"""What is void, waits or is being rated anew says so, on pages and in the API."""

import pytest
from django.urls import reverse

from leaderboards.profiles._activity import load_activity
from leaderboards.profiles.companions import load_companions
from ranking.models import STRANGER, Match, Mode, Player, Rating, Rerating
from ranking.moderation.voids import restore, void
from ranking.rerating.reratings import rerate
from ranking.standings.publishing import publish
from tests.support import api
from tests.support.factories import NOW, make_mode, record

pytestmark = pytest.mark.django_db

RECOMPUTED = "This board is being recomputed; results are recorded and will be counted next."
VOID = "This match is void: it counts for nobody"


@pytest.fixture
def match():
    """A rated match of a mode with a published board."""
    mode = make_mode()
    match = record(["a"], ["b"], id="m1").record.match
    record(["a"], ["b"], id="m2")
    publish(mode, now=NOW)
    return match


def lease(mode):
    rerating = Rerating.objects.create(mode=mode, state=Rerating.RUNNING, reason="test", requested_at=NOW)
    Mode.objects.filter(pk=mode.pk).update(lease=rerating)


@pytest.mark.parametrize("name", ["board", "player", "match"])
def test_pages_of_a_mode_that_is_rated_anew(client, match, name):
    page = reverse(f"leaderboards:{name}", args=[{"board": "duel", "player": "a", "match": match.pk}[name]])
    assert RECOMPUTED not in client.get(page).text
    lease(match.mode)
    assert client.get(page).text.count(RECOMPUTED) == 1


def states(match):
    """In the match, in the list of matches, on the post-game page."""
    [listed] = [each for each in api.get("matches/").body["items"] if each["number"] == match.pk]
    one, game = api.get(f"matches/{match.pk}/").body, api.get(f"matches/{match.pk}/post-game/").body
    return one["state"], listed["state"], game["state"], len(one["changes"])


def test_a_void_match_says_so_until_it_is_restored(client, match):
    page = reverse("leaderboards:match", args=[match.pk])
    assert states(match) == ("rated", "rated", "rated", 2)
    void([match], by=None, reason="Cheated.", now=NOW)
    assert states(match) == ("void", "void", "void", 2)
    rerate(match.mode)
    assert states(match) == ("void", "void", "void", 0)
    told = client.get(page).text
    assert VOID in told
    assert ("Cheated." in told, "Only its players can read the reason." in told) == (False, True)
    restore([match], by=None, reason="Mistaken.", now=NOW)
    rerate(match.mode)
    assert states(match) == ("rated", "rated", "rated", 2)
    assert VOID not in client.get(page).text


def test_a_void_match_sent_again_is_known_and_void(match):
    sent = api.result(id="m3")
    assert api.post_match(sent).status == 201
    void([Match.objects.get(external_id="m3")], by=None, reason="Cheated.", now=NOW)
    again = api.post_match(sent)
    assert (again.status, again.body["state"]) == (200, "void")


def test_a_match_that_waits_says_so(client, match):
    lease(match.mode)
    assert api.post_match(api.result(id="m3")).status == 202
    waiting = Match.objects.get(external_id="m3")
    assert states(waiting) == ("recorded", "recorded", "recorded", 0)
    assert "being rated" in client.get(reverse("leaderboards:match", args=[waiting.pk])).text


def test_whom_somebody_met_before_and_after_a_void(match):
    later = record(["a"], ["b"], id="m3").record.match
    void([later], by=None, reason="Cheated.", now=NOW)
    record(["a"], ["b"], id="m4")
    rerate(match.mode)
    [met] = load_companions(Rating.objects.get(player__key="a"), 2, by_place=False, access=STRANGER).opponents
    assert (met.player.key, met.matches, met.wins) == ("b", 3, 3)


def test_what_was_played_before_a_void_is_still_drawn(match):
    later = record(["a"], ["b"], id="m3").record.match
    void([later], by=None, reason="Cheated.", now=NOW)
    rerate(match.mode)
    mode, player = Mode.objects.get(), Player.objects.get(key="a")
    assert load_activity(player.pk, mode, NOW).map.total == 2
