"""Staff alone read notes, in the admin and by API: a mark in every note is on no page, in no answer and no message."""

import datetime as dt

import pytest
import time_machine
from django.apps import apps
from django.contrib.auth.models import User
from django.db.models import CharField
from django.test import Client

from leaderboards.accounts.data_export import export
from leaderboards.models import Delivery, Notice
from leaderboards.notifications.conduct_news import tell_conduct_news
from leaderboards.webhooks._messages import write_message
from leaderboards.webhooks.events import EVENTS, MATCH_RATED, MATCH_VOIDED
from leaderboards.webhooks.match_messages import load_matches, read_matches
from leaderboards.webhooks.queueing import queue_events
from ranking.matches.forfeits import record_forfeit
from ranking.models import AuditEntry, Event, Incident, Match, Mode, Player, Void
from ranking.models.access import SCOPES
from ranking.moderation.appeals import appeal_against, decide_appeals
from ranking.moderation.ban_proposals import propose_bans
from ranking.moderation.merges import merge_players
from ranking.moderation.notes import add_notes, warn_players, withdraw_warnings
from ranking.moderation.renaming import rename_player, reset_names, undo_renamings, unlock_names
from ranking.moderation.sanctions import (
    extend_bans,
    hide_players,
    lift_bans,
    pardon_incidents,
    shorten_bans,
    show_players,
)
from ranking.moderation.splits import split_players
from ranking.moderation.undoing import reopen_appeals, resume_bans, take_back_pardons
from ranking.moderation.voids import restore, void
from ranking.rerating.reratings import rerate
from ranking.rules.report import PlayerReport
from ranking.seasons.strikes import lift_strikes, strike_ratings
from ranking.standings.publishing import publish
from tests.support.acts_by_api import make_author
from tests.support.api import Answer, get, make_key, make_token
from tests.support.factories import LATER, NOW, ban_player, make_mode, record
from tests.support.seasons import end
from tests.support.webhooks import make_hook

pytestmark = pytest.mark.django_db
MARK, SHOWN = "zzmarkzz", "Shown to the player"
TEXTS = {"by": None, "reason": SHOWN, "note": MARK}
HOUR = dt.timedelta(hours=1)
PAGES = (
    "/conduct/", "/notifications/", "/players/b/", "/matches/{match}/", "/boards/duel/", "/account/", "/people/",
    "/api/v1/players/b/", "/api/v1/players/b/conduct/", "/api/v1/players/b/history/?mode=duel",
    "/api/v1/matches/{match}/", "/api/v1/matches/{match}/post-game/",
)  # fmt: skip


@pytest.fixture
def me(_me, db) -> Player:
    """A player to whom each act was done, and taken back, and done again; every note holds the mark."""
    return Player.objects.get(pk=_me)


@pytest.fixture(scope="module")
def _me(module_db) -> int:
    with time_machine.travel(LATER, tick=False):
        return make_story().pk


def make_story() -> Player:
    mode = make_mode()
    for kind in ("game", "discord"):
        make_hook(name=kind, kind=kind, events=list(EVENTS))
    for _ in range(3):
        record(["a"], [PlayerReport(id="b", left_early=True)])
    player = Player.objects.get(key="b")
    player.user = User.objects.create_user("bee")
    player.save()
    first, second, third = Incident.objects.order_by("pk")
    pardon_incidents([first.pk], now=NOW, **TEXTS)
    take_back_pardons([first.pk], now=NOW, **TEXTS)
    pardon_incidents([first.pk], now=NOW, **TEXTS)
    ban = ban_player(player, scope="both", now=NOW, **TEXTS)
    shorten_bans([ban.pk], ends_at=NOW + 2 * HOUR, now=NOW, **TEXTS)
    extend_bans([ban.pk], ends_at=NOW + 9 * HOUR, now=NOW, **TEXTS)
    made = appeal_against(player, words="No.", now=NOW, ban=ban.pk)
    decide_appeals([made.pk], grant=False, now=NOW, **TEXTS)
    reopen_appeals([made.pk], now=NOW, **TEXTS)
    lift_bans([ban.pk], now=NOW, **TEXTS)
    resume_bans([ban.pk], now=NOW, **TEXTS)
    lift_bans([ban_player(player, scope="boards", now=NOW, **TEXTS).pk], now=NOW, **TEXTS)
    other = appeal_against(player, words="No.", now=NOW, incident=second.pk)
    decide_appeals([other.pk], grant=False, now=NOW, **TEXTS)
    void([third.match], now=NOW, **TEXTS)
    restore([third.match], now=NOW, **TEXTS)
    void([third.match], now=NOW, **TEXTS)
    teams = [[Player.objects.get(key="a")], [player]]
    record_forfeit(mode, lobby="L", teams=teams, player=player, reason="dropped out", now=NOW)
    void([Incident.objects.exclude(forfeit=None).get().forfeit], now=NOW, **TEXTS)
    [warning, _] = [warn_players([player], now=NOW, **TEXTS)[0] for _ in range(2)]
    withdraw_warnings([warning.pk], now=NOW, **TEXTS)
    add_notes([player], text=MARK, by=None, now=NOW)
    propose_bans([player], scope="queue", hours=48, now=NOW, **TEXTS)
    hide_players([player.pk], now=NOW, **TEXTS)
    show_players([player.pk], now=NOW, **TEXTS)
    hide_players([player.pk], now=NOW, **TEXTS)
    rename_player([player.pk], name="Fox", now=NOW, **TEXTS)
    unlock_names([player.pk], now=NOW, **TEXTS)
    reset_names([player.pk], now=NOW, **TEXTS)
    undo_renamings([player.pk], now=NOW, **TEXTS)
    rename_player([player.pk], name="Fox", now=NOW, **TEXTS)
    rerate(mode)
    end(mode, at=NOW + dt.timedelta(seconds=30))
    archived = [player.ratings.get(season__number=1).pk]
    strike_ratings(archived, now=NOW + HOUR, **TEXTS)
    lift_strikes(archived, now=NOW + HOUR, **TEXTS)
    strike_ratings(archived, now=NOW + HOUR, **TEXTS)
    record(["c"], ["a"])
    split_players(merge_players(player, Player.objects.get(key="c"), now=NOW, **TEXTS), now=NOW, **TEXTS)
    merge_players(player, Player.objects.get(key="c"), now=NOW, **TEXTS)
    publish(Mode.objects.get(), now=NOW)
    tell_conduct_news(NOW + HOUR)
    queue_events(list(Event.objects.filter(kind=Event.MATCH).values_list("pk", flat=True)), NOW + HOUR)
    return player


