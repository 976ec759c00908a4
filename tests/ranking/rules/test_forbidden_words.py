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
        ("r\ufe0fa\u034ft", "rat"), ("r⃝at", "rat"), ("cretins" * 9, "*cretin*"), ("\ufdfa" * 64, ""),
        # Marks that belong to another script, or to none, don't hide a word.
        ("r\u3099at", "rat"), ("rat\u309a", "rat"), ("ra\u302et", "rat"), ("ra\U00016ff0t", "rat"),
        ("ra\U0001d165t", "rat"), ("r\U0001cf21at", "rat"), ("ra\u1cf7t", "rat"), ("ra\u180bt", "rat"),
    ]:  # fmt: skip
        with subtests.test(name=name):
            assert WORDS.find_in(name) == word


def test_harmless_words_that_look_or_sound_alike_stay(subtests):
    """An m looks like rn, and in many scripts a mark makes another syllable."""
    for line, forbidden, harmless in [
        ("porn", ["Porn", "P0RN"], ["Pom", "Pom Pom"]),
        ("*com*", ["telecom", "dot-com!", "coɱ", "co₥", "co𝐦"], ["Corn", "Popcorn"]),
        ("ばか", ["ばか", "ばか!", "は\u3099か", "ば\u302eか"], ["はか", "はが"]),  # a fool; a grave
        ("笨蛋", ["笨蛋", "笨\u093e蛋", "笨\u07a6蛋", "\u3099笨蛋"], ["笨鸟蛋"]),
        ("420", ["420", "4\U0001d1652\u0e310"], ["4201"]),
        ("कम", ["कम", "कम!"], ["काम", "कमाल"]),  # little; work, wonder
        ("กา", ["กา"], ["กี", "กาง"]),
        ("שלום", ["שָׁלוֹם"], ["שלומית"]),  # points may be left out
        ("كلب", ["كَلْب"], ["كلبة"]),
        ("дурак", ["Дурак", "ДУРАК"], ["дураковаляние"]),
    ]:
        words = ForbiddenWords([line])
        with subtests.test(line=line):
            assert {name: words.find_in(name) for name in (*forbidden, *harmless)} == {
                **dict.fromkeys(forbidden, line),
                **dict.fromkeys(harmless, ""),
            }


def test_of_several_lines_the_first_is_named():
    words = ForbiddenWords([*(f"word{number}" for number in range(20_000)), "rat", "*bad*", "rat"])
    assert (len(words), words.find_in("bad rat"), words.find_in("Word19999"), words.find_in("word2")) == (
        20_002, "rat", "word19999", "word2",
    )  # fmt: skip
    assert words.find_in("sword2") == ""


def test_lines_that_forbid_nothing_are_named(subtests):
    for line in ("*", "**", "!?", "a*b", "***"):
        with subtests.test(line=line), pytest.raises(BadLine, match=r"^line 2: "):
            ForbiddenWords(["fine", line])
    assert len(ForbiddenWords(["", "# nothing", "   "])) == 0
    assert ForbiddenWords([]).find_in("anything") == ""
