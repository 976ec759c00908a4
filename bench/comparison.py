"""Puts two tables of `make bench` beside each other: `python -m bench.comparison THEN NOW`, the files of two runs."""

import re
import sys
from pathlib import Path

_WHOLE = ("rank lookup", "the same, ranks as match by match")  # counts and nanoseconds, which tell nothing here


def figures(text: str) -> dict[str, tuple[str, str]]:
    """What was measured, by name: ours, and its ratio to the floor, if it has one."""
    found: dict[str, tuple[str, str]] = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) == 8 and re.match(r"[\d,.]+ (µs|ms|s|/s|MiB)$", cells[2]):
            found[cells[1]] = cells[2], cells[4]
    return found


def compared(then: str, now: str) -> list[str]:
    """Lines of a Markdown table: each figure that both runs have, and the later one over the earlier one."""
    before, after = figures(then), figures(now)
    lines = ["| what | then | now | now / then | floor, then | floor, now |", "|---|---:|---:|---:|---:|---:|"]
    for what, (ours, ratio) in after.items():
        if what in before and what not in _WHOLE:
            earlier, earlier_ratio = before[what]
            growth = _number(ours) / _number(earlier)
            lines.append(f"| {what} | {earlier} | {ours} | {growth:.2f} × | {earlier_ratio} | {ratio} |")
    return lines


def _number(figure: str) -> float:
    return float(figure.split()[0].replace(",", ""))


if __name__ == "__main__":
    print("\n".join(compared(*(Path(name).read_text() for name in sys.argv[1:3]))))
