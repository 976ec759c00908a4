"""Words sentences in the language of the reader, for pure code. Pure: the site installs its translator.

Mark a sentence where it is written: `gettext("%(name)s left.") % {"name": name}`. Whole sentences with named values;
`ngettext` where a number decides the form. Without a translator, and in the API, sentences are English.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache, wraps
from gettext import NullTranslations
from typing import Any, Protocol, TypeVar

MINUS = "\N{MINUS SIGN}"
T = TypeVar("T")


class Translator(Protocol):
    """What gettext's translations and django.utils.translation have in common."""

    def gettext(self, message: str, /) -> str: ...
    def ngettext(self, singular: str, plural: str, number: int, /) -> str: ...
    def pgettext(self, context: str, message: str, /) -> str: ...
    def npgettext(self, context: str, singular: str, plural: str, number: int, /) -> str: ...
    def get_language(self) -> str | None: ...


class English(NullTranslations):
    """Sentences as they are written."""

    def get_language(self) -> str:
        return "en"


_translator: Any = English()


def install(translator: Translator) -> None:
    """Make sentences of pure code come from this translator from now on."""
    global _translator
    _translator = translator


def language() -> str:
    """The code of the reader's language."""
    return str(_translator.get_language() or "en")


def gettext(message: str) -> str:
    return str(_translator.gettext(message))


def ngettext(singular: str, plural: str, number: int) -> str:
    """`singular` or `plural`, by the plural forms of the language."""
    return str(_translator.ngettext(singular, plural, number))


def pgettext(context: str, message: str) -> str:
    """A message that has another meaning in another context."""
    return str(_translator.pgettext(context, message))


def gettext_noop(message: str) -> str:
    """Mark a message that is translated later, by `gettext(variable)`."""
    return message


def once_a_language(words: Callable[[], T]) -> Callable[[], T]:
    """Decorate a function that returns words, so that it is called once in each language. A page may ask for them a
    thousand times. What it returns is shared, so nobody may change it.
    """

    @lru_cache
    def kept(translator: Translator, code: str) -> T:
        return words()

    @wraps(words)
    def of_reader() -> T:
        return kept(_translator, language())

    return of_reader


def number_text(value: int | Decimal | float, decimals: int = 0) -> str:
    """A number as the reader's language writes it: 1,021.84 or 1.021,84; a true minus sign."""
    text = (f"{value:,}" if isinstance(value, int) and not decimals else f"{value:,.{decimals}f}").replace("-", MINUS)
    thousands, point = _separators()
    if (thousands, point) == (",", "."):
        return text
    return text.replace(",", "\0").replace(".", point).replace("\0", thousands)


@once_a_language
def _separators() -> tuple[str, str]:
    """Of thousands and of decimals."""
    return pgettext("separator of thousands", ","), pgettext("decimal point", ".")


def percent_text(value: float) -> str:
    """A whole percentage: 13 %; in German the sign stays on the line of its number."""
    return pgettext("percentage", "%(number)s %%") % {"number": number_text(value, 0)}


def ordinal_text(number: int) -> str:
    """1st, 2nd, 3rd, 4th … 11th, 12th, 13th … 21st; in German 1., 2., 3."""
    ending = number % 10 if number % 10 < 4 and number % 100 not in (11, 12, 13) else 0
    if ending == 1:
        pattern = pgettext("ordinal: 1st, 21st", "%(number)sst")
    elif ending == 2:
        pattern = pgettext("ordinal: 2nd, 22nd", "%(number)snd")
    elif ending == 3:
        pattern = pgettext("ordinal: 3rd, 23rd", "%(number)srd")
    else:
        pattern = pgettext("ordinal: 4th, 11th, 20th", "%(number)sth")
    return pattern % {"number": number_text(number)}
