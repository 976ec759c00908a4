"""The stakes of a match before it begins: each team's chance, and a player's rating and rank after each outcome.

Outcomes are a win, a draw and a loss; with more than two teams they are places. If the rating system learns from
scores, a win and a loss have their margins, too.

They are computed live, with the arithmetic that will rate the match, as if all players stay to the end. Ranks follow
the rule for those after a match, in ranking/standings/match_standings.py. A mode that hides ratings hides all stakes.
"""

from __future__ import annotations

import datetime as dt
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import starmap
from typing import Any

from django.core.cache import cache

from leaderboards.boards.published import Standing, standing_in
from leaderboards.display.numbers import Delta, rating_delta
from matchmaking.lobbies._standings import Field
from matchmaking.models import Lobby
from ranking.database.bulk_writes import changed_row
from ranking.models import Ban, Match, Mode, Player, Rating
from ranking.players.visibility import shown
from ranking.rules.places import places_to_show
from ranking.standings.match_standings import MatchStanding, PublishedBoard, standings_after, standings_now
from ranking.systems.base import Entrant, Refused, Result, State, System, Team
from ranking.systems.outlook import HIGHEST, field_chances, skills_by_place, skills_by_scores
from ranking.systems.shared.display import hundredths
from ranking.systems.shared.explanations import plain_number
from ranking.systems.shared.rules import Skills
from ranking.wording.translation import language

_KEPT = 3600  # seconds
_LAST = 50  # matches of a mode, whose scores are usual


@dataclass(frozen=True, slots=True)
class Stake:
    """What an outcome would do to one player: the change of their rating, and their standing after it.

    `standing` None: the player wouldn't be ranked, or there is no board yet.
    """

    by: int  # the change in hundredths
    change: Delta
    standing: Standing | None


@dataclass(frozen=True, slots=True)
class PlaceStake:
    """What is at stake if the player's team comes in this place."""

    place: int
    stake: Stake


@dataclass(frozen=True, slots=True)
class MarginStake:
    """What is at stake in a win or a loss with these scores, the player's own side's first.

    `scores` None: the most that a win may bring, or a loss cost, whatever the scores.
    """

    won: bool
    scores: tuple[float, float] | None
    stake: Stake

    @property
    def text(self) -> str:
        """The scores: 15–11; "" if there are none."""
        return "" if self.scores is None else "–".join(map(plain_number, self.scores))


@dataclass(frozen=True, slots=True)
class Stakes:
    """What a win, a draw and a loss would do to one player. `standing`: theirs now, by the live ratings.

    `places`: if there are more than two teams, each of at most eight places, best first; the other teams come in the
    order of their strength. Then a win is the first place, a loss the last one, and in a draw all teams share the first
    place.
    `margins`: if scores count, by the scores of two teams, wins first, the narrowest first, the limit last.
    """

    won: Stake
    drew: Stake
    lost: Stake
    standing: Standing | None
    places: tuple[PlaceStake, ...] = ()
    margins: tuple[MarginStake, ...] = ()

    @property
    def by_outcome(self) -> list[tuple[str, list[MarginStake]]]:
        """The margins of a win and those of a loss, each with its code."""
        wins = [stake for stake in self.margins if stake.won]
        return [("win", wins), ("loss", [stake for stake in self.margins if not stake.won])]


@dataclass(frozen=True, slots=True)
class Outlook:
    """`chances`: each team's chance to win, 0 to 1; None if it is unknown or hidden. `stakes`: likewise None."""

    chances: tuple[float | None, ...]
    stakes: Stakes | None = None


