"""`manage.py explain MATCH PLAYER`: explains why a match, or dropping out of a lobby, moved a player's rating."""

from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ranking.matches.explanations import explain, explain_forfeit, find_change, find_forfeit, find_match
from ranking.matches.records import load_records
from ranking.models import Change, Forfeit, Match, Participation
from ranking.modes.parameters import system_of
from ranking.systems.shared.display import from_hundredths
from ranking.systems.shared.explanations import Explanation

_WORDS = {Change.WIN: "won", Change.DRAW: "drew", Change.LOSS: "lost", Change.LEFT: "left early"}


class Command(BaseCommand):
    help = "Why a match moved a player's rating as it did: the system's formula with the match's numbers."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "match",
            help="the site's number of it (as in /matches/NUMBER/), or SOURCE:ID, or the id of a lobby (as in "
            "/lobbies/ID/) that the player dropped out of",
        )
        parser.add_argument("player", help="the game's key for the player")

    def handle(self, *, match: str, player: str, **options: object) -> None:
        row, forfeit = find_match(match), None
        if row is None:
            forfeit = find_forfeit(match, player)
            if forfeit is None:
                raise CommandError(
                    f"There is no match {match!r}; give its number, SOURCE:ID, or the id of a lobby that {player!r} "
                    "dropped out of."
                )
        for line in _forfeit_lines(forfeit) if forfeit else _match_lines(row, player):
            self.stdout.write(line)


def _match_lines(match: Any, player: str) -> Iterator[str]:
    record = load_records([match])[match.pk]
    part = next((part for part in record.parts if part.player.key == player), None)
    if part is None:
        keys = ", ".join(part.player.key for part in record.parts)
        raise CommandError(f"{player!r} didn't play in match {match.pk}; there were {keys}.")
    why = explain(record).get(part.player_id)
    if why is None:
        raise CommandError(f"Match {match.pk} isn't rated yet.")
    change = next(change for change in record.changes if change.player_id == part.player_id)
    what = _WORDS[change.outcome]
    if len(match.teams) > 2 and change.outcome != Change.LEFT:
        what = f"came in place {part.place} of {part.places}"
    yield f"{part.player.name} {what}: {_move_text(change)}"
    yield _match_line(match, change)
    yield from _standing_lines(part)
    yield from _reason_lines(why)


def _forfeit_lines(forfeit: Forfeit) -> Iterator[str]:
    change = find_change(forfeit)
    if change is None:
        raise CommandError(f"That {forfeit.player.key!r} dropped out of lobby {forfeit.lobby} isn't rated.")
    why = explain_forfeit(forfeit, change)
    if why is None:
        raise CommandError(f"{forfeit.mode.name} is being rated anew; ask again when that is done.")
    yield f"{forfeit.player.name} dropped out: {_move_text(change)}"
    when = f"{forfeit.happened_at:%Y-%m-%d %H:%M} UTC"
    yield f"Lobby {forfeit.lobby}, {forfeit.mode.name}, {when}, {system_of(change.parameters).title}"
    yield from _standing_lines(forfeit)
    yield from _reason_lines(why)


def _move_text(change: Change) -> str:
    decimals = system_of(change.parameters).decimals
    return f"{from_hundredths(change.display_before, decimals)} → {from_hundredths(change.display_after, decimals)}"


def _match_line(match: Match, change: Change) -> str:
    ended, title = f"{match.ended_at:%Y-%m-%d %H:%M} UTC", system_of(change.parameters).title
    return f"Match {match.pk} ({match.external_id} of {match.source.slug}), {match.mode.name}, {ended}, {title}"


def _standing_lines(row: Participation | Forfeit) -> Iterator[str]:
    """The rank before and after, as stored; nothing if the player wasn't ranked."""
    ranks = [(row.rank_before, row.listed_before), (row.rank_after, row.listed_after)]
    if any(rank for rank, _ in ranks):
        texts = [f"{rank:,} of {listed:,}" if rank else "unranked" for rank, listed in ranks]
        yield f"Rank {' → '.join(texts)}"


def _reason_lines(why: Explanation) -> Iterator[str]:
    yield ""
    value_width = max(len(reason.value) for reason in why.reasons)
    name_width = max(len(reason.name) for reason in why.reasons)
    for reason in why.reasons:
        yield f"  {reason.value:>{value_width}}  {reason.name:<{name_width}}  {reason.note}".rstrip()
    yield ""
    yield f"  {why.equation}"
    if why.leaving:
        yield ""
        yield f"  {why.leaving}"
