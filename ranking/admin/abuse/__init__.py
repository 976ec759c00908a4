"""Admin pages of reported abuse. Start with: findings."""

from ranking.admin.abuse import complaint_cases, complaints, findings

__all__ = ["complaint_cases", "complaints", "findings"]
