"""The sites that tests.support.site_records looks at: the demo with moderators' work, and two of other tests."""

import datetime as dt
from collections.abc import Callable
from io import StringIO
from typing import Any

from django.contrib.auth.models import Permission, User
from django.core.management import call_command
from django.utils import timezone

from leaderboards.models import Webhook
from leaderboards.people.following import avoid_player, block_player, follow_player
from leaderboards.webhooks.queueing import queue_test
from matchmaking.models import Party, Queue, Ticket
from matchmaking.parties import parties
from matchmaking.queues.queueing import Wish, queue_player
from matchmaking.tick.tick import tick
from ranking.abuse.complaints import find_reportable, report_player
from ranking.models import Ban, CannedAnswer, Incident, Match, Mode, Participation, Player, Rating
from ranking.moderation.appeals import MayNotAppeal, appeal_against, decide_appeals
from ranking.moderation.merges import merge_players
from ranking.moderation.notes import add_notes, warn_players
from ranking.moderation.voids import void
from ranking.operations.outbox import sweep
from ranking.rerating.reratings import rerate
from ranking.seasons.strikes import strike_ratings
from ranking.standings.publishing import publish
from ranking.trials.evaluation_jobs import EVALUATIONS
from ranking.trials.fit_jobs import FITS
from ranking.trials.runs import ask_for_evaluation, ask_for_fit
from tests.support.acts_by_api import make_moderated_site
from tests.support.factories import ban_player, hide_player, make_doubled, make_finding, make_mode, record
from tests.support.fit_results import stored_fit
from tests.support.whole_site import MAY, make_whole_site

DAY = dt.timedelta(days=1)


def make_demo() -> dict[str, Any]:
    """The demo, in which moderators have done something of each kind, and everything waits for something."""
    call_command("demo", stdout=StringIO())
    root, now = User.objects.get(username="admin"), timezone.now()
    me = Player.objects.get(key="demo-player")
    others = list(Player.objects.exclude(pk=me.pk).filter(key__startswith="player-").order_by("key")[:30])
    locked, second, hidden, warned, kept, *more = others
    make_people(player=me, locked=locked)
    Player.objects.filter(pk=second.pk).update(user=User.objects.create_user("second"))
    ban = ban_player(locked, scope=Ban.BOTH, by=root, reason="Cheating.", now=now, ends_at=now + 5 * DAY)
    ban_player(second, scope=Ban.BOARDS, by=None, reason="Boosting.", now=now, note="See the video.")
    appeal_against(locked, words="It wasn't me.", ban=ban.pk, now=now)
    hide_player(hidden, now=now)
    add_notes([locked, warned], text="Knows the developers.", by=root, now=now)
    warn_players([warned, me], by=root, reason="Mind your words.", now=now)
    CannedAnswer.objects.create(title="Sorry", text="It was our fault.")
    for incident in Incident.objects.filter(happened_at__gt=now - 3 * DAY).order_by("-pk")[:6]:
        try:
            appeal = appeal_against(incident.player, words="The power failed.", incident=incident.pk, now=now)
        except MayNotAppeal:
            continue
        if incident.pk % 2:
            decide_appeals([appeal.pk], grant=False, by=root, reason="It happens too often.", now=now)
    played = Match.objects.filter(participations__player=me).order_by("-pk")
    for number, match in enumerate(played[:4]):
        for other in find_reportable(match, me)[: 1 + number % 2]:
            report_player(match, me, other, reason=("leaving", "cheating")[number % 2], now=now)
    duel, casual, race = (Mode.objects.get(slug=slug) for slug in ("duel", "casual", "sprint"))
    make_finding(warned, mode=duel)
    make_doubled(*reversed(Match.objects.filter(mode=duel).order_by("-ended_at")[3:5]))
    strike_ratings([Rating.objects.filter(season__current=False, listed=True).latest("pk").pk], by=root,
                   reason="Boosted.", now=now)  # fmt: skip
    void(Match.objects.filter(mode=duel).order_by("-pk")[1:2], by=root, reason="The server broke.", now=now)
    void(Match.objects.filter(mode=race).order_by("-pk")[1:2], by=root, reason="The tide came.", now=now)
    new = record(["a-newcomer"], [more[0].key], mode="duel", now=now).record.match
    merge_players(kept, Participation.objects.get(match=new, player__key="a-newcomer").player, by=root,
                  reason="One person.", now=now)  # fmt: skip
    for mode in Mode.objects.order_by("pk"):
        rerate(mode)
        publish(mode, now=now)
    for key in range(2):
        hook = Webhook.objects.create(name=f"hook {key}", kind=Webhook.GAME, url=f"https://example.org/{key}",
                                      created_at=now)  # fmt: skip
        queue_test(hook, now)
    follow_player(more[1], me, now=now)
    block_player(me, more[2], now=now)
    avoid_player(me, more[3], now=now)
    parties.invite(me, by=more[4], now=now)
    parties.invite(more[5], by=me, now=now)
    for player in more[6:9]:
        queue_player(player, Queue.objects.get(mode=duel), wish=Wish(width=100), now=now)
    tick(Queue.objects.get(mode=duel), now=now + dt.timedelta(seconds=1))
    queue_player(more[10], Queue.objects.get(mode=casual), now=now)
    hundred = [{"system": key, "params": {}} for key in ("elo", "trueskill")]
    ask_for_evaluation(duel, hundred, by=root, now=now)
    ask_for_fit(duel, ["margin", "elo"], by=root, now=now)
    for jobs in (EVALUATIONS, FITS):
        while jobs.has_work():
            jobs.work(timezone.now, seconds=600, keep=False)
    stored_fit(race, number=9)
    ask_for_evaluation(casual, hundred[:1], by=root, now=now)
    sweep(now)
    return {}


def make_whole() -> dict[str, Any]:
    names = make_whole_site()
    make_people(player=Player.objects.get(key="me"), locked=Player.objects.get(key="third"))
    return names


def make_moderated() -> dict[str, Any]:
    """The site of tests.support.acts_by_api, with a queue for pairs, a ticket, and an invitation to a party."""
    names = make_moderated_site()
    now = timezone.now()
    make_people(player=Player.objects.get(key="a"), locked=Player.objects.get(key="b"))
    record(["c"], ["d"], now=now)
    free, leader = Player.objects.get(key="c"), Player.objects.get(key="d")
    Queue.objects.create(mode=make_mode("pair"), team_size=2)
    queue_player(free, Queue.objects.get(mode__slug="duel"), wish=Wish(width=100), now=now)
    parties.invite(Player.objects.get(key="a"), by=leader, now=now)
    return {**names, "ticket": Ticket.objects.get().pk, "party": Party.objects.get().pk}


def make_people(*, player: Player, locked: Player) -> None:
    """The logins of the record: a player, one who is locked out, a moderator of few rights, and a superuser."""
    for name, owner in (("player", player), ("locked", locked)):
        if owner.user is None:
            owner.user = User(username=name)
        owner.user.username = name
        owner.user.save()
        owner.save(update_fields=["user"])
    junior = User.objects.create_user("junior", is_staff=True)
    junior.user_permissions.set(Permission.objects.filter(codename__in=MAY))
    User.objects.create_superuser("root")


SITES: dict[str, Callable[[], dict[str, Any]]] = {
    "demo": make_demo,
    "whole": make_whole,
    "moderated": make_moderated,
}
