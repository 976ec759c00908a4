"""Lobbies that results name: a lobby is one match, of one mode; and who of a match wasn't in its lobby, or the reverse.

Results for one lobby that come at once are found out late: under the locks of those who follow results up (see
settings.RESULT_FOLLOWERS), which lock each lobby. Then the transaction is tried again, and the later one is refused.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from ranking import hooks
from ranking.hooks import NamedLobby
from ranking.matches._ledger import Findings, TryAgain
from ranking.matches.records import MatchRecord
from ranking.models import Match, Player
from ranking.rules.report import BadReport

Key = tuple[int, str]  # the id of a mode and the key of a lobby


@dataclass(frozen=True, slots=True)
class Lobbies:
    """The lobbies that a batch of results names: those `known` here, and the matches that have been recorded for them.

    `elsewhere`: the results may be another site's. Then its lobbies are unknown here, and nothing is asked of them.
    """

    known: Mapping[str, NamedLobby]
    results: dict[Key, Match]
    elsewhere: bool

    def claim(self, match: Match) -> Match | None:
        """Claim the lobby that a new match names for it. Returns the match that has it, or None if it was free.

        Raises BadReport if the lobby is unknown, of another mode, or can't have a result yet.
        """
        lobby = self.known.get(match.lobby)
        if not match.lobby or (lobby is None and self.elsewhere):
            return None
        if lobby is not None and lobby.mode != match.mode.slug:
            raise BadReport("lobby", f"Lobby {match.lobby!r} is of {lobby.mode}; this result is of {match.mode.slug}.")
        recorded = self.results.get(_key_of(match))
        if recorded is None and lobby is None:
            sentence = f"There is no lobby {match.lobby!r}. Leave it out if the match comes from no lobby of this site."
            raise BadReport("lobby", sentence, "unknown")
        if recorded is None and lobby is not None and lobby.objection:
            raise BadReport("lobby", f"Lobby {match.lobby!r} can't have a result yet. {lobby.objection}")
        if recorded is None:
            self.results[_key_of(match)] = match
        return recorded

    def follow_up(self, matches: Sequence[Match], settled: Collection[str], now: dt.datetime) -> frozenset[str]:
        """Tell other apps of new matches that name a lobby. Returns the lobbies that were over: their results are void.

        `settled`: the lobbies whose results are void already, and cost nobody anything. Raises TryAgain if, meanwhile,
        a lobby has ended in another way, got another result or goes on with another server.
        """
        played = [match for match in matches if match.lobby]
        if not played:
            return frozenset()
        over = frozenset(key for follow in hooks.RESULT_FOLLOWERS.functions() for key in follow(played, now))
        own = [match for match in played if match.lobby in self.known]
        others = _results_for({match.lobby for match in own}).exclude(pk__in=[match.pk for match in own])
        taken = {_key_of(match) for match in others} & set(map(_key_of, own)) if own else set()
        moved = (
            [lobby for lobby in _find_known({match.lobby for match in own}).values() if lobby.objection] if own else []
        )
        if taken or moved or over - set(settled):
            raise TryAgain(Findings())
        return over


def find_lobbies(keys: Collection[str], *, elsewhere: bool) -> Lobbies:
    """Look up the lobbies with these keys. Two queries, none for no key."""
    if not keys:
        return Lobbies({}, {}, elsewhere)
    results = {_key_of(match): match for match in _results_for(keys).select_related("mode").order_by("-pk")}
    return Lobbies(_find_known(keys), results, elsewhere)


def find_over(matches: Sequence[Match]) -> dict[str, str]:
    """Why lobbies that new matches name make them void, by the lobby's key: those that were over before."""
    played = [match for match in matches if match.lobby]
    voiders = hooks.RESULT_VOIDERS.functions() if played else []
    return {lobby: reason for find_void in voiders for lobby, reason in find_void(played).items()}


def _find_known(keys: Collection[str]) -> dict[str, NamedLobby]:
    return {key: lobby for find in hooks.LOBBIES.functions() for key, lobby in find(keys).items()}


def _results_for(keys: Collection[str]) -> QuerySet[Match]:
    """The matches that were recorded for these lobbies; of a corrected one, the correction."""
    return Match.objects.filter(lobby__in=keys, replaced_by=None)


def _key_of(match: Match) -> Key:
    return match.mode_id, match.lobby


def conflict_sentence(recorded: Match, number: int | None) -> str:
    """Why no other result is taken for the lobby of this match. `number`: as it is told; None if it has none."""
    match = "a match" if number is None else f"match {number}"
    return f"Lobby {recorded.lobby!r} has a result: {match}, recorded as {recorded.external_id!r}."


@dataclass(frozen=True, slots=True)
class RosterDifference:
    """Players of a match who weren't in its lobby (`strangers`), and players of the lobby who weren't in the match."""

    strangers: Sequence[Player] = ()
    missing: Sequence[Player] = ()


SAME_ROSTER = RosterDifference()


def compare_rosters(records: Iterable[MatchRecord]) -> dict[int, RosterDifference]:
    """How matches differ from the lobbies that they name, by the match's id. A merged player counts as who was kept.

    Matches that name no lobby of this site are left out. Two queries, none if there is no other match.
    """
    named = {record.match.pk: record for record in records if record.match.lobby}
    if not named:
        return {}
    known = _find_known({record.match.lobby for record in named.values()})
    ids = {player for lobby in known.values() for team in lobby.teams for player in team}
    rows: QuerySet[Any, Any] = Player.objects.filter(pk__in=ids).select_related("merged_into")
    owners = {player.pk: player.owner for player in rows} if ids else {}
    return {
        pk: _difference(record, known[record.match.lobby], owners)
        for pk, record in named.items()
        if record.match.lobby in known and known[record.match.lobby].mode == record.match.mode.slug
    }


def _difference(record: MatchRecord, lobby: NamedLobby, owners: Mapping[int, Player]) -> RosterDifference:
    proposed = {owner.pk: owner for team in lobby.teams for player in team if (owner := owners.get(player))}
    played = {part.player_id: part.player for part in record.parts}
    return RosterDifference(
        strangers=[player for pk, player in played.items() if pk not in proposed],
        missing=[player for pk, player in proposed.items() if pk not in played],
    )
