"""Which void matches may count again: those that a moderator voided, or that their mode doesn't rate."""

from collections.abc import Iterable

from ranking.models import Forfeit, Match

_WHY = {
    Match.NO_CONTEST: "it was called off",
    Match.UNRATED: "it was sent as unrated",
    Match.NOBODY: "nobody ever played",
    Match.WALKOVER: "it was a walkover",
    Match.BOTS: "bots alone were on a side",
}


class RestoreRefused(Exception):
    """A match or forfeit can't be restored; the message is a sentence for the moderator."""


def check_may_restore(facts: Iterable[Match | Forfeit]) -> None:
    """Raise RestoreRefused if one of these matches never counts, whatever a moderator does."""
    for fact in facts:
        if isinstance(fact, Match) and not may_restore(fact):
            raise RestoreRefused(f"Match {fact.external_id} can't be restored: {_WHY[fact.uncounted]}.")


def may_restore(match: Match) -> bool:
    return not match.uncounted
