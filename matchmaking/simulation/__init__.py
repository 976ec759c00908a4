"""An evening of queueing, played through: people of known skill, the real matcher, rating systems and lockouts. Pure.

The same scenario and seed, the same evening, to the last match. `scenarios` says what is played, `people` who they are,
`visits` when they are online, `ladders` what a site would know of them, `matches` how a match goes, `evenings` is the
clock; `reports` sums up, `tables` and `charts` show it.
"""
