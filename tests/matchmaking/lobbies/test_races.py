"""Results for one lobby at once, beside each other and beside its other ends: on PostgreSQL from many connections."""

import random

import pytest

from matchmaking import lifecycle
from matchmaking.lobbies import playing
from matchmaking.models import Lobby, Ticket
from matchmaking.operations import invariants
from matchmaking.refusals import Refusal
from ranking.matches.recording import LOBBY_HAS_RESULT, RATED, VOID, record_results
from ranking.models import Change, Forfeit, Match, Player, Void
from tests.support.concurrency import at_once
from tests.support.factories import make_report, make_source
from tests.support.matchmaking import accept_all, later, make_lobby, make_queue, start, states

pytestmark = pytest.mark.django_db(transaction=True)


def live(count: int, **settings) -> list[tuple[Lobby, list[Player]]]:
    queue = make_queue(longest_match=600, **settings)
    made = [make_lobby(queue) for _ in range(count)]
    return [(start(accept_all(lobby)), people) for lobby, people in made]


def send(lobby: Lobby, one: str, other: str, *, id: str, source: str = "test", at: float = 60) -> str:
    report = make_report([one], [other], id=id, lobby=lobby.pk, ended_at=later(50))
    return record_results([report], source=make_source(source), now=later(at))[0].state


def tried(act, *args, **kwargs) -> str:
    try:
        act(*args, **kwargs)
    except Refusal as refusal:
        return refusal.code
    return "done"


def check_whole() -> None:
    assert list(invariants.violations(later(5))) == []
    counting = Match.objects.exclude(pk__in=Void.objects.values("match"))
    assert Change.objects.filter(match__isnull=False).count() == 2 * counting.count()
    assert not Ticket.objects.filter(state=lifecycle.PLAYING).exists()


@pytest.mark.parametrize("rosters", ["the same", "disjoint"])
def test_of_two_results_at_once_one_is_recorded(rosters):
    """Results with the same players wait for their ratings; those that share nobody meet at the lobby's row only."""
    make_source("test"), make_source("captain")
    made = live(8)
    jobs = []
    for index, (lobby, [one, other]) in enumerate(made):
        second = (one.key, other.key) if rosters == "the same" else (f"x{index}", f"y{index}")
        jobs += [
            lambda lobby=lobby, one=one, other=other, index=index: send(lobby, one.key, other.key, id=f"a{index}"),
            lambda lobby=lobby, second=second, index=index: send(lobby, *second, id=f"b{index}", source="captain"),
        ]
    told = at_once(jobs)
    assert [sorted(told[index : index + 2]) for index in range(0, len(told), 2)] == [[LOBBY_HAS_RESULT, RATED]] * 8
    assert Match.objects.count() == 8
    assert states(*(lobby for lobby, _ in made)) == [lifecycle.FINISHED] * 8
    assert set(Match.objects.values_list("pk", flat=True)) == {lobby.match_id for lobby, _ in made}
    check_whole()


def test_batches_in_opposite_orders_record_each_lobby_once():
    make_source("test"), make_source("captain")
    made = live(12)

    def send_all(source: str, order: list[int]) -> list[str]:
        reports = [
            make_report(
                [made[index][1][0].key], [made[index][1][1].key], id=f"m{index}", lobby=made[index][0].pk,
                ended_at=later(50),
            )
            for index in order
        ]  # fmt: skip
        return [answer.state for answer in record_results(reports, source=make_source(source), now=later(60))]

    orders = {"test": list(range(12)), "captain": list(reversed(range(12)))}
    told = at_once([lambda source=source, order=order: send_all(source, order) for source, order in orders.items()])
    assert sorted(told[0] + told[1]) == [LOBBY_HAS_RESULT] * 12 + [RATED] * 12
    assert Match.objects.count() == 12
    check_whole()


def test_a_result_beside_a_lobbys_other_end():
    """Whichever comes first holds: the result counts, or it is void. Nobody waits in deadlock."""
    rng = random.Random(5)
    make_source("test"), make_source("captain")
    lost, left = live(6), []
    queue = make_queue("squad")
    for _ in range(6):
        lobby, people = make_lobby(queue)
        left.append((accept_all(lobby), people))
    jobs = []
    for index, (lobby, [one, other]) in enumerate([*lost, *left]):
        if index < 6:
            ends = [lambda lobby=lobby: str(playing.lose_match(lobby.pk, now=later(700)))]
        else:
            ends = [lambda lobby=lobby, one=one: tried(playing.leave_lobby, lobby.pk, one, now=later(4))]
        mode = lobby.queue.mode.slug
        jobs += rng.sample([
            *ends,
            *(
                lambda lobby=lobby, one=one, other=other, mode=mode, source=source: _send_in(
                    mode, lobby, one.key, other.key, source
                )
                for source in ("test", "captain")
            ),
        ], 3)  # fmt: skip
    told = at_once(jobs)
    for index, (lobby, _) in enumerate([*lost, *left]):
        ends = {lifecycle.LOST, lifecycle.FORFEITED}
        own = [word for word in told[3 * index : 3 * index + 3] if word in (RATED, VOID, LOBBY_HAS_RESULT)]
        [state] = states(lobby)
        assert sorted(own) == [LOBBY_HAS_RESULT, VOID if state in ends else RATED], (index, state, own)
    assert Forfeit.objects.count() == sum(lobby.state == lifecycle.FORFEITED for lobby, _ in left)
    check_whole()


def _send_in(mode: str, lobby: Lobby, one: str, other: str, source: str) -> str:
    report = make_report([one], [other], mode=mode, id=f"{source}-{lobby.pk}", lobby=lobby.pk, ended_at=later(50))
    return record_results([report], source=make_source(source), now=later(60))[0].state
