"""Former names: finds players by names that they gave up. Names that moderators took away are for moderators alone.

A text of PART or more characters finds former names that begin so, as a name that somebody gave up is known as a whole.
"""

from __future__ import annotations

from ranking.models import PlayerName
from ranking.players.search import MOST_FOUND, PART, ByName, begins
from ranking.rules.names import fold

_READ = 4 * MOST_FOUND  # names at most: several may be one player's, or of players whom nobody finds


def find_by_former_name(text: str, *, everything: bool = False) -> dict[int, str]:
    """Return the MOST_FOUND first players with a former name that begins so, by id, each with that name: one query.

    Merged and anonymised players aren't found, nor are hidden ones, bots and names that were taken away;
    `everything`: these are, for moderators.
    """
    folded = fold(text).replace("\0", "")
    if len(folded) < PART:
        return {}
    names = PlayerName.objects.filter(begins("search_name", folded)).select_related("player")
    found: dict[int, str] = {}
    for row in names.order_by(ByName(), "id")[:_READ]:
        player = row.player
        is_former = row.name != player.name and player.merged_into_id is None and player.anonymised_at is None
        is_public = player.hidden_at is None and not player.is_bot and not row.taken_away
        if is_former and (everything or is_public) and len(found) < MOST_FOUND:
            found.setdefault(player.pk, row.name)
    return found
