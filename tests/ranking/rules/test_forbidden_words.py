"""Words that a site forbids are found as words, however they are written, and nowhere else."""

import pytest

from ranking.rules.forbidden_words import BadLine, ForbiddenWords

FILE = """
# a comment
rat
*cretin*   # anywhere
admin*
*bot
Fi
übel
"""
WORDS = ForbiddenWords(FILE.splitlines())


def test_which_names_hold_one(subtests):
    for name, word in [
        ("Rat", "rat"), ("x_rat_x", "rat"), ("the.RAT!", "rat"), ("Strategist", ""), ("rat2", ""), ("2rat", ""),
        ("rаt", "rat"), ("ｒａｔ", "rat"), ("rát", "rat"), ("r-a-t", ""), ("BadRat", ""),
        ("xXcretinXx", "*cretin*"), ("CRET1N", "*cretin*"), ("cretíns", "*cretin*"), ("cretan", ""),
        ("adminBob", "admin*"), ("cadmin", ""), ("Admin", "admin*"), ("ADM1N", "admin*"),
        ("MyBot", "*bot"), ("b0t", "*bot"), ("Botany", ""),
        ("fi", "Fi"), ("ﬁ", "Fi"), ("F1", "Fi"), ("FI", "Fi"),
        ("Übel", "übel"), ("UBEL", "übel"), ("Scunthorpe", ""), ("狐の隼", ""), ("", ""),
    ]:  # fmt: skip
        with subtests.test(name=name):
            assert WORDS.find_in(name) == word


def test_lines_that_forbid_nothing_are_named(subtests):
    for line in ("*", "**", "!?", "a*b", "***"):
        with subtests.test(line=line), pytest.raises(BadLine, match=r"^line 2: "):
            ForbiddenWords(["fine", line])
    assert len(ForbiddenWords(["", "# nothing", "   "])) == 0
    assert ForbiddenWords([]).find_in("anything") == ""
