"""Battle points, Elo for duels with K brackets. Start with: system, formulas."""
