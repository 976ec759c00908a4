"""`manage.py export_season MODE [NUMBER] [--output FILE]`: the final standings of a season as CSV."""

from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from ranking.models import Mode, Season
from ranking.seasons.export import FINAL, export_standings, state_of


class Command(BaseCommand):
    help = (
        "The standings of a season as CSV, the best first, with the game's ids of players: what rewards are given by."
        " Those of a running season are preliminary."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("mode", metavar="MODE")
        parser.add_argument(
            "number", metavar="NUMBER", nargs="?", type=int, help="of the season; default: the last that is over"
        )
        parser.add_argument("--season", metavar="NUMBER", type=int, help="the same")
        parser.add_argument("--output", metavar="FILE", type=Path, help="default: standard output")

    def handle(self, *, mode: str, number: int | None, season: int | None, output: Path | None, **_: object) -> None:
        if number is not None and season is not None:
            raise CommandError("Give the season's number once.", returncode=2)
        row = _find_season(mode, season if number is None else number)
        if output is None:
            for piece in export_standings(row):
                self.stdout.write(piece, ending="")
        else:
            try:
                with output.open("w", encoding="utf-8", newline="") as file:
                    file.writelines(export_standings(row))
            except OSError as error:
                raise CommandError(f"{output} can't be written: {error.strerror}.") from error
        if state_of(row) != FINAL:
            self.stderr.write(f"{row.name} of {mode} isn't over: these standings are preliminary.")


def _find_season(slug: str, number: int | None) -> Season:
    mode = Mode.objects.filter(slug=slug).first()
    if mode is None:
        raise CommandError(f"There is no mode {slug!r}.", returncode=2)
    seasons = Season.objects.select_related("mode").filter(mode=mode)
    wanted = seasons.filter(state=Season.ARCHIVED) if number is None else seasons.filter(number=number)
    season = wanted.order_by("-number").first()
    if season is None:
        missing = "no season that is over" if number is None else f"no season {number}"
        raise CommandError(f"{slug} has {missing}.", returncode=2)
    return season
