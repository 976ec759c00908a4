"""Management commands of the site, and the demo data that one of them makes. Start with: commands, demo."""
