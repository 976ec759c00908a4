"""Re-rating: a mode's history is rated anew while the site goes on. Start with: reratings, replay."""
