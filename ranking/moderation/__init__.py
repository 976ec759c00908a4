"""What counts against players, what bars them from play, and what moderators do about it.

Start with: sanctions, eligibility.
"""
