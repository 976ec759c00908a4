"""Queueing: players and parties get a ticket, find it and cancel it. From the matchmaking rules."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from django.db import IntegrityError, transaction

from matchmaking import lifecycle
from matchmaking.models import Party, PartyMember, Queue, Ticket, TicketMember
from matchmaking.queues._skills import load_skills
from matchmaking.queues.entry import check_may_enter
from matchmaking.refusals import Refusal
from matchmaking.transitions import Ending, end_tickets
from matchmaking.wording import CALLS_OFF
from ranking.models import Player

MOST_PING = 10_000  # milliseconds
BACK_WITHIN = dt.timedelta(minutes=15)  # of the end of the match that was called off, time is given back


@dataclass(frozen=True, slots=True)
class Wish:
    """What a player asks of matches. `width`: percentiles up and down, None = the queue's; `strict`: it never widens.

    `pings`: milliseconds by region, measured by the game; none = any region is good. `ping_limit`: None = the queue's.
    """

    width: int | None = None
    strict: bool = False
    pings: Mapping[str, float] = field(default_factory=dict)
    ping_limit: int | None = None


def queue_player(player: Player, queue: Queue, *, wish: Wish = Wish(), now: dt.datetime) -> Ticket:
    """Queue one player. Raises Refusal, or MayNotQueue if the player is banned or locked out.

    The caller tells the player what `find_warnings` says of the ticket.
    """
    if PartyMember.objects.filter(player=player).exists():
        raise Refusal("in-party:queue")
    return _queue(queue, [player], {player.pk: wish}, wish, None, now)


def queue_party(leader: Player, queue: Queue, *, wish: Wish = Wish(), now: dt.datetime) -> Ticket:
    """Queue the party that `leader` leads, with one rank filter for all and each member's own pings.

    Raises the same as `queue_player`.
    """
    membership = PartyMember.objects.select_related("party").filter(player=leader).first()
    if membership is None:
        raise Refusal("no-party:queue")
    if not membership.leads:
        raise Refusal("not-leader:queue")
    with transaction.atomic():
        party = Party.objects.select_for_update().filter(pk=membership.party_id).first()
        if party is None:  # it has just ended
            raise Refusal("no-party:queue")
        members = list(PartyMember.objects.filter(party=party).select_related("player"))
        players = [leader, *(member.player for member in members if member.player_id != leader.pk)]
        wishes = {
            member.player_id: Wish(wish.width, wish.strict, member.pings, member.ping_limit) for member in members
        }
        if wish.pings:
            wishes[leader.pk] = wish
        return _queue(queue, players, wishes, wish, party, now)


@transaction.atomic
def _queue(
    queue: Queue,
    players: Sequence[Player],
    wishes: Mapping[int, Wish],
    wish: Wish,
    party: Party | None,
    now: dt.datetime,
) -> Ticket:
    ids = sorted(player.pk for player in players)
    # The lock makes merging or anonymising one of these players wait for us, or us wait for it.
    rows = Player.objects.select_for_update(no_key=True).in_bulk(ids)
    players = [rows[player.pk] for player in players]
    check_may_enter(queue, players, now)
    width = wish.width or queue.default_width
    if not 1 <= width <= 100:
        raise Refusal("width")
    pings = shared_pings(queue, [wishes[player.pk] for player in players])
    waited = find_time_given_back(queue, ids, now)
    ticket = Ticket(
        queue=queue,
        party=party,
        size=len(players),
        queued_at=now - dt.timedelta(seconds=waited),
        waiting_since=now,
        waited=waited,
        pings=pings,
    )
    try:
        with transaction.atomic():
            _insert(ticket, players, wish, width)
    except IntegrityError:  # another request was quicker
        own = find_ticket(players[0])
        raise Refusal("busy:party" if party else "busy:one", ticket=own.pk if own else None) from None
    return ticket


def _insert(ticket: Ticket, players: Sequence[Player], wish: Wish, width: int) -> None:
    """Insert the ticket and its players, each with the skill that they have now."""
    skills = load_skills(ticket.queue.mode, sorted(player.pk for player in players))
    ticket.save(force_insert=True)
    TicketMember.objects.bulk_create(
        TicketMember(
            ticket=ticket,
            player=player,
            strength=skills[player.pk].strength,
            display_hundredths=skills[player.pk].hundredths,
            percentile=skills[player.pk].percentile,
            width=width,
            strict=wish.strict,
        )
        for player in players
    )


def shared_pings(queue: Queue, wishes: Sequence[Wish]) -> dict[str, float]:
    """The regions good for all players, with the worst ping in each; {} = any region. Raises Refusal if none is."""
    good: dict[str, float] | None = None
    for wish in wishes:
        own = _good_pings(queue, wish)
        if own is None:
            continue
        good = own if good is None else {name: max(own[name], good[name]) for name in own if name in good}
    if good is None:
        return {}
    if not good:
        raise Refusal("no-region:party" if len(wishes) > 1 else "no-region")
    return good


def _good_pings(queue: Queue, wish: Wish) -> dict[str, float] | None:
    """A player's pings within the player's limit; None if the player named no region."""
    check_pings(queue, wish.pings)
    if not wish.pings:
        return None
    limit = wish.ping_limit or queue.ping_limit
    return {name: float(ping) for name, ping in wish.pings.items() if ping <= limit}


def check_pings(queue: Queue | None, pings: Mapping[str, object]) -> None:
    """Raise Refusal for unknown regions, and for values that aren't pings."""
    if len(pings) > 62:
        raise Refusal("regions")
    for name, ping in pings.items():
        if not 1 <= len(name) <= 32 or (queue is not None and queue.regions and name not in queue.regions):
            regions = queue.regions if queue is not None else []
            raise Refusal("region:choose" if regions else "region", region=repr(name), regions=", ".join(regions))
        if isinstance(ping, bool) or not isinstance(ping, int | float) or not 0 <= ping <= MOST_PING:
            raise Refusal("ping", region=name, most=MOST_PING)


