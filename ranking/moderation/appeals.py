"""Appeals: a player objects to a ban or a lockout once, and a moderator decides. Source: the conduct rules."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from ranking.database.retries import retried
from ranking.models import Appeal, Ban, Incident, Player
from ranking.moderation.incidents import find_lapses
from ranking.moderation.sanctions import lift_locked, lock_rows, pardon_incidents, settle
from ranking.operations.audit import record_acts
from ranking.players.players import share_every_mode
from ranking.rules.conduct import Lapse, Lockout, lockout_of
from ranking.wording.refusals import WordedRefusal
from ranking.wording.translation import number_text

APPEALABLE = dt.timedelta(days=30)  # after a lockout began; at 10 % a day its points are a tenth by then


_SENTENCES: dict[str, object] = {
    "no-words": _("Say in your words why it was wrong."),
    "too-long": _("Say it in at most %(most)s characters; these are %(length)s."),
    "twice": _("You have appealed against this already; it is decided once."),
    "nothing": _("There is nothing to appeal against: it is over, was pardoned, or isn't yours."),
}


class MayNotAppeal(WordedRefusal):
    """The player may not appeal. `str` words its code for the player, in their language."""

    sentences = _SENTENCES


@dataclass(frozen=True, slots=True)
class Grounds:
    """What a player may appeal against now: running bans by id, and recent lockouts by their incidents' ids."""

    bans: dict[int, Ban]
    lockouts: dict[int, Lockout]


def find_grounds(player: int, now: dt.datetime) -> Grounds:
    """The player's grounds, without those appealed against before. Three queries."""
    appealed = set(Appeal.objects.filter(player=player).values_list("ban", "incident"))
    bans, incidents = {ban for ban, _ in appealed}, {incident for _, incident in appealed}
    running = Ban.objects.running(now).filter(player=player).order_by("-id")
    lockouts = lockouts_of(find_lapses([player], now)[player], now)
    return Grounds(
        {ban.pk: ban for ban in running if ban.pk not in bans},
        {number: lockout for number, lockout in lockouts.items() if number not in incidents},
    )


def lockouts_of(lapses: list[Lapse], now: dt.datetime) -> dict[int, Lockout]:
    """Recent lockouts by their incidents' ids, over or not, without those of no length."""
    recent = [lockout_of(lapse, lapses) for lapse in lapses if now - APPEALABLE < lapse.at <= now]
    return {lockout.lapse.id: lockout for lockout in recent if lockout.until > lockout.since}


@transaction.atomic
def appeal_against(
    player: Player, *, words: str, now: dt.datetime, ban: int | None = None, incident: int | None = None
) -> Appeal:
    """Appeal against a ban, or against the lockout of an incident. Raises MayNotAppeal."""
    text = words.strip()
    if not text:
        raise MayNotAppeal("no-words")
    if len(text) > Appeal.LONGEST:
        raise MayNotAppeal("too-long", most=number_text(Appeal.LONGEST), length=number_text(len(text)))
    against = {"ban_id": ban} if ban is not None else {"incident_id": incident}
    if Appeal.objects.filter(player=player, **against).exists():
        raise MayNotAppeal("twice")
    grounds = find_grounds(player.pk, now)
    if ban not in grounds.bans and incident not in grounds.lockouts:
        raise MayNotAppeal("nothing")
    try:
        with transaction.atomic():
            return Appeal.objects.create(player=player, words=text, made_at=now, **against)
    except IntegrityError as error:
        raise MayNotAppeal("twice") from error


@retried
@transaction.atomic
def assign_appeals(appeals: Iterable[int], *, to: User | None, by: User | None, now: dt.datetime) -> list[Appeal]:
    """Assign the open ones of these appeals to a moderator, or to nobody (`to` None). Return those that changed.

    Everybody may still decide them: an assignment tells the others that somebody looks into it.
    """
    still_open = lock_rows(Appeal.objects.filter(pk__in=list(appeals), decided_at=None).select_related("player"))
    changed = [appeal for appeal in still_open if appeal.assigned_to_id != (to and to.pk)]
    Appeal.objects.filter(pk__in=[appeal.pk for appeal in changed]).update(assigned_to=to)
    act, reason = ("assign appeal", f"To {to.get_username()}.") if to else ("unassign appeal", "To nobody.")
    lines = [(f"appeal {appeal.pk}", appeal.player_id) for appeal in changed]
    record_acts(act, lines, by=by, reason=reason, now=now)
    return changed


def find_next_appeal(moderator: User, *, after: Appeal) -> Appeal | None:
    """Return the oldest open appeal made after this one, of those assigned to this moderator or to nobody.

    If there is none, return the oldest open one made before.
    """
    mine = Q(assigned_to=moderator) | Q(assigned_to=None)
    others = Appeal.objects.filter(mine, decided_at=None).exclude(pk=after.pk).order_by("made_at", "id")
    later = Q(made_at__gt=after.made_at) | Q(made_at=after.made_at, pk__gt=after.pk)
    return others.filter(later, made_at__gte=after.made_at).first() or others.first()


@retried
@transaction.atomic
def decide_appeals(
    appeals: Iterable[int], *, grant: bool, by: User | None, reason: str, now: dt.datetime, note: str = ""
) -> list[Appeal]:
    """Decide the open ones of these appeals, and return them. A granted appeal lifts the ban or pardons the incident.

    `reason` is the answer to the player, and only moderators read `note`. Raises ValueError without a reason.
    """
    share_every_mode()
    rows = Appeal.objects.filter(pk__in=list(appeals))
    # Bans and incidents are locked before their appeals, in the order of lift_bans and pardon_incidents.
    bans = lock_rows(Ban.objects.filter(appeal__in=rows).select_related("player"))
    lock_rows(Incident.objects.filter(appeal__in=rows))
    still_open = lock_rows(rows.filter(decided_at=None).select_related("player"))
    if grant:
        appealed = {appeal.ban_id for appeal in still_open}
        incidents = [appeal.incident_id for appeal in still_open if appeal.incident_id is not None]
        lift_locked([ban for ban in bans if ban.pk in appealed], by=by, reason=reason, note=note, now=now)
        pardon_incidents(incidents, by=by, reason=reason, note=note, now=now)
    # An appeal against a ban that has ended isn't settled above.
    decision = Appeal.GRANTED if grant else Appeal.CONFIRMED
    left = Appeal.objects.filter(pk__in=[appeal.pk for appeal in still_open])
    settle(left, decision, by=by, reason=reason, note=note, now=now)
    return still_open
