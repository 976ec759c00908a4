#!/bin/sh
# openskill 6.2.0 (PyPI), PlackettLuce.rate(weights=…): in a team of two, a weight of 0.5, of 0.01 and of 0 do the same, and in
# a defeat it is the one with the lower weight who bears the whole loss, while their team-mate loses half.
#
# Seen, as changes of mu of four newcomers, two against two:
# - without weights: 1.9643 each, and −1.9643 each;
# - with the weight 0.5, 0.01 or 0 for the last one, 1 for all others: 1.9643, 1.9643; −0.9821, −1.9643;
# - with the weights 0.01, 0.01 of a whole team: as without weights.
# Reason: by default a team's weights are stretched to the range from 1 to 2 (`weight_bounds`), and a loss is divided by them. So they
# tell who did more, and can't stand for the time that somebody played.
#
# Exit status: 0 this is still so; 1 it has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check openskill==6.2.0
"$folder/venv/bin/python" - <<'PYTHON'
import sys

from openskill.models import PlackettLuce


def changes(weights=None):
    """Of mu, of four newcomers: the first two win."""
    model = PlackettLuce()
    teams = [[model.rating(), model.rating()] for _ in range(2)]
    rated = model.rate(teams, **({} if weights is None else {"weights": weights}))
    return [round(player.mu - 25, 4) for team in rated for player in team]


plain, whole = changes(), changes([[0.01, 0.01], [1, 1]])
part = [changes([[1, 1], [1, weight]]) for weight in (0.5, 0.01, 0)]
print("without weights:", *plain)
print("0.5, 0.01 and 0 for the last one:", *part)
print("0.01 for both of the first team:", *whole)
as_seen = plain == whole == [1.9643, 1.9643, -1.9643, -1.9643]
sys.exit(not (as_seen and part == [[1.9643, 1.9643, -0.9821, -1.9643]] * 3))
PYTHON
