"""Management commands of ratings. Start with: commands."""
