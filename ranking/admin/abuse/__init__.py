"""Admin pages of reported abuse. Start with: findings."""

from ranking.admin.abuse import findings

__all__ = ["findings"]
