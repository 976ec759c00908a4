"""Template tags that ask for the rights of staff, which need a second factor: see leaderboards/accounts/staff.py."""

from typing import Any

from django import template

from leaderboards.accounts import staff

register = template.Library()


@register.simple_tag(takes_context=True)
def has_staff_rights(context: dict[str, Any]) -> bool:
    return staff.has_staff_rights(context["request"])


@register.simple_tag(takes_context=True)
def staff_may(context: dict[str, Any], *permissions: str) -> bool:
    """True if a member of staff is here who has one of these permissions."""
    return staff.staff_may(context["request"], *permissions)
