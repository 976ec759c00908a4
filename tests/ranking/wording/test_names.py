"""Names that a studio gives in several languages."""

import pytest
from django.utils import translation

from leaderboards.notifications.wording import words_of
from ranking.models import Season
from ranking.rules.tiers import read_named_tiers, shares_text, tier_of
from ranking.wording.names import local_name, read_names, stored_name, stored_name_text, stored_season_text

NAMES = {"de": "Liga"}


@pytest.mark.parametrize(
    ("language", "names", "expected"),
    [
        ("de", NAMES, "Liga"),
        ("en", NAMES, "League"),
        ("de", {}, "League"),
        ("en", {"en": "Ladder", "de": "Liga"}, "Ladder"),
    ],
)
def test_a_name_is_the_one_of_the_readers_language(language: str, names: dict[str, str], expected: str) -> None:
    with translation.override(language):
        assert local_name("League", names) == expected
        assert stored_name_text(stored_name("League", names)) == expected


def test_a_name_alone_is_stored_as_a_text() -> None:
    assert stored_name("League", {}) == "League"
    assert stored_name("League", NAMES) == {"": "League", "de": "Liga"}


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ([], 'Names are an object such as {"de": "Silber"}.'),
        ({"German": "Liga"}, '"German" is no code of a language, such as de.'),
        ({"de": " "}, "The name in the language de needs 1 to 8 printable characters."),
        ({"de": "Landesliga"}, "The name in the language de needs 1 to 8 printable characters."),
        ({"de": 5}, "The name in the language de needs 1 to 8 printable characters."),
    ],
)
def test_other_values_are_no_names(value: object, sentence: str) -> None:
    with pytest.raises(ValueError, match=r".") as refused:
        read_names(value, 8)
    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("number", "name", "names", "expected"),
    [
        (3, "Season 3", {}, "Saison 3"),
        (3, "Season 3", {"de": "Winter"}, "Winter"),
        (3, "Season 4", {}, "Season 4"),
        (3, "Frost", {}, "Frost"),
    ],
)
def test_a_season_without_a_name_of_its_own_is_worded(
    number: int, name: str, names: dict[str, str], expected: str
) -> None:
    season = Season(number=number, name=name, names=names, next_names={"de": "Frühling"})
    with translation.override("de"):
        assert (season.local_name, stored_season_text(season.stored_name, number)) == (expected, expected)
        assert season.local_name_of_next == "Frühling"
    assert season.local_name == name


def test_notices_of_strikes_from_before_seasons_kept_their_numbers() -> None:
    data = {"season": "Season 1", "mode": "Duel", "reason": "Two accounts."}
    assert words_of("struck", data, "") == "A moderator struck you from Season 1 of Duel: Two accounts"


@pytest.mark.parametrize(
    ("percentile", "english", "german"),
    [(1, "Bronze III", "Bronze III"), (50, "Silver II", "Silber II"), (80, "Champion", "Meisterin")],
)
def test_a_tier_has_the_studios_name_or_the_default_ones(percentile: int, english: str, german: str) -> None:
    top = {"name": "Champion", "from": 80, "names": {"de": "Meisterin"}}
    named = read_named_tiers([{"name": "Bronze", "from": 1}, {"name": "Silver", "from": 30}, top])
    tier = tier_of(percentile, "named", named)
    assert (tier.label, tier.text) == (english, english)
    with translation.override("de"):
        assert (tier.label, tier.text) == (english, german)
        assert shares_text("named", named).startswith("Meisterin")


def test_a_notice_of_a_tier_has_the_name_of_then_in_the_readers_language() -> None:
    data = {"tier": "Champion II", "division": "II", "names": {"de": "Meisterin"}}
    assert words_of("tier", data, "Duel") == "You reached Champion II in Duel"
    with translation.override("de"):
        assert "Meisterin II" in words_of("tier", data, "Duel")
