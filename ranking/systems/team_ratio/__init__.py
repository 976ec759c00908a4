"""Team ratio, a rating system in which each match is a wager of a share of the rating. Start with: system, wagers."""
