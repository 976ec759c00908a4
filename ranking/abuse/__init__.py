"""Searches a mode's history for abuse each night and keeps the findings for moderators. Start with: search, loading."""
