"""`manage.py explain MATCH PLAYER`: explains why a match moved a player's rating."""

from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ranking.matches.explanations import explain, find_match
from ranking.matches.records import MatchRecord, load_records
from ranking.models import Change, Match, Participation
from ranking.modes.parameters import system_of
from ranking.systems.shared.display import from_hundredths
from ranking.systems.shared.explanations import Explanation

_WORDS = {Change.WIN: "won", Change.DRAW: "drew", Change.LOSS: "lost", Change.LEFT: "left early"}


class Command(BaseCommand):
    help = "Why a match moved a player's rating as it did: the system's formula with the match's numbers."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("match", help="the site's number of it (as in /matches/NUMBER/), or SOURCE:ID")
        parser.add_argument("player", help="the game's key for the player")

    def handle(self, *, match: str, player: str, **options: Any) -> None:
        row = find_match(match)
        if row is None:
            raise CommandError(f"There is no match {match!r}; give its number, or SOURCE:ID.")
        record = load_records([row])[row.pk]
        part = next((part for part in record.parts if part.player.key == player), None)
        if part is None:
            keys = ", ".join(part.player.key for part in record.parts)
            raise CommandError(f"{player!r} didn't play in match {row.pk}; there were {keys}.")
        why = explain(record).get(part.player_id)
        if why is None:
            raise CommandError(f"Match {row.pk} isn't rated yet.")
        change = next(change for change in record.changes if change.player_id == part.player_id)
        for line in _lines(record, part, change, why):
            self.stdout.write(line)


def _lines(record: MatchRecord, part: Participation, change: Change, why: Explanation) -> Iterator[str]:
    system = system_of(change.parameters)
    before, after = (
        from_hundredths(display, system.decimals) for display in (change.display_before, change.display_after)
    )
    what = _WORDS[change.outcome]
    if len(record.match.teams) > 2 and change.outcome != Change.LEFT:
        what = f"came in place {part.place} of {part.places}"
    yield f"{part.player.name} {what}: {before} → {after}"
    yield _match_line(record.match, system.title)
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


def _match_line(match: Match, title: str) -> str:
    ended = f"{match.ended_at:%Y-%m-%d %H:%M} UTC"
    return f"Match {match.pk} ({match.external_id} of {match.source.slug}), {match.mode.name}, {ended}, {title}"
