"""Seasons: when they end, how they end, and what stays of them. Start with: ending, archives."""
