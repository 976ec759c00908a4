"""Numbers in the language of the reader."""

from django.utils import translation

from ranking.wording.translation import number_text, ordinal_text


def test_numbers_are_written_as_the_language_of_the_moment_does() -> None:
    written = []
    for language in ("en", "de", "en"):
        with translation.override(language):
            written.append((number_text(1_234_567.891, 2), number_text(-5), *map(ordinal_text, (1, 2, 3, 11, 1_024))))
    english = ("1,234,567.89", "−5", "1st", "2nd", "3rd", "11th", "1,024th")
    german = ("1.234.567,89", "−5", "1.", "2.", "3.", "11.", "1.024.")
    assert written == [english, german, english]