def find_outlook(
    lobby: Lobby,
    system: System[Any],
    field: Field,
    *,
    parties: Mapping[int, str],
    watched: int | None,
    now: dt.datetime,
) -> Outlook:
    """`outlook_of` a lobby's teams.

    It is computed once for each viewer and language, and kept; it is computed again only if a rating, a standing, the
    board or the mode's parameters change. Then one query more tells who is banned from boards: a ban that begins later
    changes the standing when the board is published.
    """
    mode = lobby.queue.mode
    states = sorted(
        (player, rating.state, rating.known_matches, rating.placement_done, rating.listed, rating.published_hundredths)
        for player, rating in field.ratings.items()
    )
    unseen = [(pk, player.hidden_at, player.is_bot) for pk, player in sorted(field.players.items())]
    board = None if field.board is None else field.board.snapshot_id
    tiers = mode.tier_scheme, mode.named_tiers, mode.tier_least_listed
    given = repr((language(), system, shown(mode), tiers, states, unseen, board, sorted(parties.items())))
    key = f"outlook:{lobby.pk}:{watched}:{zlib.crc32(given.encode()):08x}"
    outlook: Outlook | None = cache.get(key)
    if outlook is None:
        banned = Ban.objects.running(now).from_boards().filter(player__in=field.players)
        outlook = outlook_of(
            mode, system, field, lobby.teams, banned=set(banned.values_list("player", flat=True)),
            parties=parties, watched=watched, variant=lobby.variant, now=now,
        )  # fmt: skip
        cache.set(key, outlook, _KEPT)
    return outlook


def outlook_of(
    mode: Mode,
    system: System[Any],
    field: Field,
    teams: Sequence[Sequence[int]],
    *,
    parties: Mapping[int, str],
    watched: int | None,
    banned: Collection[int] = (),
    variant: str = "",
    now: dt.datetime,
) -> Outlook:
    """The chances of these teams (player ids), and the stakes of the `watched` player.

    `parties`: the party of each player who is in one. `banned`: who is banned from boards.
    """
    unknown = Outlook((None,) * len(teams))
    if not (mode.ranked and mode.shows_rating):
        return unknown
    try:
        rosters = _rosters(system, field.ratings, teams, parties, now)
        chances = system.win_probability(rosters)
        if watched is None:
            return Outlook(tuple(chances))
        order = [player for team in teams for player in team]
        viewer = _Viewer(mode, system, field, order, watched, banned, now)
        [own] = [index for index, players in enumerate(teams) if watched in players]
        return Outlook(tuple(chances), _stakes(system, rosters, own, viewer, variant))
    except Refused:  # this system doesn't rate such teams
        return unknown


def chances_of(
    system: System[Any],
    ratings: Mapping[int, Rating],
    teams: Sequence[Sequence[int]],
    *,
    parties: Mapping[int, str],
    now: dt.datetime,
) -> tuple[float | None, ...]:
    """The chances of these teams like `outlook_of`, but even if the mode hides ratings.

    If the system compares two teams only, see `field_chances`.
    """
    try:
        return field_chances(system, _rosters(system, ratings, teams, parties, now))
    except Refused:
        return (None,) * len(teams)


def _rosters(
    system: System[Any],
    ratings: Mapping[int, Rating],
    teams: Sequence[Sequence[int]],
    parties: Mapping[int, str],
    now: dt.datetime,
) -> list[list[Entrant[Any]]]:
    newcomer = system.to_state(system.newcomer())
    return [[_entrant(player, ratings.get(player), newcomer, parties, system, now) for player in team]
            for team in teams]  # fmt: skip


def _entrant(
    player: int,
    rating: Rating | None,
    newcomer: State,
    parties: Mapping[int, str],
    system: System[Any],
    now: dt.datetime,
) -> Entrant[Any]:
    last = None if rating is None else rating.last_match_at
    return Entrant(
        id=str(player),
        skill=system.from_state(newcomer if rating is None else rating.state),
        idle_days=max(0.0, (now - last) / dt.timedelta(days=1)) if last else 0.0,
        party=parties.get(player),
        matches=0 if rating is None else rating.known_matches,
    )


class _Viewer:
    """The player whose stakes are told, among all players of the match in the order of the teams."""

    def __init__(
        self,
        mode: Mode,
        system: System[Any],
        field: Field,
        order: Sequence[int],
        watched: int,
        banned: Collection[int],
        now: dt.datetime,
    ) -> None:
        self.mode, self.system = mode, system
        self.index = order.index(watched)
        self.players = [field.players[player] for player in order]
        self.ratings = [
            changed_row(_rating_of(player, field.ratings.get(player.pk), mode, system), banned=player.pk in banned)
            for player in self.players
        ]
        self.ladder = () if field.board is None else field.board.ladder
        self.board = PublishedBoard(mode, None if field.board is None else field.board.table, now)

    @property
    def standing(self) -> Standing | None:
        """Where the viewer stands by the live ratings."""
        return self._shown(standings_now(self.board, self.players, self.ratings))

    def stake(self, after: Skills[Any]) -> Stake:
        """What a match that gives everybody these skills would do to the viewer."""
        displays = [hundredths(self.system.display(skill)) for team in after for skill in team]
        before = self.ratings[self.index].display_hundredths
        own = displays[self.index]
        change = rating_delta(before, own, self.system.decimals)
        return Stake(
            own - before, change, self._shown(standings_after(self.board, self.players, self.ratings, displays))
        )

    def _shown(self, standings: Sequence[MatchStanding | None]) -> Standing | None:
        own = standings[self.index]
        return own and standing_in(self.mode, self.ladder, own.rank, own.percentile, own.listed)


