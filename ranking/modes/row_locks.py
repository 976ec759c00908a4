"""Row locks of whoever may request or take up a re-rating: the modes, then their reratings that wait."""

from collections.abc import Iterable

from ranking.models import Mode, Rerating


def lock_modes(modes: Iterable[int]) -> None:
    """Lock the rows of these modes and their waiting reratings, in the order of ranking/database/locks.py.

    Inside the caller's transaction, before players, ratings and matches are locked.
    """
    ids = list(modes)
    rows = Mode.objects.select_for_update(no_key=True).filter(pk__in=ids).order_by("pk")
    list(rows.values_list("pk"))
    waiting = Rerating.objects.select_for_update(no_key=True).filter(mode__in=ids, state=Rerating.WAITING)
    list(waiting.order_by("pk").values_list("pk"))
