"""The events that webhooks tell of. `queueing` queues the messages of an event, `messages` writes them.

A new event stands here first. It also needs a function in `queueing` that its trigger calls, its form for Discord in
`messages`, and a row in docs/integrating.md.
"""

from ranking import hooks

MATCH_RATED, PLAYER_PROMOTED, TEST = "match.rated", "player.promoted", "test"
SEASON_ENDED, SEASON_STARTED, SEASON_CORRECTED = "season.ended", "season.started", "season.corrected"

# What a correction did: a player of the archived season was struck, the strike was undone, or the end was taken back.
STRUCK, RESTORED, REOPENED = hooks.STRUCK, hooks.RESTORED, hooks.REOPENED

# The events that a webhook can be subscribed to, with what the admin says of each.
MEANINGS = {
    MATCH_RATED: "A result was rated",
    PLAYER_PROMOTED: "Somebody reached a higher tier",
    SEASON_ENDED: "A season ended, with the final standings",
    SEASON_STARTED: "The next season began",
    SEASON_CORRECTED: "A player was struck from a season that is over, or its end was taken back",
}
EVENTS = tuple(MEANINGS)
