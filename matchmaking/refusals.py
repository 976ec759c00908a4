"""Refusal: the exception for what matchmaking's rules don't allow a player or a server to do."""


class Refusal(Exception):
    """The rules refuse a request. The message is a sentence for people; `code` is for programs and never changes."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
