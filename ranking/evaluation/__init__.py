"""How well rating systems predict: a history replayed, each match predicted from the skills before it. Pure.

`trials` replays and sums up, by `replaying` (the loop), `figures` and `calibration` (how good the predictions were)
and `populations` (what became of the ratings); `comparing` sets two boards side by side; `charts` draws, with what
is in `plotting`.
"""
