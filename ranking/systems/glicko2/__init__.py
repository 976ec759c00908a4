"""Glicko-2 for duels. Start with: system, formulas."""
