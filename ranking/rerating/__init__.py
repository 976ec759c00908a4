"""Rates a mode's whole history anew while the site goes on. Start with: reratings, replay."""
