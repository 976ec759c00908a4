"""Measures rating systems on a history and fits their parameters to it. Pure. Start with: trials, fits."""
