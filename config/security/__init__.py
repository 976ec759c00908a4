"""Protection of the site: rate limits, client addresses and the content security policy. Start with: limits, policy."""
