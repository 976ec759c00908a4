"""What every page's header leads to."""

from ranking.models import Mode


def ranked_modes() -> list[Mode]:
    """Modes with a board, by name."""
    return list(Mode.objects.filter(ranked=True).only("slug", "name").order_by("name", "id"))
