"""Gaussian Elo for duels, teams and free-for-all. Start with: system, formulas."""
