"""Writes the match of a corrected result in another match's place, and gives the place back. Rates nothing."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from itertools import count

from django.db.models import Exists, OuterRef, Q, QuerySet

from ranking.database.bulk_writes import changed_row, insert_numbered, insert_rows
from ranking.matches._ledger import lock_ratings
from ranking.matches._new_matches import leaves_of, new_match, new_record
from ranking.matches.devices import device_uses
from ranking.matches.rating import unrated_match
from ranking.matches.records import MatchRecord
from ranking.models import DeviceUse, Incident, Match, Pardon, Participation, Rating
from ranking.modes.mode_states import FIELDS as LEARNING_FIELDS
from ranking.modes.parameters import Rules
from ranking.players.players import ensure_players
from ranking.rules.report import BadReport, Report
from ranking.systems.base import Refused

PLACE = ("event", "season", "late", *LEARNING_FIELDS)  # the columns of a match that are its place in the history
_LONGEST_ID = 128
_SUFFIX = " corrected"


def give_place(old: Match, new: Match) -> None:
    """Give the old match's place in the history to the new one, and set it on both.

    Rows of the ledger stay with the old match until the mode is rated anew. Whose leave of the old match was pardoned
    is pardoned again; devices go over of players for whom the new match names none.
    """
    place = {name: getattr(old, name) for name in PLACE}
    for match, values in ((old, {"event": None, "season": None, "late": False, "to_learn": False}), (new, place)):
        for name, value in values.items():
            setattr(match, name, value)
        match.save(update_fields=list(values))
    _pardon_again(old, new)
    players = Participation.objects.filter(match=new).values("player")
    named = DeviceUse.objects.filter(match=new).values("player")
    DeviceUse.objects.filter(match=old, player__in=players).exclude(player__in=named).update(match=new)


def _pardon_again(old: Match, new: Match) -> None:
    pardons = Pardon.objects.filter(incident__match=old, lifted_at=None).select_related("incident")
    by_player = {pardon.incident.player_id: pardon for pardon in pardons}
    pardoned = Pardon.objects.filter(incident=OuterRef("pk"), lifted_at=None)
    leaves = Incident.objects.filter(~Exists(pardoned), match=new, player__in=by_player)
    insert_rows([changed_row(by_player[leave.player_id], pk=None, incident_id=leave.pk) for leave in leaves])


def write_replacement(old: Match, report: Report, rules: Rules, *, replaces: Match, now: dt.datetime) -> Match:
    """Write the match that a report describes in the place of an old one, inside the caller's transaction.

    The caller holds the mode, and voids `old`. `replaces`: the match that it names as the one that it corrects. Raises
    BadReport, also if somebody has no rating where one can't be added.
    """
    match = changed_row(new_match(report, rules, old.source, now), replaces_id=replaces.pk, links=old.links)
    players, _ = ensure_players([report], now)
    record = new_record(match, report, rules, players)
    if record.match.is_void:
        reason = record.match.void_reason
        raise BadReport("", f"The corrected result would count for nothing: {reason} Void the match instead.")
    try:
        unrated_match(record, rules)
    except Refused as refused:
        raise BadReport("teams", str(refused)) from refused
    if old.event_id is not None:
        _enter_players(old, report, record, rules, now)
    [match] = insert_numbered([record.match])
    record = MatchRecord(match, [changed_row(part, match_id=match.pk) for part in record.parts])
    insert_rows(record.parts)
    insert_rows(list(leaves_of(record)))
    insert_rows(device_uses([(report, record)]))
    give_place(old, match)
    return match


def _enter_players(old: Match, report: Report, record: MatchRecord, rules: Rules, now: dt.datetime) -> None:
    """Give a rating to those who have none in the season of the match."""
    players = [part.player_id for part in record.parts]
    rated = set(Rating.objects.filter(season=old.season_id, player__in=players).values_list("player", flat=True))
    new = [index for index, player in enumerate(players) if player not in rated]
    if not new:
        return
    team, slot, player = list(report.players())[new[0]]
    path, sentence = f"teams[{team}].players[{slot}].id", ""
    if old.season_id != rules.season_id:
        sentence = "has no rating in the season of this match, which is over"
    elif rules.lease:
        sentence = "has no rating yet, and gets none while the mode is being rated anew. Try again when that is done"
    if sentence:
        raise BadReport(path, f"{player.id!r} {sentence}.")
    entrants = {(rules.mode.pk, players[index]): (record.parts[index].player, old.region) for index in new}
    lock_ratings(entrants, {rules.mode.pk: rules}, set(entrants), now)


def corrected_id(match: Match) -> str:
    """The sender's id of a correction of this match: no other match of its source has it."""
    base = match.external_id.partition(_SUFFIX)[0] if match.replaces_id is not None else match.external_id
    for number in count(1):
        suffix = _SUFFIX if number == 1 else f"{_SUFFIX} {number}"
        external_id = base[: _LONGEST_ID - len(suffix)] + suffix
        if not Match.objects.filter(source=match.source_id, external_id=external_id).exists():
            return external_id
    raise AssertionError("count() never ends")


def replaced_by(matches: QuerySet[Match]) -> dict[int, int]:
    """The match that each correction among these replaces, by the correction's id."""
    rows = matches.filter(replaces__isnull=False).values_list("pk", "replaces")
    return {match: before for match, before in rows if before is not None}


def first_of_chains(matches: Mapping[int, int]) -> dict[int, int]:
    """The first match of the chain of corrections of each of these: `matches` has what each one replaces, by id."""
    first = dict(matches)
    while rows := replaced_by(Match.objects.filter(pk__in=set(first.values()))):
        first = {match: rows.get(before, before) for match, before in first.items()}
    return first


def chains_of(matches: Collection[int]) -> list[list[Match]]:
    """The chains of corrections that these matches are in, each with its first result first; others are in none."""
    found: dict[int, Match] = {}
    search: Sequence[int] = list(matches)
    while search:
        near = Q(replaces__in=search) | Q(replaced_by__in=search)
        new = [match for match in Match.objects.filter(near) if match.pk not in found]
        found |= {match.pk: match for match in new}
        search = [match.pk for match in new]
    following = {match.replaces_id: match for match in found.values() if match.replaces_id is not None}
    chains = []
    for match in found.values():
        if match.replaces_id is None:
            chain = [match]
            while (after := following.get(chain[-1].pk)) is not None:
                chain.append(after)
            chains.append(chain)
    return chains
