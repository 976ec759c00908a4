"""Why a match moved each rating: the system's factors with the match's numbers, from the ledger's states."""

from __future__ import annotations

import datetime as dt

from django.db.models import OuterRef, Subquery, Value
from django.db.models.functions import Coalesce

from ranking.matches.rating import result_of
from ranking.matches.records import MatchRecord
from ranking.models import Change, Match, Player
from ranking.modes.parameters import system_of
from ranking.systems.base import Refused
from ranking.systems.shared.explanations import Explanation, explanation_of


def find_match(name: str) -> Match | None:
    """A match by the site's own number of it, or as SOURCE:ID by its sender's."""
    matches = Match.objects.select_related("mode", "source", "season")
    if name.isascii() and name.isdecimal():
        return matches.filter(pk=int(name)).first() if len(name) <= 18 else None
    source, _, own_id = name.partition(":")
    return matches.filter(source__slug=source, external_id=own_id).first()


def explain(play: MatchRecord) -> dict[int, Explanation]:
    """By player's id, why their rating moved so; empty where the match isn't rated (whole).

    No query, or one where the system counts the days since everyone's last match.
    """
    if not play.changes or len(play.changes) != len(play.parts):
        return {}
    system = system_of(play.changes[0].parameters)
    states = [change.before for change in play.changes]
    last: dict[int, dt.datetime | None] = _last_played(play) if system.counts_idle_days else {}
    try:
        result = result_of(play, states, system, [last.get(part.player_id) for part in play.parts])
        factors = [found for team in system.explain(result) for found in team]
    except Refused:
        return {}
    return {
        part.player_id: explanation_of(found, system.decimals) for part, found in zip(play.parts, factors, strict=True)
    }


def _last_played(play: MatchRecord) -> dict[int, dt.datetime | None]:
    """When each player's latest match had ended when this one was rated, by the ledger.

    That is the latest end among all matches before; one that wasn't late ended after all before it, so none
    before the newest such needs to be read.
    """
    change = play.changes[0]
    before = Change.objects.live().filter(
        player=OuterRef("pk"),
        mode=change.mode_id,
        season=change.season_id,
        event__lt=change.event_id,
        kind=Change.MATCH,
    )
    newest_in_time = before.filter(match__late=False).order_by("-event").values("event")[:1]
    latest = before.filter(event__gte=OuterRef("since")).order_by("-match__ended_at").values("match__ended_at")[:1]
    players = Player.objects.filter(pk__in=[part.player_id for part in play.parts])
    return dict(
        players.annotate(since=Coalesce(Subquery(newest_in_time), Value(0)))
        .annotate(last=Subquery(latest))
        .values_list("pk", "last")
    )
