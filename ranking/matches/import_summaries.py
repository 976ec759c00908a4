"""What became of an import, in sentences: for the command and for the admin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ranking.matches import recording
from ranking.matches.alike import Twin
from ranking.matches.lobbies import conflict_sentence
from ranking.matches.overlaps import OverlapCounter
from ranking.matches.recording import Recorded
from ranking.validation.report_files import ReportLine
from ranking.validation.report_outlines import MOST_FAULTS, Outline, place_of

WORDS = {
    recording.RATED: "rated",
    recording.RECORDED: "recorded, to be rated later",
    recording.VOID: "counting for nothing",
    recording.KNOWN: "known already",
    recording.CONFLICT: "in conflict",
    recording.LOBBY_HAS_RESULT: "for a lobby that has a result",
    recording.REFUSED: "refused",
}
_ONLY_IF_ANY = (recording.RECORDED, recording.VOID, recording.LOBBY_HAS_RESULT)
_NAMED = 5  # lines that are alike to matches, of which the summary tells


class ImportSummary:
    """Counts what becomes of lines. `faults`: a sentence of each line that wasn't imported, the first ones."""

    def __init__(self, outline: Outline) -> None:
        self._counts: Counter[str] = Counter({recording.REFUSED: outline.faulty})
        self._alike: list[str] = []  # the first lines that were skipped
        self._skipped = self._draws = 0
        self._late: Counter[str] = Counter()  # by mode
        self._overlaps = OverlapCounter()
        self._outline = outline
        self.faults = [f"{place_of(line)}: {line.error}" for line in outline.faults]

    @property
    def new(self) -> int:
        """How many results were recorded."""
        return sum(self._counts[state] for state in (recording.RATED, recording.RECORDED, recording.VOID))

    @property
    def missing(self) -> int:
        """How many lines were not imported, though they should have been."""
        states = (recording.CONFLICT, recording.LOBBY_HAS_RESULT, recording.REFUSED)
        return sum(self._counts[state] for state in states)

    def add(self, line: ReportLine, outcome: Recorded | Twin | None) -> None:
        if isinstance(outcome, Twin):
            self._skipped += 1
            if len(self._alike) < _NAMED:
                self._alike.append(f"{place_of(line)}: like {_twin_text(outcome)}")
            return
        if outcome is None:  # the outline has it
            return
        self._counts[outcome.state] += 1
        if (fault := _fault_of(outcome)) and len(self.faults) < MOST_FAULTS:
            self.faults.append(f"{place_of(line)}: {fault}")
        if outcome.record is not None and not fault and not line.day_alone:
            self._overlaps.add(outcome.record, place_of(line))
        if outcome.state == recording.RATED and outcome.record is not None:
            match = outcome.record.match
            self._draws += len({part.team for part in outcome.record.parts if part.place == 1}) > 1
            self._late[match.mode.slug] += match.late

    def sentences(self) -> Iterator[str]:
        """The counts, and what somebody should know."""
        counts = self._counts
        yield (
            ", ".join(
                f"{counts[state]:,} {words}"
                for state, words in WORDS.items()
                if counts[state] or state not in _ONLY_IF_ANY
            )
            + "."
        )
        yield from self._alike_sentences()
        if self._draws:
            yield f"Draws: {self._draws:,}."
        for slug, count in self._late.items():
            if count:
                yield (
                    f"Late in {slug}: {count:,}, as they ended before a match that was rated already. To rate all in"
                    f" the order of time: manage.py rerate {slug} --chronological."
                )
        if players := self._overlaps.players:
            key, (one, other) = next(iter(players.items()))
            yield (
                f"In two matches at once: {len(players):,} player{'' if len(players) == 1 else 's'}, first {key!r}"
                f" ({one}; {other}). One of two such matches may never have been played."
            )
        yield from self._outline.sentences()

    def _alike_sentences(self) -> Iterator[str]:
        if not self._skipped:
            return
        yield (
            f"{self._skipped:,} skipped: same mode, players by team, start and end as another result (without a start:"
            " end and scores). --keep-alike rates them."
        )
        yield from (f"    {sentence}" for sentence in self._alike)
        if self._skipped > len(self._alike):
            yield f"    and {self._skipped - len(self._alike):,} more"


def _fault_of(outcome: Recorded) -> str:
    """Why a result wasn't recorded; "" if it was."""
    if outcome.error is not None:
        return str(outcome.error)
    if outcome.state == recording.CONFLICT:
        return f"another result is recorded under this id: {outcome.differs} differs"
    if outcome.state == recording.LOBBY_HAS_RESULT and outcome.record is not None:
        return conflict_sentence(outcome.record.match, outcome.record.match.pk)
    return ""


def _twin_text(twin: Twin) -> str:
    return (
        f"{twin.id!r} in this import" if twin.number is None else f"match {twin.number}, {twin.id!r} of {twin.source}"
    )
