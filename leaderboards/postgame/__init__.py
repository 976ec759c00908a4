"""The post-game page: who won a match, what it changed, and why.

Start with: postgame, seats.
"""
