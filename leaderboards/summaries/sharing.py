"""A season's picture and link preview. They show only what everybody may see."""

from __future__ import annotations

import datetime as dt

from django.urls import reverse

from leaderboards.boards.published import read_consistently
from leaderboards.display.numbers import top_text
from leaderboards.display.player_card import Card
from leaderboards.profiles.link_previews import Preview, standing_sentence
from leaderboards.rules.highlights import thinned
from leaderboards.summaries.ended import SeasonStanding, find_season_standing, read_curve, read_matches
from ranking.models import STRANGER
from ranking.players.players import find_player
from ranking.wording.translation import gettext, number_text

CURVE = 60  # points


def load_season_card(key: str, slug: str, number: int, now: dt.datetime) -> Card | None:
    """Return the card of a player's season; None if there is nothing to show. Four queries at most."""
    player = find_player(key)
    if player is None:
        return None
    place = read_consistently(lambda: find_season_standing(player, slug, number, STRANGER, now))
    if place is None:
        return None
    board, standing = place.board, place.standing
    mode = f"{board.mode.local_name} · {board.season.local_name}"
    if standing is None:
        return Card(player.name, mode, absence="" if place.absence is None else place.absence.words)
    return Card(
        name=player.name,
        mode=mode,
        rank=f"#{number_text(standing.rank)}",
        listed=number_text(standing.listed),
        rating=place.rating_text,
        top="" if standing.top_percent is None else top_text(standing.top_percent),
        tier="" if standing.tier is None else standing.tier.text,
        tier_colour="" if standing.tier is None else standing.tier.colour,
        curve=_curve(place),
        medal=place.medal or 0,
        medal_words=board.season.local_name if place.medal else "",
    )


def _curve(place: SeasonStanding) -> tuple[int, ...]:
    """Ratings over the whole season, oldest first; none if the player or the mode hides them."""
    if not place.board.mode.shows_rating or not place.shows_matches:
        return ()
    played = read_matches(place)
    return tuple(step.after for step in thinned(read_curve(place, played), CURVE)) if played else ()


def preview_of_season(place: SeasonStanding) -> Preview:
    """Return the link preview of a season's page."""
    player, board = place.player, place.board
    address = [player.key, board.mode.slug, board.season.number]
    page = reverse("leaderboards:season", args=address)
    title = f"{player.name} · {board.mode.local_name} · {board.season.local_name}"
    words = f"{place.absence.words}." if place.absence is not None else gettext("On the way to the board.")
    sentence = standing_sentence(place.standing, place.rating_text) if place.standing is not None else words
    picture = "" if player.hidden_at is not None else reverse("leaderboards:season-card", args=address)
    return Preview(title, sentence, page, picture)
