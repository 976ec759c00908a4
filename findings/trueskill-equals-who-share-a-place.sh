#!/bin/sh
# trueskill 0.4.5 (PyPI): newcomers who share a place in one match end at different ratings, by the order in which they
# are listed, and some who share the last place end above one who came before them.
#
# Seen, as mu − 3·sigma after one match of newcomers:
# - Twelve, of whom eight share the last place, draw probability 0.5: the eight get 4.94 6.22 7.19 7.87 8.28 8.43 8.28 7.76.
# - Sixty, of whom thirteen share the last place, draw probability 0.1: the thirteen get −2.19 to −0.42, and the one who came
#   alone before them −1.29.
# Likely reason: sides that share a place are linked in a row, each to the next one alone.
#
# Exit status: 0 this is still so; 1 it has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check trueskill==0.4.5
"$folder/venv/bin/python" - <<'PYTHON'
import sys

from trueskill import TrueSkill


def shown(sides, tied, draw):
    """What newcomers end at who come in one after the other, the last ones at once."""
    model = TrueSkill(draw_probability=draw)
    places = [*range(sides - tied), *[sides - tied] * tied]
    rated = model.rate([(model.create_rating(),) for _ in range(sides)], ranks=places)
    return [round(model.expose(side[0]), 2) for side in rated]


eight, thirteen = shown(12, 8, 0.5)[4:], shown(60, 13, 0.1)[46:]
print("eight who share the last place:", *eight)
print("who came before the thirteen:", thirteen[0], "and these:", *thirteen[1:])
same = eight == [4.94, 6.22, 7.19, 7.87, 8.28, 8.43, 8.28, 7.76]
same = same and (thirteen[0], thirteen[1], max(thirteen[1:])) == (-1.29, -2.19, -0.42)
sys.exit(not same)
PYTHON
