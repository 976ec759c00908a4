"""POST /api/v1/matches/withdraw/: a sender takes back a result of its own, for as long as the mode lets it."""

import datetime as dt

import pytest
from django.utils import timezone

from leaderboards.models import Delivery
from ranking.models import AuditEntry, Match, Mode, Rating, Rerating, Void
from ranking.moderation.corrections import correct_match
from ranking.moderation.voids import restore, void
from ranking.rerating.reratings import find_work, rerate
from ranking.validation.match_report import read_report
from tests.support.api import call, get, make_key, result
from tests.support.concurrency import at_once
from tests.support.factories import make_mode
from tests.support.savepoints import rolled_back
from tests.support.webhooks import make_hook

pytestmark = pytest.mark.django_db
WHY = "The server counted the warm-up."


def withdraw(key, own="m-1", reason=WHY):
    return call("POST", "matches/withdraw/", {"id": own, "reason": reason}, key=key)


def send(key, **more):
    answer = call("POST", "matches/", result(**more), key=key)
    assert answer.status == 201
    return Match.objects.get(pk=answer.body["number"])


def displays():
    return dict(Rating.objects.values_list("player__key", "display_hundredths"))


def test_a_withdrawn_result_counts_for_nothing_and_later_ones_are_rated_anew():
    mode = make_mode(withdraw_seconds=600)
    hook = make_hook(events=["match.voided"])
    key = make_key()
    first = send(key)
    send(key, id="m-2", teams=[{"score": 3, "players": [{"id": "c"}]}, {"score": 1, "players": [{"id": "d"}]}])
    answer = withdraw(key)
    about = {"number": first.pk, "id": "m-1", "mode": "duel", "state": "void", "rerating": True}
    assert (answer.status, answer.body) == (200, about)
    [act] = Void.objects.all()
    assert (act.match, act.by, act.reason) == (first, None, WHY)
    [line] = AuditEntry.objects.filter(act="void")
    assert (line.subject, line.who, line.reason, line.via.startswith("test · ")) == ("match m-1", "", WHY, True)
    assert list(Delivery.objects.values_list("webhook", "type")) == [(hook.pk, "match.voided")]
    for one in find_work():
        rerate(one)
    start = Rating.objects.get(player__key="a").display_hundredths
    assert displays() == {"a": start, "b": start, "c": start + 26, "d": start - 26}
    assert get(f"matches/{first.pk}/").body["state"] == "void"
    assert get("modes/").body["items"][0]["withdraw_seconds"] == mode.withdraw_seconds
    assert (withdraw(key).body["state"], Void.objects.count()) == ("void", 1)  # again: nothing


def test_what_a_sender_may_not_withdraw(subtests):
    """Each row: what happened to the sender's result, and what the answer says."""
    mode = make_mode(withdraw_seconds=600)
    key, now, own = make_key(), timezone.now(), {"by": None, "reason": "No.", "now": timezone.now()}
    wrong, turned = result(), [{"score": 1, "players": [{"id": "a"}]}, {"score": 3, "players": [{"id": "b"}]}]
    right = {**wrong, "teams": turned}

    def again(match):
        void([match], **own)
        restore([match], **own)

    for what, happen, status, says in [
        ("the mode lets nobody", lambda match: Mode.objects.update(withdraw_seconds=0), 409,
         "Results of duel can't be withdrawn: ask a moderator"),
        ("too late", lambda match: Match.objects.update(received_at=now - dt.timedelta(seconds=601)), 409,
         "Results of duel can be withdrawn for 600 s after they arrived"),
        ("just in time", lambda match: Match.objects.update(received_at=now - dt.timedelta(seconds=500)), 200, None),
        ("it ended long ago, and has just arrived",
         lambda match: Match.objects.update(ended_at=now - dt.timedelta(days=9)), 200, None),
        ("a moderator voided it", lambda match: void([match], **own), 200, None),
        ("a moderator restored it", again, 409, "A moderator restored this match"),
        ("a moderator corrected it", lambda match: correct_match(match, read_report(right), **own), 409,
         "A moderator corrected this result"),
    ]:  # fmt: skip
        with subtests.test(what=what), rolled_back():
            call("POST", "matches/", wrong, key=key)
            happen(Match.objects.get())
            before = Void.objects.filter(lifted_at=None).count()
            answer = withdraw(key)
            assert answer.status == status
            if status == 409:
                assert (answer.body["code"], answer.body["detail"].startswith(says)) == ("not-withdrawable", True)
                assert Void.objects.filter(lifted_at=None).count() == before
            else:
                assert Void.objects.filter(lifted_at=None).count() == 1
    assert mode.withdraw_seconds == 600


def test_who_may_withdraw_what(subtests):
    mode, other = make_mode(withdraw_seconds=600), make_mode("other")
    send(make_key())
    for what, key, own, reason, status, says in [
        ("another source", make_key(source="else"), "m-1", WHY, 404, "Your source has sent no result 'm-1'."),
        ("an unknown id", make_key(), "m-9", WHY, 404, "Your source has sent no result 'm-9'."),
        ("another scope", make_key("moderate"), "m-1", WHY, 403, "This key lacks the scope 'results'."),
        ("another mode", make_key(modes=[other]), "m-1", WHY, 403, "This key isn't for the mode 'duel'."),
        ("no reason", make_key(), "m-1", " ", 400, "reason: This can't be empty."),
        ("another key of the source", make_key(modes=[mode]), "m-1", WHY, 200, None),
    ]:
        with subtests.test(what=what), rolled_back():
            answer = withdraw(key, own, reason)
            assert (answer.status, answer.body.get("detail")) == (status, says)


def test_a_result_that_waits_for_a_rerating_can_be_withdrawn():
    mode = make_mode(withdraw_seconds=600)
    key = make_key()
    send(key)
    run = Rerating.objects.create(mode=mode, state="running", reason="Test.", requested_at=timezone.now())
    Mode.objects.update(lease=run)
    answer = call("POST", "matches/", result(id="m-2"), key=key)
    assert (answer.status, withdraw(key, "m-2").body["state"]) == (202, "void")


@pytest.mark.django_db(transaction=True)
def test_many_withdrawals_and_a_moderators_void_at_once_are_one_void():
    make_mode(withdraw_seconds=600)
    key = make_key()
    match = send(key)
    jobs = [lambda: withdraw(key).status] * 6
    jobs += [lambda: len(void([match], by=None, reason="No.", now=timezone.now()))] * 2
    at_once(jobs)
    assert Void.objects.filter(lifted_at=None).count() == 1
    assert AuditEntry.objects.filter(act="void").count() == 1
