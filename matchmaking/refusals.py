"""Refusal: the exception for what matchmaking's rules don't allow a player or a server to do."""

from typing import Any

from matchmaking.wording import refusal_words


class Refusal(Exception):
    """The rules refuse a request. `code` is for programs and never changes; `str` words it in the reader's language.

    `case` names one of the code's sentences in matchmaking.wording: "busy:waiting" has the code "busy".
    """

    def __init__(self, case: str, **values: Any) -> None:
        super().__init__(case, values)
        self.case, self.values = case, values

    @property
    def code(self) -> str:
        return self.case.partition(":")[0]

    def __str__(self) -> str:
        return refusal_words(self.case, self.values)
