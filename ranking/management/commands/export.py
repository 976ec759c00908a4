"""`manage.py export results|players|conduct|boards [--output FILE]`: takes a site's data away, while it is read."""

import os
import tempfile
from argparse import ArgumentParser
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db.models import QuerySet

from ranking.matches.exporting import ResultsExport
from ranking.models import Mode, Season, Source
from ranking.moderation.conduct_facts import export_conduct
from ranking.players.export import export_players
from ranking.seasons.export import export_boards


class Command(BaseCommand):
    help = (
        "Take data away: results as import_matches takes them (JSON Lines), players, conduct, or boards. Memory stays"
        " flat. docs/importing.md says how a history is taken to another site."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        kinds = parser.add_subparsers(dest="kind", required=True, metavar="KIND")
        results = kinds.add_parser(
            "results",
            help="results as import_matches takes them",
            description=(
                "Results in the order of time, a line of JSON each, as import_matches takes them. Corrected matches go"
                " out as corrected; matches that count for nothing in the form that counts for nothing again. Void ones"
                " that might be restored (by a moderator, too short, uneven) are left out and counted. Devices aren't"
                " kept, so they aren't exported."
            ),
        )
        results.add_argument("--mode", metavar="MODE", help="of this mode alone")
        results.add_argument("--source", metavar="SOURCE", help="of this source alone")
        results.add_argument("--void", action="store_true", help="void matches, too: as called off, with the reason")
        results.add_argument(
            "--as-sent", action="store_true",
            help="players by the ids that were sent; default: merged players by the id of the one who was kept",
        )  # fmt: skip
        results.add_argument(
            "--as-mode", default="", metavar="MODE",
            help="results name this mode, and no lobbies: to import them into another mode of this site",
        )  # fmt: skip
        kinds.add_parser("players", help="players, a line of JSON each: keys, names, and who was merged into whom")
        kinds.add_parser(
            "conduct",
            help="incidents, bans, appeals, warnings and more, a line of JSON each",
            description=(
                "What the site keeps about conduct, a line of JSON each, as in players' own data. Moderators' notes and"
                " what players reported about each other aren't in it."
            ),
        )
        boards = kinds.add_parser("boards", help="standings of all seasons as CSV, as export_season writes one's")
        boards.add_argument("--mode", metavar="MODE", help="of this mode alone")
        boards.add_argument("--season", metavar="NUMBER", type=int, help="of the seasons of this number alone")
        for kind in kinds.choices.values():
            kind.add_argument(
                "--output", metavar="FILE", type=Path,
                help="default: standard output. A file has this name once it is whole",
            )  # fmt: skip

    def handle(self, *, kind: str, output: Path | None, **options: Any) -> None:
        if kind == "results":
            self._export_results(output, options)
        elif kind == "players":
            self._write(export_players(), output)
        elif kind == "conduct":
            self._write(export_conduct(), output)
        else:
            self._write(export_boards(_find_seasons(options["mode"], options["season"])), output)

    def _export_results(self, output: Path | None, options: dict[str, Any]) -> None:
        export = ResultsExport(
            mode=_find(Mode, options["mode"], "mode"),
            source=_find(Source, options["source"], "source"),
            void=options["void"],
            as_sent=options["as_sent"],
            as_mode=options["as_mode"],
        )
        self._write(export.lines(), output)
        for sentence in export.sentences():
            self.stderr.write(sentence)

    def _write(self, pieces: Iterable[str], output: Path | None) -> None:
        if output is None:
            for piece in pieces:
                self.stdout.write(piece, ending="")
            return
        try:
            write_whole(output, pieces)
        except OSError as error:
            raise CommandError(f"{output} can't be written: {error.strerror}.") from error


def _find(model: Any, slug: str | None, name: str) -> Any:
    if slug is None:
        return None
    row = model.objects.filter(slug=slug).first()
    if row is None:
        raise CommandError(f"There is no {name} {slug!r}.", returncode=2)
    return row


def _find_seasons(slug: str | None, number: int | None) -> QuerySet[Season]:
    seasons = Season.objects.select_related("mode").order_by("mode__slug", "number")
    if slug is not None:
        seasons = seasons.filter(mode=_find(Mode, slug, "mode"))
    return seasons if number is None else seasons.filter(number=number)


def write_whole(path: Path, pieces: Iterable[str]) -> None:
    """Write a file that has its name once it is whole: until then, it has another one in the same folder."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with open(handle, "w", encoding="utf-8", newline="") as file:
            file.writelines(pieces)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink()
        raise
