"""Replays a whole history at once, with the same results as match by match. Start with: replaying, registry."""
