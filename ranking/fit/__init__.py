"""Fits the parameters of rating systems to a mode's own history. Start with: jobs, candidates."""
