"""The known name that was probably meant by an unknown one, such as a mode, a field or a variable."""

import difflib
from collections.abc import Iterable
from functools import lru_cache

_ALIKE = 0.65  # difflib's ratio: "dule" is "duel", and "page" isn't "player"
_COMPARED = 64  # characters of an unknown name, which may be very long


def find_nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most like this one, in whatever case; None if none is alike."""
    return _find_nearest(name[:_COMPARED].casefold(), tuple(known))


@lru_cache(maxsize=1_024)  # players of a result have the same fields
def _find_nearest(letters: str, known: tuple[str, ...]) -> str | None:
    by_letters = {one.casefold(): one for one in known}
    alike = difflib.get_close_matches(letters, by_letters, n=1, cutoff=_ALIKE)
    return by_letters[alike[0]] if alike else None


def meant(name: str, known: Iterable[str]) -> str:
    """The end of a clause about an unknown name: "; did you mean 'duel'?", or "." if no known name is alike."""
    nearest = find_nearest(name, known)
    return "." if nearest is None else f"; did you mean {nearest!r}?"
