"""The HTTP API of ranking, and what the APIs of all apps share. Start with: base, urls."""
