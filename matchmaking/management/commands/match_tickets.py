"""`manage.py match_tickets`: runs the matcher on a file of tickets, without a database."""

import json
import time
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser

from matchmaking.matcher.find import find_matches
from matchmaking.matcher.pool import Pool, make_pool
from matchmaking.matcher.tickets import MatchRules
from matchmaking.planning.ticket_files import read_tickets


class Command(BaseCommand):
    help = "Match the tickets of a JSON file; seconds are the matcher's alone, from columns in memory."
    requires_system_checks = ()  # arithmetic needs no working site

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE")
        parser.add_argument("--team-size", type=int, required=True, metavar="N")
        parser.add_argument("--team-count", type=int, default=2, metavar="N")
        parser.add_argument("--fewest-teams", type=int, metavar="N", help="default: as many as --team-count")

    def handle(
        self, *, file: str, team_size: int, team_count: int, fewest_teams: int | None, **options: object
    ) -> None:
        try:
            rules = MatchRules(team_size=team_size, team_count=team_count, fewest_teams=fewest_teams)
            pool, now = _load(Path(file))
        except OSError as error:
            raise CommandError(f"{file} can't be read: {error.strerror or error}", returncode=2) from error
        except KeyError as error:
            raise CommandError(f"{file} is no ticket file: {error} is missing.", returncode=2) from error
        except (TypeError, ValueError) as error:
            raise CommandError(f"{file} can't be matched: {error}", returncode=2) from error
        start = time.perf_counter()
        matches = find_matches(pool, rules, now)
        seconds = time.perf_counter() - start
        self.stdout.write(json.dumps({"matches": [match.teams for match in matches], "seconds": round(seconds, 6)}))


def _load(path: Path) -> tuple[Pool, float]:
    """The pool of a file's tickets, and its time; nothing else of the file stays in memory."""
    tickets, now = read_tickets(json.loads(path.read_bytes()))
    return make_pool(tickets), now
