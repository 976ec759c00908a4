"""The standings of a season as a CSV file: what rewards are given by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import islice

from ranking.models import Season
from ranking.rules.spreadsheets import csv_text
from ranking.seasons.final_standings import FinalRow, FinalStandings, load_standings

COLUMNS = (
    "rank", "player", "name", "rating", "percentile", "tier", "matches", "wins", "draws", "losses", "leaves", "struck",
    "state",
)  # fmt: skip
FINAL, PRELIMINARY = "final", "preliminary"
_PIECE = 1_000  # lines


def state_of(season: Season) -> str:
    """FINAL for an archived season: nothing in its file changes any more. PRELIMINARY for a running one."""
    return FINAL if season.state == Season.ARCHIVED else PRELIMINARY


def file_name(season: Season) -> str:
    """The name of the season's file: duel-season-1-final.csv."""
    return f"{season.mode.slug}-season-{season.number}-{state_of(season)}.csv"


def export_standings(season: Season) -> Iterator[str]:
    """Yield the file in pieces, in the order of the board; memory doesn't grow with the number of players.

    `player` is the game's id; `struck` is "yes" for a player who gets no reward. A player who is hidden or has left
    for good has neither id nor name. The file is for operators: it tells ratings
    even if the mode shows none.
    """
    yield csv_text([COLUMNS])
    for lines in _pieces(season):
        yield csv_text(lines)


def export_boards(seasons: Iterable[Season]) -> Iterator[str]:
    """Yield the standings of several seasons as one file, in pieces: as each one's, after the mode and the season."""
    yield csv_text([("mode", "season", *COLUMNS)])
    for season in seasons:
        for lines in _pieces(season):
            yield csv_text((season.mode.slug, season.number, *line) for line in lines)


def _pieces(season: Season) -> Iterator[list[tuple[object, ...]]]:
    standings, state = load_standings(season), state_of(season)
    rows = standings.rows()
    while piece := list(islice(rows, _PIECE)):
        yield [_line(standings, row, state) for row in piece]


def _line(standings: FinalStandings, row: FinalRow, state: str) -> tuple[object, ...]:
    # A rating is written as a number, which is no formula even with a minus before it.
    return (
        row.rank, row.key, row.name, Decimal(standings.rating_text(row.hundredths)), row.percentile,
        row.tier.label if row.tier else "", row.matches, row.wins, row.draws, row.losses, row.leaves,
        "yes" if row.struck else "", state,
    )  # fmt: skip
