"""Plackett–Luce, the rating system of Weng and Lin. Start with: system."""
