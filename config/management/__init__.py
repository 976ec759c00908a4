"""Management commands of the site. Start with: commands."""
