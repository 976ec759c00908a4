"""Rows written past the domain functions, for what the database refuses."""

from collections.abc import Callable

from django.db import IntegrityError

from tests.support.savepoints import rolled_back


def first(model, **changed):
    """The first row of a model again, changed, as a row of its own."""
    row = model.objects.order_by("pk").first()
    row.pk = None
    for name, value in changed.items():
        setattr(row, name, value)
    row._state.adding = True
    row.save(force_insert=True)


def refusal(write: Callable[[], object]) -> str:
    """What the database says if it refuses this, or nothing. What it takes is undone."""
    try:
        with rolled_back():
            write()
    except IntegrityError as error:
        return str(error)
    return ""
