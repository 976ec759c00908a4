"""Weng–Lin (Plackett–Luce), through the openskill package for more than two teams. Start with: system, formulas."""
