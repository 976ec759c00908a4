"""Two players who met in void matches only are merged and split; what they met in stays as it is, and void."""

import datetime as dt
from typing import Any

import pytest
from django.contrib.auth.models import User

from matchmaking.models import Lobby
from ranking.matches.forfeits import record_forfeit
from ranking.matches.invariants import violations
from ranking.matches.recording import KNOWN
from ranking.models import DeviceUse, Forfeit, Incident, Match, Merge, Mode, Participation, Player, Rating
from ranking.moderation.invariants import violations as conduct_violations
from ranking.moderation.merges import MergeRefused, merge_players, preview_merge
from ranking.moderation.restoring import RestoreRefused
from ranking.moderation.splits import split_players
from ranking.moderation.voids import restore, void
from ranking.players.anonymising import anonymise_player
from ranking.rerating.reratings import rerate
from ranking.rules.report import PlayerReport
from ranking.standings.publishing import publish
from tests.support import api
from tests.support.factories import NOW, make_mode, make_report, make_source, record, record_result
from tests.support.matchmaking import accept_all, make_lobby, make_queue, start
from tests.support.replay import alike, replayed_states

pytestmark = pytest.mark.django_db
LATER = NOW + dt.timedelta(minutes=1)
ACT: dict[str, Any] = {"by": None, "reason": "One person", "now": LATER}
SENTENCE = "b was merged into a, and both played in match met (test). To restore it, split them first."


def player(key: str) -> Player:
    return Player.objects.get(key=key)


def rate_anew() -> None:
    for mode in Mode.objects.all():
        rerate(mode)
        publish(mode, now=LATER)


def facts() -> list[list[dict[str, Any]]]:
    kinds = ((Participation, ()), (Forfeit, ()), (Incident, ()), (DeviceUse, ("id",)))
    return [sorted(model.objects.values(), key=lambda row: row["id"]) for model, _ in kinds]


def states() -> dict[str, object]:
    return {row.player.key: row.state for row in Rating.objects.select_related("player") if row.matches}


def all_is_well() -> bool:
    return [*violations(LATER), *conduct_violations(LATER)] == []


@pytest.fixture
def met(db) -> Match:
    """a and b met once, and b left; each played others before and afterwards."""
    mode = make_mode()
    record(["a"], ["x"])
    record(["b"], ["x"])
    left = PlayerReport("b", left_early=True, seconds=60, device="telephone-of-b")
    match = record([PlayerReport("a", seconds=600, device="telephone-of-a")], [left], id="met").record.match
    record(["b"], ["y"])
    record(["a"], ["y"])
    publish(mode, now=NOW)
    return match


@pytest.mark.parametrize("rated_anew", [True, False])
def test_they_are_merged_once_it_is_void_and_split_again(met, rated_anew, client):
    with pytest.raises(MergeRefused, match="void it first"):
        merge_players(player("a"), player("b"), **ACT)
    void([met], **ACT)
    rate_anew()
    before, rated = facts(), states()
    if not rated_anew:  # the void waits still
        restore([met], **ACT)
        rate_anew()
        void([met], **ACT)
    fact = merge_players(player("a"), player("b"), **ACT)
    assert list(met.participations.values_list("player__key", "played_as")) == [("a", None), ("b", None)]
    assert Participation.objects.filter(player=fact.kept, played_as=fact.merged).count() == 2
    assert client.get(f"/matches/{met.pk}/").status_code == 200
    assert api.get(f"matches/{met.pk}/").status == 200
    rate_anew()
    assert all_is_well()
    assert alike(replayed_states(met.mode), {r.player_id: r.state for r in Rating.objects.all() if r.matches})
    assert client.get(f"/matches/{met.pk}/").status_code == 200
    split_players(fact, **ACT)
    rate_anew()
    assert (facts(), all_is_well()) == (before, True)
    assert alike(states(), rated)
    assert restore([met], **ACT) == [met]


def test_it_is_not_restored_while_they_are_one(met):
    void([met], **ACT)
    fact = merge_players(player("a"), player("b"), **ACT)
    with pytest.raises(RestoreRefused) as caught:
        restore([met], **ACT)
    assert str(caught.value) == SENTENCE
    boss = User.objects.create_superuser("boss")
    key, asked = api.make_key("moderate"), {"author": boss.username, "reason": "One more look."}
    answer = api.call("POST", f"matches/{met.pk}/restore/", asked, key=key)
    assert (answer.status, answer.body["detail"]) == (409, SENTENCE)
    split_players(fact, **ACT)
    assert api.call("POST", f"matches/{met.pk}/restore/", asked, key=key).status == 200


