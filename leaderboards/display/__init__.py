"""Texts, SVG and PNG for numbers, without a database. Start with: numbers, curves."""
