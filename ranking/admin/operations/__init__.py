"""Admin pages of keys, sources and the outbox. Start with: keys."""

from ranking.admin.operations import keys, outbox, sources

__all__ = ["keys", "outbox", "sources"]
