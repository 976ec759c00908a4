"""Who a player is: names, claims, tokens, privacy and erasure. Start with: players, claims."""
