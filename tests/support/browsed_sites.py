"""Sites to browse: one with everything, one with nothing, one with a season that is over."""

import datetime as dt

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import User
from django.utils import timezone

from leaderboards.people.following import block_player, follow_player
from ranking.models import Player, Rating, Season
from ranking.operations.outbox import sweep
from ranking.rules.report import PlayerReport
from ranking.seasons.strikes import strike_ratings
from ranking.standings.publishing import publish
from tests.support.browser import PASSWORD
from tests.support.factories import make_mode, make_role, record
from tests.support.seasons import end

CROWD = 60


def fill_site() -> None:
    """A board of 120 tied in pairs, a team match with a leaver, a duel, one for fun."""
    now = timezone.now()
    crowd = make_mode("crowd", team_count=CROWD, team_size_max=1, params={"alpha": 1}, description="All at once.")
    team = make_mode("team", system="team-ratio", description="Two against two.")
    make_mode("fun", ranked=False)
    for number in range(2):
        rosters = [[PlayerReport(id=f"p{number}-{place:02}")] for place in range(CROWD)]
        record(*rosters, mode="crowd", now=now, ended_at=now - dt.timedelta(minutes=number))
    publish(crowd, now=now - dt.timedelta(days=1))
    publish(crowd, now=now)
    for _ in range(25):
        record(["p0-55", "mate"], ["b", "c"], mode="team", now=now, ended_at=now, region="eu")
    publish(team, now=now)
    record(["secret"], ["b"], mode="team", now=now, ended_at=now)
    leaver = PlayerReport(id="c", left_early=True, seconds=100)
    record(["p0-55", "mate"], ["b", leaver], mode="team", now=now, ended_at=now, duration=600.0)
    record(["p0-55"], ["b"], mode="fun", now=now, ended_at=now)
    Player.objects.filter(key="secret").update(hides_matches=True)
    Player.objects.filter(key="p0-55").update(user=User.objects.create_user("fox", password=PASSWORD))
    for key in ("mate", "b"):
        follow_player(Player.objects.get(key="p0-55"), Player.objects.get(key=key), now=now)
    block_player(Player.objects.get(key="p0-55"), Player.objects.get(key="c"), now=now)
    sweep(now)
    make_login()


def make_login() -> None:
    """A second login with a role, an address, a second factor, an account elsewhere; nobody logs in by it."""
    owl = User.objects.create_user("owl")
    owl.groups.add(make_role("viewer"))
    EmailAddress.objects.create(user=owl, email="owl@example.org", primary=True)
    Authenticator.objects.create(user=owl, type="totp", data={})
    SocialAccount.objects.create(user=owl, provider="steam", uid="7")


def fill_empty_site() -> None:
    """A mode that nobody has played, and two players who have done nothing yet."""
    make_mode("crowd", description="All at once.", placement_matches=10)
    user = User.objects.create_user("fox", password=PASSWORD)
    now = timezone.now()
    Player.objects.create(key="newcomer", name="Newcomer", search_name="newcomer", user=user, created_at=now)
    Player.objects.create(key="other", name="Other", search_name="other", created_at=now)


def fill_past_season() -> None:
    """A mode whose first season is over, with a champion who was struck; p0-55 has come back, and an end is set."""
    began = timezone.now() - dt.timedelta(hours=6)
    cup = make_mode("cup", description="One against one.", now=began, placement_after_reset=1)
    for number in range(12):
        at = began + dt.timedelta(minutes=number)
        pair = (["p0-55"], ["b"]) if number % 3 else (["b"], ["p0-55"])
        record(*pair, mode="cup", now=at, ended_at=at, variant="Aerie" if number % 2 else "Cellar")
    record(["c"], ["secret"], mode="cup", now=began, ended_at=began)
    end(cup, at=began + dt.timedelta(hours=1))
    struck = Rating.objects.get(player__key="c", mode=cup)
    strike_ratings([struck.pk], by=None, reason="boosted", now=timezone.now())
    for number in range(2):
        at = began + dt.timedelta(hours=2 + number)
        record(["p0-55"], ["d"], mode="cup", now=at, ended_at=at)
    Season.objects.filter(mode=cup, current=True).update(ends_at=timezone.now() + dt.timedelta(days=12))
    publish(cup, now=timezone.now())
