"""The page of a forfeit: what dropping out of a lobby did to the player's rating and rank, and why."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from leaderboards.boards.absence import absence_of, sees_live_rating
from leaderboards.postgame.leavers import Price, load_prices, no_rating
from leaderboards.postgame.seats import Move, differs, is_rounded, rank_move, rating_move, top_move
from ranking.matches.explanations import explain_forfeit, find_change
from ranking.matches.forfeits import find_walkover, forfeits_as, is_void
from ranking.models import Change, Forfeit, Incident, Match, Player, Rating, ReadAccess
from ranking.players.visibility import check_shows_matches
from ranking.systems.shared.explanations import Explanation


@dataclass(frozen=True, slots=True)
class ForfeitPage:
    """What the template shows. `rating`, `rank`, `top` and `why` are None if not shown or not rated.

    `match`: the number of the walkover that the player never came to; None if they dropped out of a lobby.
    `price`: points and lockout, None if the viewer may not see them. `no_rating`: a sentence if it cost no rating.

    `rated` False: not rated yet, or `void`. `as_then`: ranks are as published then, for other ratings than those shown.
    `rounded`: the change isn't what `why` comes to, as ratings are rounded.
    """

    forfeit: Forfeit
    own: bool
    void: bool
    match: int | None = None
    price: Price | None = None
    rated: bool = False
    rating: Move | None = None
    rank: Move | None = None
    top: Move | None = None
    why: Explanation | None = None
    as_then: bool = False
    rounded: bool = False

    @property
    def no_rating(self) -> str:
        return no_rating(self.rating, self.why)


def load_forfeit(pk: int, *, access: ReadAccess, now: dt.datetime) -> ForfeitPage:
    """Return the page of a forfeit in a ranked mode, as far as the mode shows it. Ten queries at most.

    Raises Forfeit.DoesNotExist, and MatchesHidden if the player keeps their matches from the viewer.
    """
    forfeits = Forfeit.objects.select_related("mode", "player", "season").annotate(is_void=is_void())
    forfeit = forfeits.get(pk=pk, mode__ranked=True)
    check_shows_matches(forfeit.player, access)
    own, change = access.player_id == forfeit.player_id, find_change(forfeit)
    if forfeit.is_void:
        return ForfeitPage(forfeit, own, void=True)
    match, price = find_walkover(forfeit), _price_of(forfeit, now) if own or access.everything else None
    if change is None:
        return ForfeitPage(forfeit, own, void=False, match=match, price=price)
    mode = forfeit.mode
    seen = mode.shows_rating and _sees_rating(forfeit, change, access, now)
    why = explain_forfeit(forfeit, change) if seen else None
    return ForfeitPage(
        forfeit=forfeit,
        own=own,
        void=False,
        match=match,
        price=price,
        rated=True,
        rating=rating_move(change) if seen else None,
        rank=rank_move(forfeit),
        top=top_move(forfeit) if mode.shows_percentile else None,
        why=why,
        rounded=why is not None and is_rounded(change, why),
        as_then=differs(forfeit, change),
    )


def find_own_forfeit(match: Match, viewer: Player | None) -> int | None:
    """The id of the forfeit of a viewer who never came to this walkover. No query for other matches."""
    if viewer is None or match.uncounted != Match.WALKOVER or not match.mode.ranked:
        return None
    own = Forfeit.objects.filter(mode=match.mode, lobby=forfeits_as(match), player=viewer)
    return own.values_list("pk", flat=True).first()


def _price_of(forfeit: Forfeit, now: dt.datetime) -> Price | None:
    """The price of its incident; None if that is another player's since a merge."""
    player = forfeit.player_id
    return load_prices(Incident.objects.filter(forfeit=forfeit), [player], now).get(player)


def _sees_rating(forfeit: Forfeit, change: Change, access: ReadAccess, now: dt.datetime) -> bool:
    rating = Rating.objects.filter(player=forfeit.player_id, mode=forfeit.mode_id, season=change.season_id).first()
    return sees_live_rating(absence_of(rating, forfeit.player, forfeit.mode, now), forfeit.player, access)
