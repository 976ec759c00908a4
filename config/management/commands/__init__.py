"""Commands of the site, one module each. Start with: serve, doctor."""
