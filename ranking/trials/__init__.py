"""Tries rating systems on a history: evaluations predict it, fits find parameters for it. Start with: jobs."""
