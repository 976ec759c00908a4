"""Searches for parameters and judges them, without a database. Start with: fitting, search."""
