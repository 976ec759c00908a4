"""The events that webhooks tell of. `queueing` queues the messages of an event, `messages` writes them.

A new event stands here first. The module `*_messages` of its subject says what the message holds: a serializer that
describes it in the schema and fills it, and its embed for Discord. It also needs a function in `queueing` that its
trigger calls, and a row in docs/integrating.md.
"""

from ranking import hooks

MATCH_RATED, PLAYER_PROMOTED, TEST = "match.rated", "player.promoted", "test"
PLAYER_RENAMED = "player.renamed"
MATCH_VOIDED, MATCH_CORRECTED = "match.voided", "match.corrected"
MATCH_FOUND, LOBBY_ABORTED = "match.found", "lobby.aborted"
SEASON_ENDED, SEASON_STARTED, SEASON_CORRECTED = "season.ended", "season.started", "season.corrected"

# What a correction did: a player of the archived season was struck, the strike was undone, or the end was taken back.
STRUCK, RESTORED, REOPENED = hooks.STRUCK, hooks.RESTORED, hooks.REOPENED

# The events that a webhook can be subscribed to, with what the admin says of each.
MEANINGS = {
    MATCH_RATED: "A result was rated",
    MATCH_VOIDED: "A match was voided: it counts for nothing",
    MATCH_CORRECTED: "A corrected result took the place of a wrong one",
    MATCH_FOUND: "Everybody accepted a match, and its players meet",
    LOBBY_ABORTED: "A match was called off before its end",
    PLAYER_PROMOTED: "Somebody reached a higher tier",
    PLAYER_RENAMED: "A moderator renamed a player, gave a name back or unlocked one",
    SEASON_ENDED: "A season ended, with the final standings",
    SEASON_STARTED: "The next season began",
    SEASON_CORRECTED: "A player was struck from a season that is over, or its end was taken back",
}
EVENTS = tuple(MEANINGS)
