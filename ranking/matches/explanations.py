"""Explains why a match or a forfeit changed a rating: the system's factors, computed from the states in the ledger."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence

from django.db.models import Count, OuterRef, Subquery, Value
from django.db.models.functions import Coalesce

from ranking.matches.rating import forfeit_result, result_of
from ranking.matches.records import MatchRecord
from ranking.models import Change, Forfeit, Match, Player, Seed
from ranking.modes.mode_states import system_at
from ranking.systems.base import Refused, State
from ranking.systems.shared.explanations import Explanation
from ranking.systems.shared.staying import explain_dropout, explanations_of


def find_match(name: str) -> Match | None:
    """The match with this number of the site, or with this SOURCE:ID of its sender."""
    matches = Match.objects.select_related("mode", "source", "season")
    if name.isascii() and name.isdecimal():
        return matches.filter(pk=int(name)).first() if len(name) <= 18 else None
    source, _, own_id = name.partition(":")
    return matches.filter(source__slug=source, external_id=own_id).first()


def explain(record: MatchRecord) -> dict[int, Explanation]:
    """The explanation of each player's change, by the player's id; empty if the match isn't rated for everybody.

    It takes no query; one if the system counts the days since each player's last match, two if it counts matches, and
    two if it learns about the mode.
    """
    if not record.changes or len(record.changes) != len(record.parts):
        return {}
    change = record.changes[0]
    system = system_at(change.parameters, change.generation, named=record.match.mode_state_id, sequence=change.event_id)
    states = [change.before for change in record.changes]
    last: dict[int, dt.datetime | None] = _last_played(record) if system.counts_idle_days else {}
    players = [part.player_id for part in record.parts]
    matches: dict[int, int] = _matches_before(change, players) if system.counts_matches else {}
    try:
        result = result_of(
            record, states, system, [last.get(pk) for pk in players], [matches.get(pk, 0) for pk in players]
        )
        explanations = [own for team in explanations_of(system, result) for own in team]
    except Refused:
        return {}
    return dict(zip(players, explanations, strict=True))


def find_forfeit(lobby: str, player: str) -> Forfeit | None:
    """The forfeit of the player with this key, who dropped out of the lobby with this id."""
    forfeits = Forfeit.objects.select_related("mode", "player", "season")
    return forfeits.filter(lobby=lobby, player__key=player).order_by("pk").first()


def find_change(forfeit: Forfeit) -> Change | None:
    """What the forfeit did to the rating; None if it isn't rated, or void."""
    changes = Change.objects.live().select_related("parameters")
    return changes.filter(event=forfeit.event_id, kind=Change.FORFEIT).first() if forfeit.event_id else None


def explain_forfeit(forfeit: Forfeit, change: Change) -> Explanation | None:
    """The explanation of a forfeit's change. Two queries; two more if the system counts matches.

    None if the ledger doesn't give the change anew: while the mode is being rated anew, or players have been merged.
    """
    system = system_at(change.parameters, change.generation, named=forfeit.mode_state_id, sequence=change.event_id)
    states = _states_before(change, {pk for team in forfeit.teams for pk in team})
    matches = _matches_before(change, [change.player_id]) if system.counts_matches else {}

    def skill_of(player: int) -> object:
        return system.from_state(states[player]) if player in states else system.newcomer()

    try:
        result = forfeit_result(forfeit.teams, change.player_id, skill_of, matches.get(change.player_id, 0))
        after, explanation = explain_dropout(system, result)
    except (Refused, LookupError):
        return None
    return explanation if system.to_state(after).display_hundredths == change.display_after else None


def _states_before(change: Change, players: Iterable[int]) -> dict[int, State]:
    """Each player's state before a change, by the player's id; newcomers are left out."""
    before = Change.objects.live().filter(
        player=OuterRef("pk"), mode=change.mode_id, season=change.season_id, event__lt=change.event_id
    )
    newest = Player.objects.filter(pk__in=players).annotate(newest=Subquery(before.order_by("-event").values("pk")[:1]))
    rows = Change.objects.filter(pk__in=[pk for pk in newest.values_list("newest", flat=True) if pk])
    return {row.player_id: row.after for row in rows}


def _matches_before(change: Change, players: Sequence[int]) -> dict[int, int]:
    """The number of each player's matches before a change, by the player's id: those rated, read from the ledger, and
    those that the rating rests on that they brought along. Two queries.
    """
    before = Change.objects.live().filter(
        player__in=players,
        mode=change.mode_id,
        season=change.season_id,
        event__lt=change.event_id,
        kind=Change.MATCH,
    )
    counts = dict(before.order_by().values_list("player").annotate(number=Count("pk")))
    seeds = Seed.objects.filter(player__in=players, season=change.season_id, matches__gt=0)
    for player, matches in seeds.values_list("player", "matches"):
        counts[player] = counts.get(player, 0) + matches
    return counts


def _last_played(record: MatchRecord) -> dict[int, dt.datetime | None]:
    """The end of each player's last match when this one was rated, by the player's id; read from the ledger.

    That is the latest end of all matches rated before. A match that wasn't late ended after all matches rated before
    it, so nothing older than the newest such match needs to be read.
    """
    change = record.changes[0]
    before = Change.objects.live().filter(
        player=OuterRef("pk"),
        mode=change.mode_id,
        season=change.season_id,
        event__lt=change.event_id,
        kind=Change.MATCH,
    )
    newest_in_time = before.filter(match__late=False).order_by("-event").values("event")[:1]
    latest = before.filter(event__gte=OuterRef("since")).order_by("-match__ended_at").values("match__ended_at")[:1]
    players = Player.objects.filter(pk__in=[part.player_id for part in record.parts])
    return dict(
        players.annotate(since=Coalesce(Subquery(newest_in_time), Value(0)))
        .annotate(last=Subquery(latest))
        .values_list("pk", "last")
    )
