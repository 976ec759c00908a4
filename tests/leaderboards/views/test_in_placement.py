"""Until players are placed, only they, moderators, and the key that reported a match see their ratings."""

import json

import pytest
from django.contrib.auth.models import User
from django.test import Client

from leaderboards.models import Delivery, Webhook
from leaderboards.webhooks._messages import write_message
from leaderboards.webhooks.events import MATCH_RATED
from leaderboards.webhooks.match_messages import load_matches
from ranking.models import Match, Player
from ranking.moderation.voids import void
from ranking.standings.publishing import publish
from tests.support.api import get, make_key, make_token
from tests.support.factories import NOW, make_mode, record

pytestmark = pytest.mark.django_db

NOTHING = {"before": None, "after": None}


@pytest.fixture
def match() -> Match:
    """Old, who is placed, beat new, who isn't."""
    mode = make_mode(placement_matches=2)
    record(["old"], ["other"])
    record(["old"], ["other"])
    record(["old"], ["new"])
    publish(mode, now=NOW)
    return Match.objects.latest("pk")


def ratings_of(match: Match, key: str) -> dict[str, bool]:
    """Whose change the API tells, by player; the same at both addresses."""
    changes = get(f"matches/{match.pk}/", key=key).body["changes"]
    teams = get(f"matches/{match.pk}/post-game/", key=key).body["teams"]
    seats = {seat["player"]["id"]: seat for team in teams for seat in team["players"]}
    told = {change["player"]: change["rating"] != NOTHING for change in changes}
    assert told == {player: seat["rating"] != NOTHING for player, seat in seats.items()}
    # The reasons of the others would tell the rating, too, and so would the order of the ratings before the match.
    whole = all(told.values())
    for seat in seats.values():
        assert (bool(seat["reasons"]), bool(seat["equation"]), seat["finish"] is not None) == (whole,) * 3
    assert all(team["win_probability"] in (None, round(team["win_probability"], 2)) for team in teams) or whole
    return told


def test_the_api_tells_the_reporting_key_and_keys_that_see_everything(match: Match) -> None:
    keys = {
        "nobody": "",
        "another": make_key(source="another"),
        "reporting": make_key(),
        "everything": make_key("ratings:hidden", source="another"),
        "the player": make_token(Player.objects.get(key="new")),
        "another player": make_token(Player.objects.get(key="old")),
    }
    assert {name: ratings_of(match, key) for name, key in keys.items()} == {
        "nobody": {"old": True, "new": False},
        "another": {"old": True, "new": False},
        "reporting": {"old": True, "new": True},
        "everything": {"old": True, "new": True},
        "the player": {"old": True, "new": True},
        "another player": {"old": True, "new": False},
    }


def test_each_lack_has_its_own_words(client: Client, match: Match) -> None:
    text = " ".join(client.get(f"/matches/{match.pk}/").text.split())
    assert 'colspan="2"><a class="hint" href="/help/#placement">in placement</a></td>' in text
    assert ">Rank</th>" not in text  # nobody was listed yet
    assert "Against the field" not in text  # the ranking would tell the rating
    assert ">–<" not in text.replace('<span class="score-dash" aria-hidden="true">–</span>', "")
    compared = client.get("/compare/old/new/").text
    assert (compared.count("<td>not on the board</td>"), ">–<" in compared) == (3, False)


def test_pages_tell_the_player_and_moderators(client: Client, django_user_model: type[User], match: Match) -> None:
    new, boss = Player.objects.get(key="new"), django_user_model.objects.create_superuser("boss")
    new.user = django_user_model.objects.create_user("new")
    new.save(update_fields=["user"])

    def seen_by(user: User | None) -> tuple[bool, bool, bool]:
        if user is not None:
            client.force_login(user)
        page = client.get(f"/matches/{match.pk}/")
        [seat] = [seat for seat in page.context["game"].seats if seat.player == new]
        lines = client.get("/players/new/").context["profile"].past.recent.lines
        return seat.rating is not None, seat.why is not None, lines[0].change is not None

    assert [seen_by(user) for user in (None, new.user, boss)] == [(False,) * 3, (True,) * 3, (True,) * 3]
    client.logout()
    assert "in placement" in client.get(f"/matches/{match.pk}/").text


def test_once_placed_everybody_sees_them(client: Client, match: Match) -> None:
    record(["new"], ["old"])
    assert ratings_of(match, "") == {"old": True, "new": True}
    assert "in placement" not in client.get(f"/matches/{match.pk}/").text


def test_a_void_match_has_nothing_to_hide(client: Client, match: Match) -> None:
    void([match], by=None, reason="The server crashed.", now=NOW)
    text = client.get(f"/matches/{match.pk}/").text
    assert ("in placement" in text, ">Change</th>" in text) == (False, False)


def test_webhooks_leave_them_out(match: Match) -> None:
    webhooks = [Webhook(kind=kind) for kind in (Webhook.GAME, Webhook.DISCORD)]
    deliveries = [Delivery(type=MATCH_RATED, occasion=str(match.event_id), webhook=each) for each in webhooks]
    [told] = load_matches(deliveries).values()
    game, discord = (json.loads(write_message(each, told, NOW).body) for each in deliveries)
    assert {change["player"]: change["rating"] != NOTHING for change in game["data"]["changes"]} == {
        "old": True, "new": False}  # fmt: skip
    [embed] = discord["embeds"]
    assert [("new" in line, "new " in line) for line in embed["description"].splitlines()] == [
        (False, False),
        (True, False),
    ]