def find_ticket(player: Player) -> Ticket | None:
    """The live ticket of a player, with its queue, mode and lobby; None if there is none."""
    live = Ticket.objects.filter(members__player=player, members__live=True)
    return live.select_related("queue__mode", "lobby").first()


def cancel_ticket(ticket: Ticket, *, by: Player | None, now: dt.datetime) -> None:
    """Cancel a waiting ticket. Each of its players may; `by` None: a game server does it for them.

    Raises Refusal if the ticket doesn't wait any more.
    """
    if by is not None and not ticket.members.filter(player=by).exists():
        raise Refusal("not-yours:ticket")
    ending = Ending("you-left")
    if by is not None and ticket.size > 1:
        ending = Ending("taken-out", {"player": by.name})
    waiting = Ticket.objects.filter(pk=ticket.pk, state=lifecycle.WAITING)
    if not end_tickets(waiting, lifecycle.CANCELLED, ending=ending, now=now):
        ticket.refresh_from_db()
        if ticket.state in (lifecycle.MATCHED, lifecycle.PLAYING):
            raise Refusal("matched")
        raise Refusal("over:ticket-why" if ticket.ending else "over:ticket", why=ticket.ending)
    ticket.refresh_from_db()


def find_time_given_back(queue: Queue, players: Collection[int], now: dt.datetime) -> float:
    """Seconds that these players (ids) waited in the queue for the match that was called off; 0 if there is none.

    It must be the last thing that any of them queued for here, so that the time is given once; and a party gets it
    back as the party that it was, with the same players. One query, or two.
    """
    own = TicketMember.objects.filter(player__in=players).values("ticket")
    latest = Ticket.objects.filter(pk__in=own, queue=queue, ended_at__gte=now - BACK_WITHIN).order_by("pk").last()
    if latest is None or latest.state != lifecycle.DONE or latest.ending_code not in CALLS_OFF:
        return 0.0
    members = set(latest.members.values_list("player", flat=True))
    return latest.waited_at(now) if members == set(players) else 0.0
