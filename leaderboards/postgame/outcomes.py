"""Names and scores of a match's teams. No queries."""

from __future__ import annotations

from collections.abc import Sequence

from ranking.models import Match, Participation
from ranking.rules.places import places_of
from ranking.systems.shared.explanations import plain_number
from ranking.wording.translation import gettext, ngettext, pgettext


def roster(parts: Sequence[Participation], team: int) -> list[Participation]:
    return [part for part in parts if part.team == team]


def team_name(match: Match, parts: Sequence[Participation], team: int) -> str:
    """Return the name sent, else the name of the team's only player, else the team's number."""
    if match.teams[team]["name"]:
        return str(match.teams[team]["name"])
    players = roster(parts, team)
    return players[0].player.name if len(players) == 1 else gettext("Team %(number)s") % {"number": team + 1}


def places_shown(match: Match, parts: Sequence[Participation]) -> list[int | None]:
    """Each team's place; None if the match was called off without places."""
    return list(places_of(match.teams, parts)) if match.is_placed else [None] * len(match.teams)


def void_notice(match: Match) -> str:
    """That a void match counts for nothing, and why, if its result said so."""
    notices = {
        Match.NO_CONTEST: gettext("No contest: this match was called off and counts for nothing."),
        Match.UNRATED: gettext("This match isn’t rated: it counts for nothing."),
        Match.NOBODY: gettext("Nobody ever played: this match counts for nothing."),
        Match.WALKOVER: gettext(
            "A walkover: players who were there keep their ratings. Players who never came have forfeited the match."
        ),
        Match.BOTS: gettext("One side had only bots: this match counts for nothing."),
    }
    return notices.get(match.uncounted) or gettext("This match is void: it counts for nobody’s rating.")


def headline_of(first: Sequence[str], teams: int) -> str:
    """Return the result in a few words; `first`: the names of those in the first place, none if everybody left."""
    if not first:
        return gettext("Everybody left")
    if len(first) == 1:
        return gettext("%(name)s won") % {"name": first[0]}
    if len(first) == teams:
        return gettext("A draw")
    return ngettext("%(number)s shares first place", "%(number)s share first place", len(first)) % {
        "number": len(first)
    }


def score_text(match: Match, team: int) -> str:
    """Return a team's score, or its time where the lowest is the best; empty if none was sent."""
    said = match.teams[team]
    if (time := said.get("time")) is not None:
        return time_text(time)
    return "" if said["score"] is None else plain_number(said["score"])


def time_text(seconds: float) -> str:
    """A time of a race, to the millisecond: 83.456 s as "1:23.456", in German "1:23,456"; "59.2" below a minute."""
    minutes, rest = divmod(round(seconds, 3), 60)
    digits = f"{rest:06.3f}" if minutes else f"{rest:.3f}"
    shown = digits.rstrip("0").rstrip(".") if "." in digits else digits
    return (f"{minutes:.0f}:{shown}" if minutes else shown).replace(".", pgettext("decimal point", "."))
