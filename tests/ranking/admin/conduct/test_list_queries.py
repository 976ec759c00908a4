"""The lists of players' reports, notes and warnings cost the same for one row as for many, and count nothing."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from ranking.abuse.complaints import report_player
from ranking.models import ComplaintCase, Match, Player, PlayerNote, PlayerWarning
from ranking.moderation.notes import add_notes, warn_players, withdraw_notes, withdraw_warnings
from tests.support.factories import NOW, make_mode, record

pytestmark = pytest.mark.django_db

# Three are the session, who is logged in and their saved filters; one reads the rows; one or more belong to filters:
# the player or the case that the address names. Cases count reasons and reporters: two. A search finds players: three.
QUERIES = {
    ("complaintcase", ""): 6,
    ("complaintcase", "state=all"): 6,
    ("complaintcase", "player=PLAYER"): 7,
    ("complaintcase", "q=b"): 9,
    ("complaint", ""): 4,
    ("complaint", "case=CASE"): 5,
    ("complaint", "q=b"): 7,
    ("playernote", ""): 4,
    ("playernote", "state=withdrawn"): 4,
    ("playernote", "player=PLAYER"): 5,
    ("playernote", "q=b"): 7,
    ("playerwarning", ""): 4,
    ("playerwarning", "state=standing"): 4,
    ("playerwarning", "player=PLAYER"): 5,
    ("playerwarning", "q=b"): 7,
}


def populate(rows: int) -> None:
    """So many players with a case, two notes and two warnings each, of which one is withdrawn."""
    make_mode()
    for number in range(rows):
        record([f"a{number}"], [f"b{number}"], id=f"m-{number}")
        match = Match.objects.latest("pk")
        reporter, reported = (Player.objects.get(key=f"{letter}{number}") for letter in "ab")
        report_player(match, reporter, reported, reason="words", now=NOW)
        for _ in range(2):
            [note] = add_notes([reported], text="Plays with c.", by=None, now=NOW)
            [warning] = warn_players([reported], by=None, reason="Mind your words.", now=NOW)
        withdraw_notes([note.pk], by=None, reason="x", now=NOW)
        withdraw_warnings([warning.pk], by=None, reason="x", now=NOW)


@pytest.mark.parametrize("rows", [1, 12])
def test_queries_do_not_grow_with_rows(boss, rows):
    populate(rows)
    case = ComplaintCase.objects.latest("pk")
    taken = {}
    for model, query in QUERIES:
        filled = query.replace("PLAYER", str(case.player_id)).replace("CASE", str(case.pk))
        with CaptureQueriesContext(connection) as queries:
            response = boss.get(f"{reverse(f'admin:ranking_{model}_changelist')}?{filled}")
        assert (response.status_code, response.context["cl"].result_count > 0) == (200, True), (model, query)
        taken[model, query] = len(queries)
    assert taken == QUERIES, taken
    assert (PlayerNote.objects.count(), PlayerWarning.objects.count()) == (2 * rows, 2 * rows)
