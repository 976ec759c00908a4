"""Pages of matchmaking: each view translates a request, calls the domain, and renders.

Start with: queues, lobbies.
"""
