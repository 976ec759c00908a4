"""Pictures beside players' names: chosen by the player, fetched from their account at another site, stored here.

Start with: choosing, fetching.
"""