def test_every_note_has_the_mark(me):
    """The fixture reaches every column for notes."""
    for model in apps.get_app_config("ranking").get_models():
        for field in model._meta.get_fields():
            if isinstance(field, CharField) and field.name.endswith("note"):
                assert model._default_manager.filter(**{field.name: MARK}).exists(), (model, field)
    assert set(AuditEntry.objects.exclude(act__in=("end season", "add note")).values_list("reason", "note")) == {
        (SHOWN, MARK)
    }


def test_the_player_reads_one_text_and_never_the_other(me):
    client = Client()
    client.force_login(me.user)
    match, shown = Match.objects.order_by("pk")[2], []
    for address in PAGES:
        response = client.get(address.format(match=match.pk))
        assert response.status_code == 200, address
        text = response.getvalue().decode()
        assert MARK not in text, address
        shown += [address] if SHOWN in text else []
    assert "/conduct/" in shown
    assert "/notifications/" in shown


def test_nor_the_export_nor_notices_nor_webhooks(me):
    document = "".join(export(me, NOW))
    notices = str(list(Notice.objects.values_list("data", flat=True)))
    assert (MARK in document, MARK in notices) == (False, False)
    assert (SHOWN in document, SHOWN in notices) == (True, True)
    told = (MATCH_RATED, MATCH_VOIDED)
    deliveries = list(Delivery.objects.filter(type__in=told).select_related("webhook").order_by("pk"))
    matches = load_matches(deliveries)
    read_matches(deliveries)
    messages = [write_message(row, matches.get(row.occasion), NOW + HOUR).body.decode() for row in deliveries]
    void_matches = Void.objects.exclude(match=None).values("match", "voided_at").distinct().count()
    assert len(messages) == 2 * (Match.objects.count() + void_matches)  # a game's and a channel's
    assert sum(SHOWN in message for message in messages) == void_matches  # a channel is told no reason
    assert [message for message in messages if MARK in message] == []
    assert MARK not in str(list(Delivery.objects.values()))


AUTHORED = ("players/b/bans/", "players/b/incidents/", "players/b/notes/", "players/b/warnings/", "appeals/", "audit/")


def ask(path: str, key: str, role: str = "administrator") -> Answer:
    return get(f"{path}?author=the {role}".replace(" ", "%20"), key=key)


def holds_mark(answer: Answer) -> bool:
    return MARK in str(answer.body)


@pytest.mark.parametrize("role", ["viewer", "moderator", "administrator"])
def test_staff_read_notes_by_api_as_in_the_admin(me, role):
    """A viewer reads the notes beside acts, but no notes on players."""
    make_author(role)
    client, key = Client(), make_key("moderate")
    client.force_login(User.objects.get(username=f"the {role}"))
    shown = {path: holds_mark(ask(path, key, role)) for path in AUTHORED}
    assert shown == dict.fromkeys(AUTHORED, True) | {"players/b/notes/": role != "viewer"}
    assert (client.get("/admin/ranking/playernote/").status_code == 200) is shown["players/b/notes/"]


def test_nobody_else_does(me):
    """Neither another scope nor a player's token reads a note, whatever author the call names."""
    make_author("administrator")
    keys = {scope: make_key(scope) for scope in SCOPES} | {"player": make_token(me)}
    answers = {(scope, path): ask(path, key) for scope, key in keys.items() for path in AUTHORED}
    assert {row: (answer.status, holds_mark(answer)) for row, answer in answers.items()} == {
        (scope, path): (200, True) if scope == "moderate" else (403, False) for scope, path in answers
    }


def test_the_export_for_staff_is_the_players_own(me):
    make_author("administrator")
    answer = ask("players/b/export/", make_key("moderate"))
    assert (answer.status, holds_mark(answer), SHOWN in str(answer.body)) == (200, False, True)


def test_only_those_who_played_a_void_match_read_why(me):
    match, reads = Match.objects.order_by("pk")[2], {}
    for name in ("bee", "stranger"):
        client = Client()
        client.force_login(User.objects.get_or_create(username=name)[0])
        reads[name] = f'nobody’s rating. <span translate="no">{SHOWN}' in client.get(f"/matches/{match.pk}/").text
    assert reads == {"bee": True, "stranger": False}
