"""Names: what nobody may be called, and how they are searched."""

import pytest

from ranking.rules.names import BadName, check_name, fold, skeleton


def test_allowed(subtests):
    for name in [
        "Kestrel", "x", "x" * 64, "Àé-ñ_ß!", "O'Neil [TAG]", "Пётр2", "ΑΒΓ", "ひらがなABC", "東京Tower", "ポケモンGO",
        "한글Gamer", "ㄅㄆABC", "أحمد", "x²", "naïve™", "Kestrel❤", "𝐊estrel", "12345", "ー",
    ]:  # fmt: skip
        with subtests.test(name=name):
            check_name(name)


def test_refused(subtests):
    for name, sentence in [
        ("", "A name needs at least one visible character."),
        ("  ", "A name needs at least one visible character."),
        (" x", "A name can't begin or end with a space."),
        ("x\u00a0", "A name can't begin or end with a space."),
        ("x" * 65, "A name has at most 64 characters; this one has 65."),
        *[
            (f"a{character}b", f"A name can't hold the invisible character U+{ord(character):04X}.")
            for character in "\0\n\x7f\u00ad\u200b\u200d\u202e\u2066\u2028\u2800\u3164\uffa0\ufeff"
            "\ud800\ue000\U000e0041\U0010ffff"
        ],
        *[
            (name, "A name can't mix letters of different alphabets that look alike.")
            for name in ("K\u0435strel", "\u0410dmin", "DΞATH", "Ωmega", "ЯR", "東京Т", "한글ひらA")
        ],
    ]:
        with subtests.test(name=name):
            with pytest.raises(BadName) as caught:
                check_name(name)
            assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("name", "folded"),
    [("Ürsa", "ürsa"), ("U\u0308rsa", "ürsa"), ("STRASSE", "strasse"), ("straße", "strasse"),
     ("Ｋestrel", "kestrel"), ("ﷺ" * 64, None)],
)  # fmt: skip
def test_folding(name, folded):
    assert fold(name) == folded if folded else len(fold(name)) == 128


def test_looks(subtests):
    for name, other, alike in [
        ("Kestrel", "KestreI", True), ("Kestrel", "Kestre1", True), ("Kestrel", "\u041a\u0435strel", True),
        ("Kestrel", "kestrel", True), ("Kestrel", "\U0001d40aestrel", True), ("moon", "rnoon", True),
        ("O0O", "ooo", True), ("na\u00efve", "nai\u0308ve", True), ("Kestrel", "K\u00e9strel", False),
        ("Kestrel", "Kestral", False), ("\u6771\u4eac", "\u4eac\u6771", False), ("Iris", "iris", False),
    ]:  # fmt: skip
        with subtests.test(name=name):
            assert (skeleton(name) == skeleton(other)) is alike


def test_a_look_has_room_in_the_database():
    assert len(skeleton("\ufdfa" * 64)) == 128
