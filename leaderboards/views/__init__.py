"""Pages: each view translates between a request and one call of a subject package.

Start with: boards, players.
"""
