"""A player's page, cards and comparisons, and the front page.

Start with: profiles, home.
"""
