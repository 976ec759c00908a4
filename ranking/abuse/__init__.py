"""Searches a mode's history for abuse each night and keeps findings for moderators. Start with: detection, search."""
