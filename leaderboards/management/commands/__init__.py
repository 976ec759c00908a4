"""The commands, one a file. Start with: grant_achievements."""
