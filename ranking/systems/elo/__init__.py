"""Elo's rating system. Start with: system, batch."""
