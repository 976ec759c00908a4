"""Parties: players who queue together. Start with: parties, page."""
