"""Link previews of a player's page: title, a sentence, a picture. They show only what everybody may see."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from leaderboards.boards.published import Standing
from leaderboards.profiles.profiles import Profile
from ranking.wording.translation import gettext, number_text


@dataclass(frozen=True, slots=True)
class Preview:
    """A preview; `page`, `picture` and `badge` are paths, empty if there is nothing to show."""

    title: str
    description: str
    page: str
    picture: str = ""
    badge: str = ""


def make_preview(profile: Profile) -> Preview:
    """Return the preview of a player's page in the mode that is shown."""
    player, board = profile.player, profile.board
    page = reverse("leaderboards:player", args=[player.key])
    if board is None:
        return Preview(player.name, gettext("No match yet."), page)
    query = urlencode({"mode": board.mode.slug})
    title = f"{player.name} · {board.mode.local_name}"
    if not board.mode.ranked:
        return Preview(title, gettext("Played for fun: no ratings and no board."), f"{page}?{query}")
    if player.hidden_at is not None:
        return Preview(title, _sentence(profile), f"{page}?{query}")
    picture, badge = (f"{reverse(f'leaderboards:{name}', args=[player.key])}?{query}" for name in ("card", "badge"))
    return Preview(title, _sentence(profile), f"{page}?{query}", picture, badge)


def _sentence(profile: Profile) -> str:
    if profile.standing is None:
        return f"{profile.absence.words}." if profile.absence else gettext("On the way to the board.")
    return standing_sentence(profile.standing, profile.published_rating)


def standing_sentence(standing: Standing, rating: str) -> str:
    """Return a sentence such as “Rank 17 of 200, Gold II, rating 1,021.84.”; `rating` may be empty."""
    if standing.tier is not None and rating:
        words = gettext("Rank %(rank)s of %(listed)s, %(tier)s, rating %(rating)s.")
    elif standing.tier is not None:
        words = gettext("Rank %(rank)s of %(listed)s, %(tier)s.")
    elif rating:
        words = gettext("Rank %(rank)s of %(listed)s, rating %(rating)s.")
    else:
        words = gettext("Rank %(rank)s of %(listed)s.")
    return words % {
        "rank": number_text(standing.rank),
        "listed": number_text(standing.listed),
        "tier": "" if standing.tier is None else standing.tier.text,
        "rating": rating,
    }
