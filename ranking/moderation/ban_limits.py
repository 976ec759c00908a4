"""Who may ban how long, and from what: the limits of groups, which hold on pages, by API and for proposals.

A limit bounds the rights that its group gives. Of several groups that give the same right, the one with the longest ban
counts, for queues and boards each. Superusers, and rights that an account has for itself, have no limit.
"""

from __future__ import annotations

import copy
import datetime as dt
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from django.contrib.auth.models import Group, User

from ranking.models import Ban
from ranking.rules.ban_lengths import length_of, length_words
from ranking.rules.ban_limits import Stretch, stays_within

BAN_RIGHT, EXTEND_RIGHT, LIFT_RIGHT = "ranking.add_ban", "ranking.extend_ban", "ranking.lift_ban"
_PLACES = dict(Ban.SCOPES)
_NAMED = 3  # players whom a sentence names


class MayNotBan(Exception):
    """Somebody may not ban so long, or not from there. The text is a sentence for them."""


@dataclass(frozen=True, slots=True)
class BanLimit:
    """How long somebody may ban. `longest`: by what they may ban from, "queue" and "boards"; None = no limit there."""

    longest: Mapping[str, dt.timedelta | None]

    @property
    def scopes(self) -> list[str]:
        """From what they may ban: Ban.SCOPES."""
        return [scope for scope in _PLACES if set(_kinds_of(scope)) <= self.longest.keys()]

    def allows(self, scope: str, length: dt.timedelta | None) -> bool:
        """True if they may give such a ban to a player who wasn't banned before; `length` None = for good."""
        lengths = [self.longest.get(kind, dt.timedelta()) for kind in _kinds_of(scope)]
        return all(longest is None or (length is not None and length <= longest) for longest in lengths)

    @property
    def sentence(self) -> str:
        parts = [f"from {_PLACES[kind]} {_at_most(length)}" for kind, length in self.longest.items()]
        return f"You may ban {' and '.join(parts)}." if parts else "You may not ban."


def find_limit(by: User | None, right: str) -> BanLimit | None:
    """The limit of somebody's right; None: there is none. At most two queries."""
    if by is None or by.is_superuser or right in by.get_user_permissions():
        return None
    app, _, codename = right.partition(".")
    groups = Group.objects.filter(
        user=by, permissions__codename=codename, permissions__content_type__app_label=app
    ).select_related("ban_limit")
    longest: dict[str, dt.timedelta | None] = {}
    for group in groups:
        row = getattr(group, "ban_limit", None)
        if row is None:
            return None
        length = length_of(None, row.hours)
        for kind, allowed in ((Ban.QUEUE, row.from_queues), (Ban.BOARDS, row.from_boards)):
            if allowed:
                known = longest.get(kind, dt.timedelta())
                longest[kind] = None if length is None or known is None else max(known, length)
    return BanLimit(dict(sorted(longest.items(), reverse=True))) if longest else None


def check_may_give(bans: Collection[Ban], *, by: User | None, right: str) -> None:
    """Raise MayNotBan if one of these bans, as it is here, is more than `by` may give.

    It counts together with the stored bans of its player. A stored ban is taken as it is here, not as it is stored.
    """
    limit = find_limit(by, right)
    if limit is None:
        return
    players, changed = {ban.player_id for ban in bans}, {ban.pk for ban in bans}
    others: dict[int, list[Ban]] = defaultdict(list)
    for ban in Ban.objects.filter(player__in=players).exclude(pk__in=changed - {None}):
        others[ban.player_id].append(ban)
    _check(bans, limit, lambda ban, kind: [*_stretches(others[ban.player_id], kind), (ban.starts_at, ban.ends_at)])


def check_may_end(bans: Collection[Ban], *, by: User | None, right: str) -> None:
    """Raise MayNotBan if `by` may not change the end of one of these bans: they may not have given such a ban."""
    limit = find_limit(by, right)
    if limit is not None:
        _check(bans, limit, lambda ban, kind: [(ban.starts_at, ban.ends_at)])


def with_end(ban: Ban, ends_at: dt.datetime | None) -> Ban:
    """A copy of the ban that ends at another time, and isn't lifted."""
    other = copy.copy(ban)
    other.ends_at, other.lifted_at = ends_at, None
    return other


def _is_within(limit: BanLimit, kind: str, ban: Ban, stretches: Callable[[Ban, str], list[Stretch]]) -> bool:
    if kind not in limit.longest:
        return False
    longest = limit.longest[kind]
    return longest is None or stays_within(longest, ban.ends_at, stretches(ban, kind))


def _check(bans: Iterable[Ban], limit: BanLimit, stretches: Callable[[Ban, str], list[Stretch]]) -> None:
    too_long = [
        ban.player.name
        for ban in bans
        if not all(_is_within(limit, kind, ban, stretches) for kind in _kinds_of(ban.scope))
    ]
    if too_long:
        names = ", ".join(too_long[:_NAMED])
        more = f" and {len(too_long) - _NAMED:,} more" if len(too_long) > _NAMED else ""
        raise MayNotBan(
            f"{limit.sentence} All bans of a player count together; this is more than that for {names}{more}."
            " Nothing has changed. You can propose such a ban to another moderator."
        )


def _stretches(bans: Iterable[Ban], kind: str) -> list[Stretch]:
    return [
        (ban.starts_at, min((end for end in (ban.ends_at, ban.lifted_at) if end is not None), default=None))
        for ban in bans
        if kind in _kinds_of(ban.scope)
    ]


def _kinds_of(scope: str) -> tuple[str, ...]:
    return (Ban.QUEUE, Ban.BOARDS) if scope == Ban.BOTH else (scope,)


def _at_most(length: dt.timedelta | None) -> str:
    if length is None:
        return "for any time"
    hours = length // dt.timedelta(hours=1)
    return f"for at most {hours} hours" if 1 < hours <= 48 else f"for at most{length_words(length).removeprefix('for')}"
