"""A site with a row of everything, and accounts of players and of a moderator."""

import datetime as dt
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import Group, Permission, User
from django.contrib.contenttypes.models import ContentType
from django.utils import timezone

from leaderboards.models import Avatar, Webhook
from leaderboards.webhooks.queueing import queue_test
from matchmaking.models import Formed, Lobby, Party, Queue, Ticket, UnreportedLoss
from matchmaking.queues.queueing import Wish, queue_player
from matchmaking.servers import register_server
from matchmaking.tick.tick import tick
from ranking import models
from ranking.abuse.complaints import report_player
from ranking.models import Player
from ranking.moderation.merges import merge_players
from ranking.moderation.notes import add_notes, warn_players
from ranking.rules.report import PlayerReport
from ranking.seasons.strikes import strike_ratings
from ranking.standings.publishing import publish
from tests.support.api import make_key
from tests.support.factories import NOW, ban_player, make_doubled, make_finding, make_mode, make_source, record
from tests.support.seasons import end

MAY = ("change_player", "view_player", "view_match", "view_rating", "view_change")


def make_whole_site() -> dict[str, Any]:
    """A row of everything, and what stands in addresses for it."""
    mode = make_mode()
    record(["me"], ["other"])
    match = models.Match.objects.get()
    event = models.Event.objects.get(match=match)
    publish(mode, now=NOW)
    make_key("read")
    Player.objects.filter(key="me").update(hides_matches=True)
    for player in Player.objects.all():
        Player.objects.filter(pk=player.pk).update(user=User.objects.create_user(player.key))
    moderator = User.objects.create_user("moderator", is_staff=True)
    moderator.user_permissions.set(Permission.objects.filter(codename__in=MAY))
    models.OutboxEntry.objects.create(consumer="news", event=event, due_at=NOW)
    Group.objects.create(name="moderators")
    first = {f"ranking/{model._meta.model_name}": model.objects.latest("pk").pk for model in (
        models.Change, models.Event, models.ParameterVersion, models.Season, models.Key, models.Match, models.Mode,
        models.OutboxEntry, models.Player, models.Rating, models.Snapshot, models.Source,
    )}  # fmt: skip
    return {
        **first, **of_moderation(mode), **of_other_apps(), **of_matchmaking(mode), "auth/user": moderator.pk,
        "auth/group": Group.objects.get(name="moderators").pk,
        "user": moderator.pk, "match": match.pk, "player": Player.objects.get(key="me").pk,
        "kind": ContentType.objects.get_for_model(Player).pk,
    }  # fmt: skip


def of_moderation(mode: models.Mode) -> dict[str, int]:
    one, other, third = (
        Player.objects.create(key=key, name=key, search_name=key, created_at=NOW) for key in ("one", "two", "third")
    )
    ban = ban_player(third, scope=models.Ban.QUEUE, by=None, reason="Cheating.", now=NOW)
    record(["one"], [PlayerReport(id="third", left_early=True)])
    complaint = report_player(models.Match.objects.latest("pk"), one, third, reason="leaving", now=NOW)
    return {
        **of_seasons(),
        "ranking/appeal": models.Appeal.objects.create(player=third, ban=ban, words="No.", made_at=NOW).pk,
        "ranking/auditentry": models.AuditEntry.objects.latest("pk").pk,
        "ranking/ban": models.Ban.objects.get().pk,
        "ranking/banproposal": models.BanProposal.objects.create(
            player=third, scope="queue", reason="Again.", proposed_at=NOW
        ).pk,
        "ranking/incident": models.Incident.objects.get().pk,
        "ranking/leaver": third.pk,
        "ranking/finding": make_finding(third).pk,
        "ranking/doubledmatch": _doubled().pk,
        "ranking/merge": merge_players(one, other, by=None, reason="The same person.", now=NOW).pk,
        "ranking/complaint": complaint.pk,
        "ranking/complaintcase": complaint.case_id,
        "ranking/cannedanswer": models.CannedAnswer.objects.create(title="Sorry", text="It was our fault.").pk,
        "ranking/playernote": add_notes([third], text="Plays with one.", by=None, now=NOW)[0].pk,
        "ranking/playerwarning": warn_players([third], by=None, reason="Mind your words.", now=NOW)[0].pk,
        "ranking/rerating": models.Rerating.objects.create(
            mode=mode, state=models.Rerating.DONE, reason="test", requested_at=NOW
        ).pk,
    }


def _doubled() -> models.DoubledMatch:
    for name in ("once", "twice"):
        record(["one"], ["third"], id=name)
    return make_doubled(models.Match.objects.get(external_id="once"))


def of_seasons() -> dict[str, int]:
    """An archived season of another mode, from which "me" is struck."""
    past = make_mode("past")
    record(["me"], ["other"], mode="past")
    end(past, at=NOW + dt.timedelta(minutes=1))
    ratings = models.Rating.objects.filter(mode=past).order_by("player__key").values_list("pk", flat=True)
    strike_ratings([ratings[0]], by=None, reason="Cheating.", now=NOW + dt.timedelta(minutes=2))
    return {"ranking/rating": ratings[1], "ranking/strike": models.Strike.objects.get().pk}


def of_matchmaking(mode: models.Mode) -> dict[str, int | str]:
    """A lobby that "me" is in."""
    now = timezone.now()
    queue = Queue.objects.create(mode=mode, team_size=1, accept_seconds=600)
    rival = Player.objects.create(key="rival", name="rival", search_name="rival", created_at=NOW)
    for player in (Player.objects.get(key="me"), rival):
        queue_player(player, queue, wish=Wish(width=100), now=now)
    tick(queue, now=now + dt.timedelta(seconds=1))
    said: Any = {"region": "eu", "address": "here", "capacity": 1, "modes": [mode]}
    rows = [
        queue, Ticket.objects.earliest("pk"), Lobby.objects.get(), Formed.objects.get(),
        Party.objects.create(created_at=now), register_server(make_source("servers"), **said, now=now),
        UnreportedLoss.objects.create(lobby_key="x", mode=mode, player=rival, server="eu1", score=1, best=2,
                                      silent_at=now, closed_at=now),
    ]  # fmt: skip
    found = {f"matchmaking/{row._meta.model_name}": row.pk for row in rows}
    return {**found, "lobby": found["matchmaking/lobby"], "ticket": found["matchmaking/ticket"]}


def of_other_apps() -> dict[str, int]:
    user = User.objects.create_user("somebody")
    hook = Webhook.objects.create(name="hook", kind=Webhook.GAME, url="https://example.org", created_at=NOW)
    return {
        "account/emailaddress": EmailAddress.objects.create(user=user, email="m@example.org").pk,
        "mfa/authenticator": Authenticator.objects.create(user=user, type="recovery_codes", data={}).pk,
        "socialaccount/socialaccount": SocialAccount.objects.create(user=user, provider="steam", uid="1").pk,
        "leaderboards/avatar": Avatar.objects.create(player=Player.objects.get(key="other"), due_at=NOW).pk,
        "leaderboards/webhook": hook.pk,
        "leaderboards/delivery": queue_test(hook, NOW).pk,
    }
