"""What is said of a mode that doesn't exist: which one was probably meant, and which there are."""

from collections.abc import Collection

from ranking.models import Mode
from ranking.rules.nearest import meant

_COMPARED, _NAMED = 1_000, 10  # modes that are compared with an unknown one, and that are named


def unknown_mode(slug: str) -> str:
    """The sentence about one unknown mode. One query."""
    return unknown_modes([slug])[slug]


def unknown_modes(slugs: Collection[str]) -> dict[str, str]:
    """The sentences about unknown modes, by slug. One query, none for no mode."""
    if not slugs:
        return {}
    known = list(Mode.objects.order_by("slug").values_list("slug", flat=True)[:_COMPARED])
    return {slug: f"There is no mode {slug!r}{meant(slug, known)} {_list(known)}" for slug in slugs}


def _list(known: list[str]) -> str:
    if not known:
        return "There is none yet: an operator adds modes in the admin."
    if len(known) == 1:
        return f"The only mode is {known[0]}."
    end = "." if len(known) <= _NAMED else ", …; GET /api/v1/modes/ lists all."
    return f"The modes are {', '.join(known[:_NAMED])}{end}"
