"""Team ratio, in which each match is a wager of a twentieth of the rank. Start with: system, wagers."""
