"""Forfeits: a player who drops out of a lobby loses what leaving the match at once would cost; nobody else gains."""

import datetime as dt
import functools
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Coalesce

from ranking.matches.ledger import Findings, Pair, attempt, lock_ratings
from ranking.matches.rating import rate_forfeit
from ranking.models import Change, Event, Forfeit, Incident, Mode, Participation, Player, Rating, Void
from ranking.models.change import states_of
from ranking.modes.mode_states import Learning, learnings_of
from ranking.modes.parameters import Rules, rules_in_force
from ranking.standings.match_standings import MatchStanding, PublishedBoard, standing_columns, standings_now


def record_forfeit(
    mode: Mode, *, lobby: str, teams: Sequence[Sequence[Player]], player: Player, reason: str, now: dt.datetime
) -> Forfeit:
    """Record and rate that `player` dropped out of a lobby with these proposed teams: once for each lobby and player.

    The forfeit is an incident, too. While the mode is being rated anew, or a season ends, it is only recorded, and
    rated later. Raises ValueError if the player isn't in the teams, Refused if the system can't rate them.
    """
    if [member.pk for team in teams for member in team].count(player.pk) != 1:
        raise ValueError("Who drops out is in the proposed teams, once.")
    return attempt(functools.partial(_record_once, mode, lobby, teams, player, reason, now))


@transaction.atomic
def _record_once(
    mode: Mode,
    lobby: str,
    teams: Sequence[Sequence[Player]],
    player: Player,
    reason: str,
    now: dt.datetime,
    findings: Findings,
) -> Forfeit:
    rules = rules_in_force([mode.slug])[mode.slug]
    owners = _owners(teams)
    rosters = [[owners[member.pk] for member in team] for team in teams]
    forfeit = Forfeit(
        mode=mode, lobby=lobby, player_id=owners[player.pk], teams=rosters, reason=reason, happened_at=now
    )
    recorded, new = insert_forfeit(forfeit)
    if new and not rules.waits(now):
        rate_forfeits([recorded], rules, now=now, unrated=findings.unrated)
    return recorded


def insert_forfeit(forfeit: Forfeit) -> tuple[Forfeit, bool]:
    """Write a forfeit with its incident, inside the caller's transaction, and return it with True.

    If its player has forfeited its lobby already, return the earlier one with False.
    """
    once = {"mode": forfeit.mode, "lobby": forfeit.lobby, "player_id": forfeit.player_id}
    details = {"teams": forfeit.teams, "reason": forfeit.reason, "happened_at": forfeit.happened_at}
    recorded, new = Forfeit.objects.get_or_create(**once, defaults=details)
    if new:
        dropout_of(recorded).save()
    return recorded, new


def dropout_of(forfeit: Forfeit) -> Incident:
    """The incident of a saved forfeit."""
    return Incident(
        player_id=forfeit.player_id,
        kind=Incident.DROPOUT,
        occasion=occasion_of(forfeit.mode_id, forfeit.lobby),
        happened_at=forfeit.happened_at,
        mode_id=forfeit.mode_id,
        forfeit_id=forfeit.pk,
    )


def occasion_of(mode_id: int, lobby: str) -> str:
    return f"lobby:{mode_id}:{lobby}"


def _owners(teams: Sequence[Sequence[Player]]) -> dict[int, int]:
    """The player whom each member plays for, by the member's id: members may have been merged since."""
    rows: QuerySet[Any, Any] = Player.objects.filter(pk__in=[member.pk for team in teams for member in team])
    return dict(rows.annotate(owner=Coalesce("merged_into", "pk")).values_list("pk", "owner"))


def is_void() -> Exists:
    """A condition on forfeits: they are void, i.e. taken out of the history."""
    return Exists(Void.objects.filter(forfeit=OuterRef("pk"), lifted_at=None))


def find_waiting(mode: Mode) -> QuerySet[Forfeit]:
    """Forfeits that were recorded and not rated yet."""
    return Forfeit.objects.filter(~is_void(), mode=mode, event=None).order_by("id")


def rate_forfeits(forfeits: Sequence[Forfeit], rules: Rules, *, now: dt.datetime, unrated: Collection[Pair]) -> None:
    """Rate forfeits of one mode in the order given, inside the caller's transaction. Raises Refused.

    `unrated` and TryAgain: see lock_ratings.
    """
    if not forfeits:
        return
    mode_id = rules.mode.pk
    players = Player.objects.in_bulk({pk for forfeit in forfeits for team in forfeit.teams for pk in team})
    entrants = {(mode_id, pk): (player, "") for pk, player in players.items()}
    ratings = lock_ratings(entrants, {mode_id: rules}, unrated, now)
    board = PublishedBoard.of(rules.mode, rules.season_id, now)
    learning = learnings_of({mode_id: rules}, [mode_id]).get(mode_id)
    for forfeit in forfeits:
        own = {pk: ratings[mode_id, pk] for team in forfeit.teams for pk in team}
        before = _standing_of(forfeit, board, players, own)
        _rate(forfeit, rules, own, now, learning)
        for name, value in standing_columns(before, _standing_of(forfeit, board, players, own)).items():
            setattr(forfeit, name, value)
        forfeit.save(update_fields=["event", "season", "mode_state", *Participation.STANDING_FIELDS])


def _standing_of(
    forfeit: Forfeit, board: PublishedBoard, players: Mapping[int, Player], ratings: Mapping[int, Rating]
) -> MatchStanding | None:
    """Where the player who dropped out stands among everybody of the proposed teams."""
    standings = standings_now(board, [players[pk] for pk in ratings], list(ratings.values()))
    return dict(zip(ratings, standings, strict=True))[forfeit.player_id]


def _rate(
    forfeit: Forfeit, rules: Rules, ratings: Mapping[int, Rating], now: dt.datetime, learning: Learning | None
) -> None:
    states = {pk: rating.state for pk, rating in ratings.items()}
    matches = ratings[forfeit.player_id].known_matches
    system = rules.system if learning is None else learning.system
    after, chance = rate_forfeit(forfeit.teams, forfeit.player_id, states, system, matches)
    rating, before = ratings[forfeit.player_id], states[forfeit.player_id]
    forfeit.event = Event.objects.create(mode=rules.mode, kind=Event.FORFEIT, happened_at=now)
    forfeit.season_id = rules.season_id
    forfeit.mode_state_id = None if learning is None else learning.state.pk
    if after.display_hundredths != before.display_hundredths:
        rating.reached_at = forfeit.happened_at
    rating.state, rating.to_publish = after, True
    rating.save(update_fields=Rating.RATED_FIELDS)
    Change.objects.create(
        kind=Change.FORFEIT,
        event=forfeit.event,
        player_id=forfeit.player_id,
        mode=rules.mode,
        season_id=rules.season_id,
        generation=rules.mode.generation,
        parameters=rules.parameters,
        win_probability=chance,
        **states_of(before, after),
    )
