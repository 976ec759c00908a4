"""Places of a match's teams, as they are rated and shown, and which of them are a podium or in the top half."""

from collections.abc import Mapping, Sequence
from typing import Any

PODIUM = 3  # the last place on the podium
PODIUM_TEAMS = 6  # matches of fewer teams have no podium


def team_places(teams: Sequence[Mapping[str, Any]], gone: Sequence[bool]) -> list[int]:
    """Return each team's place, 1 = best: as sent, else by scores; ties share a place, and the next places are skipped.

    `gone`: everyone in the team left early. Such teams share the last place.
    """
    places = [team["place"] for team in teams]
    if None in places:
        places = [-(team["score"] or 0.0) for team in teams]
    order = [(left, 0.0 if left else place) for left, place in zip(gone, places, strict=True)]
    return [1 + sum(other < own for other in order) for own in order]


def is_podium(place: int, places: int) -> bool:
    return place <= PODIUM and places >= PODIUM_TEAMS


def is_top_half(place: int, places: int) -> bool:
    return 2 * place <= places
