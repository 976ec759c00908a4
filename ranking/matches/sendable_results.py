"""A recorded match as a result that may be sent again: JSON as the API and `import_matches` take it.

Recorded anew in a mode with the same settings, it is the same match and counts for the same. A match that counts for
nothing goes out in the form in which it counts for nothing again.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ranking.matches.records import MatchRecord
from ranking.models import Forfeit, Match, Participation
from ranking.rules.places import score_sent, team_places
from ranking.rules.report import absent_time
from ranking.validation.match_report import TOLERANCE

_TEXTS = ("variant", "server", "region", "lobby")
_OF_PLAYER = ("seconds", "joined_at", "rounds_played")


def result_of(
    record: MatchRecord, *, as_sent: bool = False, people: Collection[int] = (), forfeits: Sequence[Forfeit] = ()
) -> dict[str, Any]:
    """The result of a match, which has its void's reason and its mode.

    `as_sent`: players have the keys that the sender used, though they may have been merged since. `people`: the ids of
    bots who go out as people: see find_bots_alone. `forfeits`: those of a walkover, each with `void`. A match that is
    void by an act that may be taken back becomes one that was called off, with the reason of the void.
    """
    match = record.match
    teams: list[dict[str, Any]] = [_team_of(team) for team in match.teams]
    if match.mode.least_is_best and not match.uncounted and all("time" not in team for team in match.teams):
        # The most was the best when it was recorded. Now places have to say so.
        places = team_places(match.teams, [False] * len(teams))
        teams = [{**team, "place": place} for team, place in zip(teams, places, strict=True)]
    silent = _told_by_absences(record)
    for part in record.parts:
        left = (part.left_early or part.excused) and not (part.team in silent and _absences_tell(part, match))
        teams[part.team]["players"].append(_player_of(part, left=left, as_sent=as_sent, people=people))
    result = {
        "id": match.external_id,
        "mode": match.mode.slug,
        "started_at": _time(match.started_at),
        "ended_at": _time(match.ended_at),
        "duration": match.duration if _sends_duration(record) else None,
        "rounds": match.rounds,
        **{name: getattr(match, name) or None for name in _TEXTS},
        **_uncounted(match, record.parts, forfeits),
        "teams": teams,
    }
    return {name: value for name, value in result.items() if value is not None}


def _time(at: Any) -> str | None:
    return None if at is None else at.isoformat().replace("+00:00", "Z")


def _team_of(team: Mapping[str, Any]) -> dict[str, Any]:
    sent = {"name": team["name"] or None, "score": score_sent(team), "place": team["place"]}
    return {name: value for name, value in sent.items() if value is not None} | {"players": []}


def _player_of(part: Participation, *, left: bool, as_sent: bool, people: Collection[int]) -> dict[str, Any]:
    player = part.player
    merged = part.played_as if as_sent else None
    sent: dict[str, Any] = {"id": player.key if merged is None else merged.key}
    if merged is None and player.name != player.key:
        sent["name"] = player.name
    sent |= {name: value for name in _OF_PLAYER if (value := getattr(part, name)) is not None}
    if left:
        sent["left_early"] = True
    sent |= {name: value for name in ("absences", "party", "stats") if (value := getattr(part, name))}
    if player.is_bot and player.pk not in people:
        sent["bot"] = True
    return sent


def _told_by_absences(record: MatchRecord) -> set[int]:
    """The teams of whose players it mustn't be sent that they left, if their absences tell it and they were never
    there. Else it would be a walkover, or one that nobody came to.
    """
    match, parts = record.match, record.parts
    telling = sorted({part.team for part in parts if _absences_tell(part, match)})
    if match.uncounted == Match.NOBODY:
        return set()
    if match.uncounted == Match.WALKOVER:  # a side counted as having come
        return set(telling[:1]) if all(part.left_early and part.seconds == 0 for part in parts) else set()
    return set(telling)


def _absences_tell(part: Participation, match: Match) -> bool:
    return part.seconds == 0 and absent_time(part.absences) > match.mode.reconnect_grace


def _sends_duration(record: MatchRecord) -> bool:
    """True if the duration of a match was sent, or may be: False if it is how long the last player was there.

    Once somebody is excused, a match doesn't tell which it was. It can't have been sent if somebody left at that time
    and isn't excused, or was absent after it.
    """
    match = record.match
    if match.duration is None or not match.measured:
        return False
    lasted = match.duration
    return not any(part.excused for part in record.parts) or not any(
        (part.left_early and part.seconds is not None and part.seconds >= lasted)
        or any(end > lasted + TOLERANCE for _, end in part.absences)
        for part in record.parts
    )


def _uncounted(match: Match, parts: Sequence[Participation], forfeits: Sequence[Forfeit]) -> dict[str, Any]:
    """What says that a match counts for nothing."""
    if match.uncounted == Match.NO_CONTEST:
        return {"no_contest": match.void_reason}
    if match.uncounted in (Match.UNRATED, Match.BOTS):  # who is a bot now may have been known as a person
        return {"rated": False}
    if match.uncounted == Match.WALKOVER and not _is_forfeited(match, parts, forfeits):
        return {"rated": False}
    if match.is_void and not match.uncounted:
        return {"no_contest": " ".join(match.void_reason.split())}
    return {}


def _is_forfeited(match: Match, parts: Sequence[Participation], forfeits: Sequence[Forfeit]) -> bool:
    """True if those who never came to a walkover forfeited it, as they would again; or if the system rates no forfeits.

    False if a forfeit is void, or if the walkover was for a lobby that was over, so that it cost nobody anything more.
    """
    if any(forfeit.void for forfeit in forfeits):  # type: ignore[attr-defined]  # annotated
        return False
    absent = {part.player_id for part in parts if part.left_early and part.seconds == 0}
    return absent <= {forfeit.player_id for forfeit in forfeits} or not (forfeits or match.lobby)
