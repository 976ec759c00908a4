"""The admin's menu: the ledger's models in groups, each by what a reader looks for."""

from collections.abc import Iterable, Iterator
from typing import Any

from django import template

register = template.Library()

LEDGER = {
    "Play": "Player Mode Match Rating",
    "Conduct": (
        "Leaver Appeal Incident Ban BanProposal Strike Finding DoubledMatch AuditEntry ComplaintCase Complaint"
        " PlayerWarning PlayerNote CannedAnswer"
    ),
    "Senders": "Source Key",
    "Under the hood": "Season Event Change ParameterVersion Rerating Snapshot OutboxEntry Merge",
}
HEADINGS = {"auth": "Logins", "leaderboards": "Told to others"}


@register.filter
def in_groups(apps: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The groups that hold a model which the user may see: Django's entries of apps, each with a `heading`."""
    first: list[dict[str, Any]] = []
    others: list[dict[str, Any]] = []
    for app in apps:
        if app["app_label"] == "ranking":
            first += _ledger_groups(app)
        else:
            others.append({**app, "heading": HEADINGS.get(app["app_label"], app["name"])})
    return [*first, *others]


def _ledger_groups(app: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for heading, names in LEDGER.items():
        models = [model for model in app["models"] if model["object_name"] in names.split()]
        if models:
            yield {**app, "heading": heading, "models": models}
