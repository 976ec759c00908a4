"""A player's public pages and cards, and the home page. Start with: profiles, history."""
