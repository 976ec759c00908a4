"""The links of every page's header."""

from ranking.models import Mode


def ranked_modes() -> list[Mode]:
    """Return the modes with a board, by name."""
    return list(Mode.objects.filter(ranked=True).only("slug", "name").order_by("name", "id"))
