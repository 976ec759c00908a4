"""A player's matches: their history, filtered, line by line, and counted. Start with: recent_matches, history."""
