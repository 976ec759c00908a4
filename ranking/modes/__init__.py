"""Modes: what is played, and by which parameters it is rated. Start with: parameters, changes."""
