#!/bin/sh
# openskill 5.0.1 (npm), predictWin: the README's example doesn't give what the README shows for it.
#
# README, "Predicting Winners": a1 = rating(), a2 = rating({mu: 33.564, sigma: 1.123}), predictWin([[a1], [a2]]) shows
#   [0.45110899943132493, 0.5488910005686751]
# Seen: [0.2021, 0.7979], as openskill 6.2.0 (PyPI) has it. The function is right by its formula: Phi(−8.564 / 10.27).
# Who checks their own ladder against the page takes a sure favourite for a coin's toss.
#
# Exit status: 0 this is still so; 1 it has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --prefix . openskill@5.0.1 >/dev/null
cat > chance.mjs <<'JAVASCRIPT'
import { predictWin, rating } from 'openskill';
console.log(predictWin([[rating()], [rating({ mu: 33.564, sigma: 1.123 })]]).map((chance) => chance.toFixed(4)).join(' '));
JAVASCRIPT
seen=$(node chance.mjs)
shown=$(grep -c '0.45110899943132493, 0.5488910005686751' node_modules/openskill/README.md)
echo "predictWin: $seen; the README's figures are there: $shown"
[ "$seen" = "0.2021 0.7979" ] && [ "$shown" = 1 ]
