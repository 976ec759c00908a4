"""Weng–Lin (Plackett–Luce) through the openskill package. Start with: system."""
