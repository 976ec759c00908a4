"""Results that people type: players by key or name, scores or places, who left early.

A typed result is a result like any other, of the source `admin`. A typed correction keeps what a form doesn't ask for.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from rest_framework.exceptions import ValidationError

from ranking.matches.recording import CONFLICT, record_results
from ranking.models import AuditEntry, Match, Player, Source
from ranking.operations.audit import UNASKED, record_act
from ranking.rules.names import fold
from ranking.rules.report import Report
from ranking.validation.match_report import read_report
from ranking.validation.problems import field_errors

SOURCE = "admin"
_ACT = "add result"
_PRESENCE = ("absences", "seconds", "joined_at", "rounds_played")

Fault = tuple[str, str]  # the path of a field of the result, and a sentence


class BadTyping(Exception):
    """What was typed is no result."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__("; ".join(sentence for _, sentence in faults))
        self.faults = faults


@dataclass(frozen=True, slots=True)
class TypedTeam:
    """A team as typed. `players`, and those of them who `left` early, by key or name."""

    players: Sequence[str]
    left: Sequence[str] = ()
    score: float | None = None
    place: int | None = None
    name: str = ""


def read_typed(
    fields: Mapping[str, Any], teams: Sequence[TypedTeam], *, create: bool, like: Iterable[Mapping[str, Any]] = ()
) -> Report:
    """The result of these teams. Raises BadTyping.

    `fields`: those of the result but for its teams. `create`: keys that nobody has are new players. `like`: players as
    they were recorded; they keep what isn't typed, such as their seconds.
    """
    keys, faults = _find_keys(teams, create=create)
    for index, team in enumerate(teams):
        faults += [
            (f"teams[{index}].left", f"{text!r} isn't among the players of this team.")
            for text in team.left
            if keys.get(text, text) not in {keys.get(player, player) for player in team.players}
        ]
    if faults:
        raise BadTyping(faults)
    recorded = {player["id"]: player for player in like}
    try:
        return read_report({**fields, "teams": [_team_data(team, keys, recorded) for team in teams]})
    except ValidationError as error:
        raise BadTyping([(one["field"], one["detail"]) for one in field_errors(error.detail)]) from error


def _find_keys(teams: Sequence[TypedTeam], *, create: bool) -> tuple[dict[str, str], list[Fault]]:
    """The key of each player as typed, and what is wrong with others. Two queries."""
    texts = {text for team in teams for text in team.players}
    keys = {key: key for key in Player.objects.filter(key__in=texts).values_list("key", flat=True)}
    named: dict[str, list[str]] = {}
    folded = {fold(text) for text in texts - keys.keys()}
    rows = Player.objects.filter(search_name__in=folded, merged_into=None).order_by("pk")
    for name, key in rows.values_list("search_name", "key"):
        named.setdefault(name, []).append(key)
    faults = []
    for index, team in enumerate(teams):
        for slot, text in enumerate(team.players):
            found = [text] if text in keys else named.get(fold(text), [text] if create else [])
            if len(found) == 1:
                keys[text] = found[0]
                continue
            sentence = f"{len(found)} players are called {text!r}: type the key of the right one."
            if not found:
                sentence = f"Nobody has the key or the name {text!r}. If it is a new player, say so below."
            faults.append((f"teams[{index}].players[{slot}].id", sentence))
    return keys, faults


def _team_data(team: TypedTeam, keys: Mapping[str, str], recorded: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    left = {keys.get(text, text) for text in team.left}
    players = [_player_data(keys[text], keys[text] in left, recorded.get(keys[text], {})) for text in team.players]
    sent = {"name": team.name, "score": team.score, "place": team.place}
    return {**{name: value for name, value in sent.items() if value not in (None, "")}, "players": players}


def _player_data(key: str, left: bool, recorded: Mapping[str, object]) -> dict[str, object]:
    """What was recorded of a player's presence is kept only if it is still true whether they left."""
    corrected = recorded.get("left_early", False) != left
    kept = {name: value for name, value in recorded.items() if name not in _PRESENCE or not corrected}
    return {**kept, "id": key, "left_early": left}


def record_typed(report: Report, *, by: User | None, now: dt.datetime) -> Match:
    """Record and rate a typed result: the match. The same one again changes nothing. Raises BadTyping."""
    source = Source.objects.get_or_create(slug=SOURCE, defaults={"created_at": now})[0]
    [recorded] = record_results([report], source=source, now=now)
    if recorded.error is not None:
        raise BadTyping([(recorded.error.path, recorded.error.sentence)])
    assert recorded.record is not None  # noqa: S101 - it isn't refused
    if recorded.state == CONFLICT:
        raise BadTyping([("", "This form was sent before, with another result. Begin again to add one more.")])
    subject = f"match {report.id}"
    if recorded.is_new or not AuditEntry.objects.filter(act=_ACT, subject=subject).exists():  # a try before broke off
        record_act(_ACT, subject, by=by, reason=UNASKED, now=now)
    return recorded.record.match
