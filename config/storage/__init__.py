"""Where data are kept: databases, their backups, and the cache. Start with: databases, backups, caches."""
