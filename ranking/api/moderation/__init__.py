"""Acts of moderators and administrators by API, each in the name of an account. Start with: authors, bans."""
