"""What the door refuses, with a sentence for the person who asked."""


class Refusal(Exception):
    """The message is for the person. `code` is for programs and stays the same."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
