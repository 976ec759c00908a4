"""The reasons of players' reports of each other, in the reader's language. Pure."""

from ranking.wording.translation import gettext


def reason_words(code: str) -> str:
    """The words of a reason. Raises KeyError for an unknown code."""
    return {
        "cheating": gettext("Cheating"),
        "leaving": gettext("Leaving or idling on purpose"),
        "sabotage": gettext("Losing on purpose, or against their own team"),
        "words": gettext("Abusive words"),
        "name": gettext("An offensive name"),
        "other": gettext("Something else"),
    }[code]
