"""Management commands of matchmaking. Start with: commands."""
