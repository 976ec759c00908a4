"""A player's page: standing as published with the live rating beside it, curves, and recent matches."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import OuterRef, Subquery

from leaderboards.boards import Board
from leaderboards.curves import Chart, chart
from leaderboards.figures import Delta, rating_delta
from leaderboards.histories import Step, find_steps
from leaderboards.listing import Absence, absence_of
from leaderboards.published import Published, Standing, published_with, read_consistently, with_snapshot
from leaderboards.recent import Recent, load_recent
from ranking.models import ParameterVersion, Player, Rating
from ranking.systems import system_class

CURVE = 200  # matches
FORM = 10


@dataclass(frozen=True, slots=True)
class Profile:
    """`board` None: they haven't played. In an unranked mode there are only counts and matches."""

    player: Player
    ratings: Sequence[Any]
    board: Board | None = None
    rating: Any = None
    published: Published | None = None
    standing: Standing | None = None
    published_rating: str = ""
    live_rating: str = ""
    live_change: Delta | None = None
    absence: Absence | None = None
    rating_chart: Chart | None = None
    rating_levels: list[str] = field(default_factory=list)
    rank_chart: Chart | None = None
    rank_levels: list[str] = field(default_factory=list)
    form: list[str] = field(default_factory=list)
    recent: Recent | None = None


def find_ratings(*players: Player) -> list[Any]:
    """Ratings of current seasons, the one played last first, each with its board's snapshot: one query."""
    versions = ParameterVersion.objects.in_force().filter(mode=OuterRef("mode"))
    ratings = Rating.objects.filter(player__in=players, season__current=True, last_match_at__isnull=False)
    return list(
        with_snapshot(ratings)
        .annotate(system=Subquery(versions.values("system")[:1]))
        .select_related("mode", "season")
        .order_by("-last_match_at", "mode__name")
    )


def choose(ratings: Sequence[Any], slug: str) -> Any | None:
    """The rating of the mode asked for, else the one played last; None where that mode wasn't played."""
    if not slug:
        return ratings[0] if ratings else None
    return next((rating for rating in ratings if rating.mode.slug == slug), None)


def board_of_rating(rating: Any) -> Board:
    return Board(rating.mode, rating.season, system_class(rating.system).decimals)


def load_profile(player: Player, slug: str, *, before: int | None, now: dt.datetime) -> Profile | None:
    """A player's page in a mode; None where they never played it."""
    return read_consistently(lambda: _load(player, slug, before, now))


def _load(player: Player, slug: str, before: int | None, now: dt.datetime) -> Profile | None:
    ratings = find_ratings(player)
    rating = choose(ratings, slug)
    if rating is None:
        return None if slug else Profile(player, ratings)
    board = board_of_rating(rating)
    steps = find_steps(rating, board.mode.generation, most=CURVE)
    recent = load_recent(board, rating, before=before, known=steps)
    form = [step.change.outcome for step in steps[:FORM] if step.change.outcome][::-1]
    if not board.mode.ranked:
        return Profile(player, ratings, board, rating, form=form, recent=recent)
    published = published_with(rating, board.mode)
    value: int | None = rating.published_hundredths if rating.listed and published is not None else None
    curve, ranks = _rating_chart(steps, board), _rank_chart(steps)
    return Profile(
        player=player,
        ratings=ratings,
        board=board,
        rating=rating,
        published=published,
        standing=published.standing(value) if published is not None and value is not None else None,
        published_rating="" if value is None else board.rating_text(value),
        live_rating=board.rating_text(rating.display_hundredths),
        live_change=None if value is None else rating_delta(value, rating.display_hundredths, board.decimals),
        absence=absence_of(rating, player, board.mode, now),
        rating_chart=curve,
        rating_levels=[board.rating_text(level) for level in curve.levels] if curve else [],
        rank_chart=ranks,
        rank_levels=[f"{level:,}" if level else "\u2007" for level in ranks.levels] if ranks else [],
        form=form,
        recent=recent,
    )


def _rating_chart(steps: Sequence[Step], board: Board) -> Chart | None:
    """The rating after each match, oldest first."""
    if not board.mode.shows_rating:
        return None
    ordered = list(reversed(steps))
    return chart(
        [step.change.display_after for step in ordered],
        [_title(step, board.rating_text(step.change.display_after)) for step in ordered],
        [step.change.outcome or step.change.kind for step in ordered],
        unit=10 ** (2 - board.decimals),
    )


def _rank_chart(steps: Sequence[Step]) -> Chart | None:
    """The rank after each match, as published then, best on top."""
    ranked = [(step, step.part.rank_after) for step in reversed(steps) if step.part and step.part.rank_after]
    return chart(
        [rank for _, rank in ranked],
        [_title(step, f"Rank {rank:,}") for step, rank in ranked],
        [step.change.outcome for step, _ in ranked],
        downwards=True,
    )


def _title(step: Step, value: str) -> str:
    when = step.match.ended_at if step.match is not None else step.change.event.happened_at
    return f"{value} · {step.change.outcome or step.change.kind} · {when:%-d %b %Y %H:%M} UTC"
