#!/bin/sh
# trueskill 0.0.2 (npm), AdjustPlayers: a player's sigma never falls below 2.1 in duels, however many they play; and
# ChanceOfWinning takes sigma for a variance and leaves beta out.
#
# Seen:
# - Two newcomers who beat each other in turn, as sigma after 10, 100 and 1000 matches: 3.130, 2.118, 2.118. The package
#   trueskill 0.4.5 (PyPI) has 2.807, 0.878, 0.778 for the same matches and the same draw probability of 0.1.
# - The chance of 30/2 against a newcomer, 25/8.333: 0.9401. TrueSkill's is Phi(5 / √(2·4.1667² + 2² + 8.333²)) = 0.6847.
# Reason: the dynamics factor gamma is added to sigma, where the paper adds gamma² to sigma²; and
# `free-gaussian`, to which ChanceOfWinning gives sigma, wants a variance.
#
# Exit status: 0 this is still so; 1 it has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --prefix . trueskill@0.0.2 >/dev/null
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check trueskill==0.4.5
cat > duels.js <<'JAVASCRIPT'
const trueskill = require('trueskill');
trueskill.SetParameters(null, null, 0.1);
const players = [{skill: [25, 25 / 3]}, {skill: [25, 25 / 3]}];
const sigmas = [];
for (let match = 1; match <= 1000; match++) {
  players.forEach((player, index) => { player.rank = (match + index) % 2 ? 1 : 2; });
  trueskill.AdjustPlayers(players);
  if ([10, 100, 1000].includes(match)) sigmas.push(players[0].skill[1].toFixed(3));
}
console.log(sigmas.join(' '), trueskill.ChanceOfWinning([30, 2], [25, 25 / 3]).toFixed(4));
JAVASCRIPT
cat > duels.py <<'PYTHON'
from math import sqrt

from trueskill import TrueSkill

model = TrueSkill(draw_probability=0.1)
first, second = model.create_rating(), model.create_rating()
sigmas = []
for match in range(1, 1001):
    if match % 2:
        second, first = model.rate_1vs1(second, first)
    else:
        first, second = model.rate_1vs1(first, second)
    if match in (10, 100, 1000):
        sigmas.append(f"{first.sigma:.3f}")
print(*sigmas, f"{model.cdf(5 / sqrt(2 * model.beta**2 + 2**2 + model.sigma**2)):.4f}")
PYTHON
npm_says=$(node duels.js)
pypi_says=$(venv/bin/python duels.py)
echo "npm's trueskill:  $npm_says"
echo "PyPI's trueskill: $pypi_says"
[ "$npm_says" = "3.130 2.118 2.118 0.9401" ] && [ "$pypi_says" = "2.807 0.878 0.778 0.6847" ]
