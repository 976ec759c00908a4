"""A player's public pages and cards. Start with: profiles, history."""
