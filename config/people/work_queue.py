"""What waits for somebody, at the head of the admin's home: numbers that lead to the lists of what they count."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Max, Min, QuerySet
from django.urls import reverse
from django.utils.timesince import timesince

from leaderboards.models import Delivery
from matchmaking.models import Ticket
from ranking.models import Appeal, Ban, BanProposal, ComplaintCase, Finding, Match, OutboxEntry, Snapshot

MOST = 1_000  # rows that are counted; of more it says so many and a plus
SOON = dt.timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Waiting:
    """A line of the work queue. `number`: text. `fault`: something failed, and doesn't mend itself."""

    words: str
    number: str
    address: str
    hint: str = ""
    fault: bool = False


def work_queue(user: User | AnonymousUser, now: dt.datetime) -> list[Waiting]:
    """What waits in the lists that this user may view. One query a line, two for appeals; no row is read."""
    return [line for permission, lines in _LINES if user.has_perm(permission) for line in lines(now)]


def _counted(rows: QuerySet[Any]) -> tuple[str, bool]:
    """The number of rows, and whether there is one."""
    count = rows.order_by()[: MOST + 1].count()
    return (f"{count:,}" if count <= MOST else f"{MOST:,}+"), count > 0


def _appeals(now: dt.datetime) -> Iterator[Waiting]:
    appeals = Appeal.objects.filter(decided_at=None)
    number, some = _counted(appeals)
    oldest = appeals.aggregate(at=Min("made_at"))["at"] if some else None
    hint = f"the oldest for {timesince(oldest, now, depth=1)}" if oldest else ""
    yield Waiting("Open appeals", number, reverse("admin:ranking_appeal_changelist"), hint)


def _proposals(now: dt.datetime) -> Iterator[Waiting]:
    number, _ = _counted(BanProposal.objects.filter(decided_at=None))
    yield Waiting("Proposed bans", number, reverse("admin:ranking_banproposal_changelist"))


def _findings(now: dt.datetime) -> Iterator[Waiting]:
    number, _ = _counted(Finding.objects.filter(verdict=Finding.OPEN).exclude(kind=Finding.NEWCOMER))
    yield Waiting("Abuse reports to review", number, _list("ranking_finding", verdict=Finding.OPEN))


def _complaints(now: dt.datetime) -> Iterator[Waiting]:
    number, _ = _counted(ComplaintCase.objects.filter(verdict=ComplaintCase.OPEN))
    yield Waiting("Players reported by others", number, reverse("admin:ranking_complaintcase_changelist"))


def _bans(now: dt.datetime) -> Iterator[Waiting]:
    number, _ = _counted(Ban.objects.running(now).filter(ends_at__lte=now + SOON))
    yield Waiting("Bans that end within a day", number, _list("ranking_ban", running="day"))


def _matches(now: dt.datetime) -> Iterator[Waiting]:
    number, _ = _counted(Match.objects.filter(event=None))
    yield Waiting("Matches not rated yet", number, _list("ranking_match", state="waiting"))


def _outbox(now: dt.datetime) -> Iterator[Waiting]:
    number, some = _counted(OutboxEntry.objects.filter(parked_at__isnull=False))
    yield Waiting("Outbox entries given up", number, _list("ranking_outboxentry", state="parked"), fault=some)


def _boards(now: dt.datetime) -> Iterator[Waiting]:
    newest = Snapshot.objects.filter(season__current=True, region="").values("mode__name").annotate(at=Max("taken_at"))
    oldest = newest.order_by("at").first()
    if oldest is not None:
        age = timesince(oldest["at"], now, depth=1)
        yield Waiting("Oldest board", age, reverse("admin:ranking_snapshot_changelist"), oldest["mode__name"])


def _deliveries(now: dt.datetime) -> Iterator[Waiting]:
    number, some = _counted(Delivery.objects.filter(parked_at__isnull=False))
    address = _list("leaderboards_delivery", state="parked")
    yield Waiting("Webhook messages given up", number, address, fault=some)


def _tickets(now: dt.datetime) -> Iterator[Waiting]:
    number, _ = _counted(Ticket.objects.filter(state="waiting"))
    yield Waiting("Tickets in queues", number, _list("matchmaking_ticket", state="waiting"))


def _list(model: str, **filters: str) -> str:
    return reverse(f"admin:{model}_changelist", query=filters)


_LINES = (
    ("ranking.view_appeal", _appeals),
    ("ranking.view_banproposal", _proposals),
    ("ranking.view_finding", _findings),
    ("ranking.view_complaintcase", _complaints),
    ("ranking.view_ban", _bans),
    ("ranking.view_match", _matches),
    ("ranking.view_outboxentry", _outbox),
    ("ranking.view_snapshot", _boards),
    ("leaderboards.view_delivery", _deliveries),
    ("matchmaking.view_ticket", _tickets),
)
