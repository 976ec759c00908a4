"""The ledger of ranked play: matches, ratings, standings and moderation. Start with: models, matches, systems."""
