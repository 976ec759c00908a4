"""Archived seasons as people see them: a player's past seasons, medals and champions. Start with: past, champions."""
