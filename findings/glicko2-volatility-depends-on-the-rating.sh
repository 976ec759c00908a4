#!/bin/sh
# glicko2 2.1.0 (PyPI), Player.update_player: the new volatility depends on where the scale begins. In Glicko-2 only
# differences of ratings count, so a ladder that is 1500 points higher has the same volatilities and deviations.
#
# Seen, for a player of deviation 50 who wins twenty games of a period against twenty others of the same rating and deviation:
# - all at 1500: volatility 0.061270, rating +104.457; all at 3000: volatility 0.060000, rating +104.326;
# - glicko2 1.2.2 (npm), at either place: volatility 0.060621, rating +104.390.
# Reason: its step 5 squares the rating where the paper squares phi, the deviation.
#
# Exit status: 0 this is still so; 1 it has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --prefix . glicko2@1.2.2 >/dev/null
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check glicko2==2.1.0
cat > period.js <<'JAVASCRIPT'
const { Glicko2 } = require('glicko2');
const seen = [1500, 3000].map((place) => {
  const model = new Glicko2();
  const player = model.makePlayer(place, 50, 0.06);
  model.updateRatings(Array.from({ length: 20 }, () => [player, model.makePlayer(place, 50, 0.06), 1]));
  return `${player.getVol().toFixed(6)} +${(player.getRating() - place).toFixed(3)}`;
});
console.log(seen.join(', '));
JAVASCRIPT
cat > period.py <<'PYTHON'
from glicko2 import Player

seen = []
for place in (1500, 3000):
    player = Player(place, 50, 0.06)
    player.update_player([place] * 20, [50] * 20, [1] * 20)
    seen.append(f"{player.vol:.6f} +{player.rating - place:.3f}")
print(", ".join(seen))
PYTHON
npm_says=$(node period.js)
pypi_says=$(venv/bin/python period.py)
echo "npm's glicko2:  $npm_says"
echo "PyPI's glicko2: $pypi_says"
[ "$npm_says" = "0.060621 +104.390, 0.060621 +104.390" ] && [ "$pypi_says" = "0.061270 +104.457, 0.060000 +104.326" ]
