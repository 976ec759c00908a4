"""Admin pages of reported abuse. Start with: findings."""

from ranking.admin.abuse import complaints, findings

__all__ = ["complaints", "findings"]
