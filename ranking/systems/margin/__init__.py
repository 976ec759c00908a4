"""Margin: a Gaussian skill that learns from how high a match was won. Start with: system, formulas."""
