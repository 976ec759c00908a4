"""`manage.py explain MATCH PLAYER`: why this rating moved so."""

from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ranking.matches.explanations import explain, find_match
from ranking.matches.records import MatchRecord, load_records
from ranking.models import Change, Match
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
        found = find_match(match)
        if found is None:
            raise CommandError(f"There is no match {match!r}; give its number, or SOURCE:ID.")
        play = load_records([found])[found.pk]
        part = next((part for part in play.parts if part.player.key == player), None)
        if part is None:
            keys = ", ".join(part.player.key for part in play.parts)
            raise CommandError(f"{player!r} didn't play in match {found.pk}; there were {keys}.")
        why = explain(play).get(part.player_id)
        if why is None:
            raise CommandError(f"Match {found.pk} isn't rated yet.")
        change = next(change for change in play.changes if change.player_id == part.player_id)
        for line in _told(play, part.player.name, change, why):
            self.stdout.write(line)


def _told(play: MatchRecord, name: str, change: Change, why: Explanation) -> Iterator[str]:
    system = system_of(change.parameters)
    before, after = (
        from_hundredths(display, system.decimals) for display in (change.display_before, change.display_after)
    )
    yield f"{name} {_WORDS[change.outcome]}: {before} → {after}"
    yield _where(play.match, system.title)
    yield ""
    wide = max(len(reason.value) for reason in why.reasons)
    named = max(len(reason.name) for reason in why.reasons)
    for reason in why.reasons:
        yield f"  {reason.value:>{wide}}  {reason.name:<{named}}  {reason.note}".rstrip()
    yield ""
    yield f"  {why.equation}"


def _where(match: Match, title: str) -> str:
    ended = f"{match.ended_at:%Y-%m-%d %H:%M} UTC"
    return f"Match {match.pk} ({match.external_id} of {match.source.slug}), {match.mode.name}, {ended}, {title}"
