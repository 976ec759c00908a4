"""The page of one match after it ended: teams, changes of ratings and leavers. Start with: postgame, seats."""
