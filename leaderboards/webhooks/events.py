"""The events that webhooks tell of. `queueing` queues the messages of an event, `messages` writes them.

A new event stands here first. It also needs a function in `queueing` that its trigger calls, its form for Discord in
`messages`, and a row in docs/integrating.md.
"""

MATCH_RATED, PLAYER_PROMOTED, TEST = "match.rated", "player.promoted", "test"

# The events that a webhook can be subscribed to, with what the admin says of each.
MEANINGS = {MATCH_RATED: "A result was rated", PLAYER_PROMOTED: "Somebody reached a higher tier"}
EVENTS = tuple(MEANINGS)
