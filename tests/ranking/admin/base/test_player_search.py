"""Moderators find what is about a player by a part of the name, in every list of the ledger and of conduct."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from ranking.abuse.complaints import report_player
from ranking.models import (
    Appeal,
    AuditEntry,
    Ban,
    BanProposal,
    Change,
    Complaint,
    ComplaintCase,
    Finding,
    Incident,
    Match,
    Merge,
    Player,
    PlayerNote,
    PlayerWarning,
    Rating,
    Strike,
)
from ranking.moderation.appeals import appeal_against
from ranking.moderation.ban_proposals import propose_bans
from ranking.moderation.notes import add_notes, warn_players
from ranking.rules.report import PlayerReport
from tests.support.factories import NOW, ban_player, make_finding, make_mode, record

LISTS = [
    (Incident, "player"), (Ban, "player"), (AuditEntry, "player"), (Appeal, "player"), (Finding, "player"),
    (Change, "player"), (Rating, "player"), (Strike, "rating__player"), (PlayerNote, "player"),
    (PlayerWarning, "player"), (BanProposal, "player"), (ComplaintCase, "player"), (Complaint, "reported"),
]  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def _two_who_left(module_db: None) -> None:
    """Two players with everything that lists show."""
    make_mode()
    moderator = User.objects.create(username="mod")
    for key, name in (("k69", "Quitter69"), ("k70", "Stayer")):
        record(["z"], [PlayerReport(id=key, name=name, left_early=True)])
        player = Player.objects.get(key=key)
        ban = ban_player(player, scope=Ban.QUEUE, by=moderator, reason="Left.", now=NOW)
        appeal_against(player, words="No.", now=NOW, ban=ban.pk)
        make_finding(player)
        Strike.objects.create(rating=player.ratings.get(), reason="Cheated.", struck_at=NOW)
        add_notes([player], text="Left.", by=moderator, now=NOW)
        warn_players([player], by=moderator, reason="Stay.", now=NOW)
        propose_bans([player], scope=Ban.QUEUE, hours=24, by=moderator, reason="Left.", now=NOW)
        match = Match.objects.get(participations__player=player)
        report_player(match, Player.objects.get(key="z"), player, reason="leaving", now=NOW)


def test_found_by_any_part_of_the_name_or_the_whole_key(boss: Client) -> None:
    given, wanted = {}, {}
    for model, path in LISTS:
        address = reverse(f"admin:ranking_{model.__name__.lower()}_changelist")
        rows = set(model.objects.filter(**{f"{path}__key": "k69"}))
        assert rows, model
        for term in ("itter6", "quitter69", "QUITTER69", "k69"):
            given[model, term] = set(boss.get(address, {"q": term}).context["cl"].queryset)
            wanted[model, term] = rows
    assert given == wanted


def test_a_match_is_still_found_by_its_id(boss: Client) -> None:
    record(["z"], [PlayerReport(id="k69", left_early=True)], id="eu1-7")
    found = boss.get("/admin/ranking/incident/", {"q": "eu1-7"}).context["cl"].queryset
    assert [incident.match.external_id for incident in found] == ["eu1-7"]


def test_reports_are_found_by_who_made_them(boss: Client) -> None:
    found = boss.get("/admin/ranking/complaint/", {"q": "z"}).context["cl"].queryset
    assert sorted(complaint.reported.key for complaint in found) == ["k69", "k70"]


def test_a_merge_is_found_by_either_player(boss: Client) -> None:
    record(["y"], ["x"])
    x, y, quitter, stayer = (Player.objects.get(key=key) for key in ("x", "y", "k69", "k70"))
    for kept, merged in ((stayer, quitter), (y, x)):
        Merge.objects.create(kept=kept, merged=merged, sequence=1, merged_at=NOW, reason="The same person.")
        Player.objects.filter(pk=merged.pk).update(merged_into=kept, hidden_at=NOW)
    terms = ("itter6", "k69", "ayer", "k70")
    given = {term: boss.get("/admin/ranking/merge/", {"q": term}).context["cl"].queryset for term in terms}
    assert {term: ", ".join(map(str, merges)) for term, merges in given.items()} == dict.fromkeys(
        terms, "Quitter69 into Stayer"
    )
