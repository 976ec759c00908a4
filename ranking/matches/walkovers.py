"""Walkovers: a match in which only one side ever played. Each player who never came has forfeited it.

That is the rule of a lobby whose players aren't there when its match begins: see forfeits. Whoever forfeited the lobby
of the match before doesn't forfeit it again.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection

from django.db import transaction
from django.db.models import Q

from ranking.database.bulk_writes import insert_rows
from ranking.matches.forfeits import dropout_of, insert_forfeit, rate_forfeits
from ranking.matches.ledger import Pair
from ranking.matches.records import MatchRecord
from ranking.models import Forfeit, Match, Participation
from ranking.modes.parameters import Rules
from ranking.systems.base import Refused

_REASON = "Never played in the match."


def forfeits_as(match: Match) -> str:
    """The lobby that a match's forfeits name: its own or, if it had none, the match itself."""
    return match.lobby or f"match {match.pk}"


def find_walkover(forfeit: Forfeit) -> int | None:
    """The number of the walkover that a forfeit is from; None if it is from a lobby whose match never began."""
    kind, _, number = forfeit.lobby.partition(" ")
    walkovers = Match.objects.filter(mode=forfeit.mode_id, uncounted=Match.WALKOVER)
    own = Q(pk=int(number)) if kind == "match" and number.isdecimal() else Q(lobby=forfeit.lobby)
    return walkovers.filter(own).values_list("pk", flat=True).first()


def forfeit_walkover(record: MatchRecord, rules: Rules, *, now: dt.datetime, unrated: Collection[Pair]) -> None:
    """Record and rate that players of a saved walkover never came, inside the caller's transaction.

    `unrated` and TryAgain: see lock_ratings.
    """
    match, lobby = record.match, forfeits_as(record.match)
    teams = [[part.player_id for part in record.parts if part.team == index] for index in range(len(match.teams))]
    forfeits = [
        Forfeit(mode=rules.mode, lobby=lobby, player_id=player, teams=teams, reason=_REASON, happened_at=match.ended_at)
        for player in sorted(part.player_id for part in record.parts if _is_absent(part))
    ]
    try:
        with transaction.atomic():
            # All are written before any rating is locked, as a lobby's are.
            new = [recorded for recorded, is_new in map(insert_forfeit, forfeits) if is_new]
            if not rules.waits(match.ended_at):
                rate_forfeits(new, rules, now=now, unrated=unrated)
    except Refused:  # the system doesn't rate forfeits of such teams: record the incidents only
        insert_rows([dropout_of(forfeit) for forfeit in forfeits], ignore_conflicts=True)


def _is_absent(part: Participation) -> bool:
    return part.left_early and part.seconds == 0
