"""The known name that was probably meant by an unknown one, such as a mode, a field or a variable."""

import difflib
from collections.abc import Iterable

_ALIKE = 0.65  # difflib's ratio: "dule" is "duel", and "page" isn't "player"
_COMPARED = 64  # characters of an unknown name, which may be very long


def find_nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most like this one, in whatever case; None if none is alike."""
    by_letters = {one.casefold(): one for one in known}
    alike = difflib.get_close_matches(name[:_COMPARED].casefold(), by_letters, n=1, cutoff=_ALIKE)
    return by_letters[alike[0]] if alike else None


def meant(name: str, known: Iterable[str]) -> str:
    """The end of a clause about an unknown name: "; did you mean 'duel'?", or "." if no known name is alike."""
    nearest = find_nearest(name, known)
    return "." if nearest is None else f"; did you mean {nearest!r}?"
