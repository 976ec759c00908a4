"""Forfeits: a player who drops out of a lobby loses what leaving the match at once would cost; nobody else gains.

So does each player who never came to a walkover, a match in which only one side ever played. Whoever forfeited the
lobby of the match before doesn't forfeit it again.
"""

import datetime as dt
import functools
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce

from ranking.database.bulk_writes import changed_row, insert_rows
from ranking.matches._ledger import Findings, Pair, attempt, lock_ratings
from ranking.matches.rating import rate_forfeit
from ranking.matches.records import MatchRecord
from ranking.models import Change, Event, Forfeit, Incident, Match, Mode, Participation, Player, Rating, Void
from ranking.models.change import states_of
from ranking.modes.mode_states import Learning, learnings_of
from ranking.modes.parameters import Rules, rules_in_force
from ranking.standings.match_standings import MatchStanding, PublishedBoard, standing_columns, standings_now
from ranking.systems.base import Refused

_NEVER_CAME = "Never played in the match."


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
    if not new or rules.waits(now):
        return recorded
    return rate_forfeits([recorded], rules, now=now, unrated=findings.unrated)[0]


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


def rate_forfeits(
    forfeits: Sequence[Forfeit], rules: Rules, *, now: dt.datetime, unrated: Collection[Pair]
) -> list[Forfeit]:
    """Rate forfeits of one mode in the order given, inside the caller's transaction; returns them as rated.

    Raises Refused. `unrated` and TryAgain: see lock_ratings.
    """
    if not forfeits:
        return []
    mode_id = rules.mode.pk
    players = Player.objects.in_bulk({pk for forfeit in forfeits for team in forfeit.teams for pk in team})
    entrants = {(mode_id, pk): (player, "") for pk, player in players.items()}
    ratings = {pk: rating for (_, pk), rating in lock_ratings(entrants, {mode_id: rules}, unrated, now).items()}
    board = PublishedBoard.of(rules.mode, rules.season_id, now)
    learning = learnings_of({mode_id: rules}, [mode_id]).get(mode_id)
    rated = []
    for forfeit in forfeits:
        own = {pk: ratings[pk] for team in forfeit.teams for pk in team}
        event = Event.objects.create(mode=rules.mode, kind=Event.FORFEIT, happened_at=now)
        rating, change = _rate(forfeit, event, rules, own, learning)
        rating.save(update_fields=Rating.RATED_FIELDS)
        change.save()
        ratings[forfeit.player_id] = rating
        before = _standing_of(forfeit, board, players, own)
        after = _standing_of(forfeit, board, players, {**own, forfeit.player_id: rating})
        place = {"season_id": rules.season_id, "mode_state_id": learning and learning.state.pk}
        forfeit = changed_row(forfeit, event_id=event.pk, **place, **standing_columns(before, after))
        forfeit.save(update_fields=["event", "season", "mode_state", *Participation.STANDING_FIELDS])
        rated.append(forfeit)
    return rated


def _standing_of(
    forfeit: Forfeit, board: PublishedBoard, players: Mapping[int, Player], ratings: Mapping[int, Rating]
) -> MatchStanding | None:
    """Where the player who dropped out stands among everybody of the proposed teams."""
    standings = standings_now(board, [players[pk] for pk in ratings], list(ratings.values()))
    return dict(zip(ratings, standings, strict=True))[forfeit.player_id]


def _rate(
    forfeit: Forfeit, event: Event, rules: Rules, ratings: Mapping[int, Rating], learning: Learning | None
) -> tuple[Rating, Change]:
    """The rating of the player who dropped out, after it, and the row of the ledger. Saves nothing."""
    states = {pk: rating.state for pk, rating in ratings.items()}
    rating, before = ratings[forfeit.player_id], states[forfeit.player_id]
    system = rules.system if learning is None else learning.system
    after, chance = rate_forfeit(forfeit.teams, forfeit.player_id, states, system, rating.known_matches)
    moved = after.display_hundredths != before.display_hundredths
    rated = changed_row(rating, to_publish=True, reached_at=forfeit.happened_at if moved else rating.reached_at)
    rated.state = after
    change = Change(
        kind=Change.FORFEIT,
        event=event,
        player_id=forfeit.player_id,
        mode=rules.mode,
        season_id=rules.season_id,
        generation=rules.mode.generation,
        parameters=rules.parameters,
        win_probability=chance,
        **states_of(before, after),
    )
    return rated, change


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

    They are written and rated, now or later, in the order of the roster, so that the same result leads to the same
    ratings on any site.
    `unrated` and TryAgain: see lock_ratings.
    """
    match, lobby = record.match, forfeits_as(record.match)
    teams = [[part.player_id for part in record.parts if part.team == index] for index in range(len(match.teams))]
    forfeits = [
        Forfeit(
            mode=rules.mode, lobby=lobby, player_id=player, teams=teams, reason=_NEVER_CAME, happened_at=match.ended_at
        )
        for player in (part.player_id for part in record.parts if _is_absent(part))
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
