"""The form by which players report each other: the reasons in the reader's language, and whom they may choose."""

from collections.abc import Iterable

from ranking.models import Match, Participation, Player
from ranking.wording.translation import gettext


def reason_words(code: str) -> str:
    """The words of a reason. Raises KeyError for an unknown code."""
    return {
        "cheating": gettext("Cheating"),
        "leaving": gettext("Leaving or idling on purpose"),
        "sabotage": gettext("Losing on purpose, or against their own team"),
        "words": gettext("Abusive words"),
        "name": gettext("An offensive name"),
        "other": gettext("Something else"),
    }[code]


def sides_to_report(match: Match, viewer: Player, players: Iterable[Player]) -> list[tuple[str, list[Player]]]:
    """Return these players of the viewer's match under the titles of their sides: their own team last. One query."""
    team = Participation.objects.filter(match=match, player=viewer).values("team")[:1]
    mates = set(Participation.objects.filter(match=match, team__in=team).values_list("player", flat=True))
    players = list(players)
    sides = [
        (gettext("Opponents"), [player for player in players if player.pk not in mates]),
        (gettext("Your team"), [player for player in players if player.pk in mates]),
    ]
    return [side for side in sides if side[1]]