def test_the_admin_says_so_too(met, client):
    void([met], **ACT)
    merge_players(player("a"), player("b"), **ACT)
    client.force_login(User.objects.create_superuser("boss"))
    sent: dict[str, Any] = {"action": "restore", "index": "0", "_selected_action": [met.pk]}
    sent |= {"confirmed": "yes", "reason": "x"}
    page = client.post("/admin/ranking/match/", sent, follow=True)
    assert [str(message) for message in page.context["messages"]] == [f"{SENTENCE} Nothing has changed."]
    assert met.voids.filter(lifted_at=None).exists()


def test_the_preview_counts_what_goes_over_and_what_stays(met):
    void([met], **ACT)
    sentences = preview_merge(player("a"), player("b")).consequences
    assert sentences[:2] == [
        "2 matches become a’s, and so does any later result that names the key b.",
        "A void match in which both played can’t be restored, unless they are split again.",
    ]


def test_the_result_sent_again_is_known(met):
    report = make_report(["a"], ["b"], id="again")
    match = record_result(report, source=make_source(), now=NOW).record.match
    void([met, match], **ACT)
    merge_players(player("a"), player("b"), **ACT)
    assert record_result(report, source=make_source(), now=LATER).state == KNOWN


def test_three_of_one_match_become_one_and_three_again():
    make_mode(team_count=3)
    match = record(["a"], ["b"], ["c"], places=[1, 2, 3], id="met").record.match
    void([match], **ACT)
    rate_anew()
    before = facts()
    first = merge_players(player("b"), player("c"), **ACT)
    second = merge_players(player("a"), player("b"), **ACT)
    assert list(match.participations.values_list("player__key", flat=True)) == ["a", "b", "c"]
    with pytest.raises(RestoreRefused):
        restore([match], **ACT)
    split_players(second, **ACT)
    with pytest.raises(RestoreRefused, match="c was merged into b"):
        restore([match], **ACT)
    split_players(first, **ACT)
    rate_anew()
    assert (facts(), restore([match], **ACT)) == (before, [match])


def test_who_leaves_leaves_in_both_rows(met, client):
    void([met], **ACT)
    merge_players(player("a"), player("b"), **ACT)
    rate_anew()
    anonymise_player(player("a"), now=LATER)
    assert not met.participations.filter(player__anonymised_at=None).exists()
    assert (DeviceUse.objects.count(), Merge.objects.get().taken) == (0, None)
    assert client.get(f"/matches/{met.pk}/").status_code == 200
    assert all_is_well()


def test_a_void_forfeit_of_a_lobby_in_which_both_were(met):
    a, b = player("a"), player("b")
    forfeit = record_forfeit(met.mode, lobby="L1", teams=[[a], [b]], player=b, reason="left", now=NOW)
    void([met, forfeit], **ACT)
    rate_anew()
    before = facts()
    fact = merge_players(a, b, **ACT)
    forfeit.refresh_from_db()
    assert (fact.forfeits, forfeit.player, forfeit.teams) == ([], b, [[a.pk], [b.pk]])
    rate_anew()
    assert all_is_well()
    with pytest.raises(RestoreRefused) as caught:
        restore([forfeit], **ACT)
    sentence = "b was merged into a, and both were in lobby L1. To restore it, split them first."
    assert str(caught.value) == sentence
    split_players(fact, **ACT)
    rate_anew()
    assert (facts(), restore([forfeit], **ACT)) == (before, [forfeit])


def test_the_lobby_keeps_both_places(db):
    lobby, [a, b] = make_lobby(make_queue())
    start(accept_all(lobby))
    match = record([a.key], [b.key], lobby=lobby.pk).record.match
    void([match], **ACT)
    fact = merge_players(a, b, **ACT)
    assert Lobby.objects.get().teams == [[a.pk], [b.pk]]
    split_players(fact, **ACT)
    assert Lobby.objects.get().teams == [[a.pk], [b.pk]]