def _rating_of(player: Player, rating: Rating | None, mode: Mode, system: System[Any]) -> Rating:
    """A player's rating; a newcomer's if they have none."""
    if rating is None:
        rating = Rating(player=player, mode=mode)
        rating.state = system.to_state(system.newcomer())
    return rating


def _stakes(
    system: System[Any], rosters: Sequence[Sequence[Entrant[Any]]], own: int, viewer: _Viewer, variant: str
) -> Stakes:
    def drawn(**how: Any) -> Skills[Any]:
        """Everybody's skill after a draw of all teams."""
        return system.rate(Result(tuple(Team(tuple(roster), **how) for roster in rosters), variant=variant))

    places = places_to_show(len(rosters))
    by_place = [viewer.stake(after) for after in skills_by_place(system, rosters, own, places, variant)]
    margins = _margins(system, rosters, own, viewer, variant, by_place) if len(rosters) == 2 else ()
    return Stakes(
        won=by_place[0],
        drew=viewer.stake(drawn(score=0.0) if margins else drawn(place=1)),
        lost=by_place[-1],
        standing=viewer.standing,
        places=tuple(starmap(PlaceStake, zip(places, by_place, strict=True))) if len(rosters) > 2 else (),
        margins=margins,
    )


def _margins(
    system: System[Any],
    rosters: Sequence[Sequence[Entrant[Any]]],
    own: int,
    viewer: _Viewer,
    variant: str,
    by_place: Sequence[Stake],
) -> tuple[MarginStake, ...]:
    """The stakes by scores like those of the mode's last matches; none if scores don't count, or matches have none.

    `by_place`: the stakes of a win and a loss without scores, which may move a rating further than any scores.
    """

    def stakes_of(won: bool, scores: Sequence[tuple[float, float]]) -> list[Stake]:
        winner = own if won else 1 - own
        return [viewer.stake(after) for after in skills_by_scores(system, rosters, winner, scores, variant)]

    limits = [stakes_of(won, [HIGHEST])[0] for won in (True, False)]
    if all(limit.by == unscored.by for limit, unscored in zip(limits, by_place, strict=True)):
        return ()  # scores don't count
    usual = _usual_scores(viewer.mode)
    own_impact = getattr(system, "impact_stat", "") and len(rosters[own]) > 1  # it may move a rating further
    margins = []
    for won, limit, unscored in zip((True, False), limits, by_place, strict=True) if usual else ():
        lines = [scores if won else scores[::-1] for scores in usual]
        margins += [MarginStake(won, *line) for line in zip(lines, stakes_of(won, usual), strict=True)]
        if not own_impact:
            most = max(unscored, limit, key=lambda stake: stake.by if won else -stake.by)
            margins.append(MarginStake(won, None, most))
    return tuple(margins)


def _usual_scores(mode: Mode) -> list[tuple[float, float]]:
    """A narrow, a middling and a high win among the mode's last matches of two teams, the winner's score first."""
    lines = []
    for teams in Match.objects.filter(mode=mode).order_by("-ended_at", "-id").values_list("teams", flat=True)[:_LAST]:
        scores = sorted(team["score"] for team in teams if team["score"] is not None and team.get("time") is None)
        if len(teams) == len(scores) == 2 and scores[0] < scores[1]:
            low, high = scores
            lines.append((high, low))
    lines.sort(key=lambda line: (line[0] - line[1]) / (abs(line[0]) + abs(line[1])) ** 0.5)
    return list(dict.fromkeys(lines[len(lines) * tenths // 10] for tenths in (1, 5, 9))) if lines else []
