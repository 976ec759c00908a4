"""Who looks at the admin, and a small world to look at."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from ranking.abuse.complaints import report_player
from ranking.models import CannedAnswer, Event, Match, Mode, OutboxEntry, Player, Rerating
from ranking.moderation.appeals import appeal_against
from ranking.moderation.ban_proposals import propose_bans
from ranking.moderation.notes import add_notes, warn_players
from ranking.operations.keys import create_key
from ranking.rules.report import PlayerReport
from ranking.standings.publishing import publish
from tests.support.factories import NOW, ban_player, make_doubled, make_finding, make_mode, record


@pytest.fixture
def boss(db) -> Client:
    """A superuser's client."""
    client = Client()
    client.force_login(User.objects.create_superuser("boss"))
    return client


@pytest.fixture
def clerk(db) -> Client:
    """A staff member's client who may do nothing."""
    client = Client()
    client.force_login(User.objects.create_user("clerk", is_staff=True))
    return client


@pytest.fixture
def world(_world, db) -> Mode:
    """Two modes, a rated match with a leaver, a board, a key, work that waits, a re-rating, a ban, an abuse report."""
    return Mode.objects.get(slug="duel")


@pytest.fixture(scope="module")
def _world(module_db) -> None:
    mode = make_mode("duel")
    make_mode("other", system="team-ratio")
    record(["a"], [PlayerReport(id="b", left_early=True, seconds=10)], id="first", duration=60.0)
    record(["a"], ["c"], id="second")
    publish(mode, now=NOW)
    create_key("test", scopes=["results"], now=NOW, modes=[mode])
    OutboxEntry.objects.create(consumer="news", event=Event.objects.latest("pk"), due_at=NOW)
    player = Player.objects.get(key="b")
    ban = ban_player(player, scope="queue", by=None, reason="Cheating.", now=NOW)
    appeal_against(player, words="No.", ban=ban.pk, now=NOW)
    report_player(Match.objects.get(external_id="first"), Player.objects.get(key="a"), player, reason="words", now=NOW)
    add_notes([player], text="Plays with c.", by=None, now=NOW)
    warn_players([player], by=None, reason="Mind your words.", now=NOW)
    propose_bans([player], scope="queue", hours=168, by=None, reason="Left.", now=NOW)
    CannedAnswer.objects.create(title="Sorry", text="It was our fault.")
    Rerating.objects.create(mode=mode, state=Rerating.DONE, reason="test", requested_at=NOW)
    make_finding(Player.objects.get(key="b"))
    make_doubled(Match.objects.get(external_id="first"))
