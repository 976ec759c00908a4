# ruff: noqa: E501 - cases in rows
import re

import pytest

from ranking.rules.tiers import (
    COLOURS,
    DEFAULT_TIERS,
    NamedTier,
    Tier,
    TierBound,
    ladder,
    read_named_tiers,
    shares_text,
    tier_bounds,
    tier_of,
)
from tests.support.paths import ROOT


def test_named_tiers(subtests):
    for percentile, label in [
        (1, "Bronze III"), (7, "Bronze III"), (8, "Bronze II"), (13, "Bronze II"), (14, "Bronze I"), (19, "Bronze I"),
        (20, "Silver III"), (44, "Silver I"), (45, "Gold III"), (69, "Gold I"), (70, "Platinum III"),
        (76, "Platinum II"), (82, "Platinum I"), (87, "Platinum I"), (88, "Diamond III"), (91, "Diamond II"),
        (94, "Diamond I"), (96, "Diamond I"), (97, "Master"), (100, "Master"),
    ]:  # fmt: skip
        with subtests.test(percentile=percentile):
            assert tier_of(percentile).label == label


def test_a_tier_in_its_parts():
    assert tier_of(76) == Tier("Platinum", "II", "Platinum II", index=10, colour="platinum", emblem="platinum-2")
    assert tier_of(100) == Tier("Master", None, "Master", index=15, colour="master", emblem="master-0")


@pytest.mark.parametrize(
    ("scheme", "percentile", "label"),
    [("1-100", 1, "1"), ("1-100", 63, "63"), ("1-100", 100, "100"), ("1-50", 1, "1"), ("1-50", 2, "1"), ("1-50", 3, "2"), ("1-50", 100, "50")],
)  # fmt: skip
def test_numbered_tiers(scheme, percentile, label):
    assert tier_of(percentile, scheme).label == label
    assert tier_of(percentile, scheme).division is None


@pytest.mark.parametrize("scheme", ["named", "1-100", "1-50"])
def test_tiers_rise_with_the_percentile_and_bounds_say_where(scheme):
    tiers = [tier_of(p, scheme) for p in range(1, 101)]
    assert [t.index for t in tiers] == sorted(t.index for t in tiers)
    assert {t.colour for t in tiers} == set(COLOURS)
    firsts = {}
    for percentile, tier in enumerate(tiers, 1):
        firsts.setdefault(tier.name, percentile)
    assert {bound.name: bound.first for bound in tier_bounds(scheme)} == firsts


def test_bounds_of_the_default_tiers():
    assert tier_bounds()[:2] == (
        TierBound("Bronze", 1, "bronze", 19, "bronze-0"),
        TierBound("Silver", 20, "silver", 25, "silver-0"),
    )
    assert [bound.first for bound in tier_bounds()] == [1, 20, 45, 70, 88, 97]


@pytest.mark.parametrize(
    ("scheme", "tiers", "text"),
    [
        ("1-100", None, "Each of the 100 tiers holds 1 % of the ranked players."),
        ("1-50", None, "Each of the 50 tiers holds 2 % of the ranked players."),
        ("named", [{"name": "All", "from": 1}], "All holds all ranked players."),
        ("named", [{"name": "Low", "from": 1}, {"name": "High", "from": 91}],
         "High holds the top 10 % of the ranked players, Low the lowest 90 %."),
    ],
)  # fmt: skip
def test_shares(scheme, tiers, text):
    named = read_named_tiers(tiers) if tiers else DEFAULT_TIERS
    assert shares_text(scheme, named) == f"{text} Equal ratings share a tier."
    assert sum(bound.share for bound in tier_bounds(scheme, named)) == 100


def test_tiers_of_ones_own():
    named = read_named_tiers(
        [{"name": "Pawn", "from": 1}, {"name": " Rook ", "from": 50}, {"name": "Gold", "from": 99}]
    )
    assert named == (NamedTier("Pawn", 1), NamedTier("Rook", 50), NamedTier("Gold", 99))
    assert [tier_of(p, "named", named).label for p in (1, 49, 50, 98, 99)] == [
        "Pawn III",
        "Pawn I",
        "Rook III",
        "Rook I",
        "Gold",
    ]
    # By height, except where a tier's own name is a colour.
    assert [bound.colour for bound in tier_bounds("named", named)] == ["bronze", "gold", "gold"]


def test_a_single_tier_has_no_divisions():
    assert tier_of(50, "named", read_named_tiers([{"name": "All", "from": 1}])).label == "All"


def test_a_narrow_tier_skips_divisions():
    named = read_named_tiers([{"name": "A", "from": 1}, {"name": "B", "from": 2}, {"name": "C", "from": 4}])
    assert [tier_of(p, "named", named).label for p in range(1, 5)] == ["A III", "B III", "B II", "C"]


def rows(*pairs):
    return [{"name": name, "from": first} for name, first in pairs]


def test_senseless_tiers_are_refused(subtests):
    for given, sentence in [
        (
            "Bronze",
            'Named tiers are a list such as [{"name": "Bronze", "from": 1}, {"name": "Gold", "from": 50}].',
        ),
        ([], 'Named tiers are a list such as [{"name": "Bronze", "from": 1}, {"name": "Gold", "from": 50}].'),
        (["Bronze"], 'Tier 1 needs a "name" and a "from", and may have "names".'),
        ([{"name": "A", "from": 1, "to": 5}], 'Tier 1 needs a "name" and a "from", and may have "names".'),
        (rows((" ", 1)), "Tier 1 needs a name of 1 to 24 printable characters."),
        (rows(("x" * 25, 1)), "Tier 1 needs a name of 1 to 24 printable characters."),
        (rows(("A\n", 1)), "Tier 1 needs a name of 1 to 24 printable characters."),
        (rows(("A", 1), ("B", 101)), "B must begin at a whole percentile from 1 to 100."),
        (rows(("A", True)), "A must begin at a whole percentile from 1 to 100."),
        (rows(("A", 1.0)), "A must begin at a whole percentile from 1 to 100."),
        (rows(("A", 2)), "The lowest tier begins at percentile 1; A begins at 2."),
        (rows(("A", 1), ("B", 9), ("C", 9)), "C must begin above B, which begins at 9."),
        (rows(("A", 1), ("a", 9)), "Two tiers are named a; each needs a name of its own."),
    ]:
        with subtests.test(given=given):
            with pytest.raises(ValueError) as refused:  # noqa: PT011 - the whole sentence is compared
                read_named_tiers(given)
            assert str(refused.value) == sentence


def test_an_unknown_scheme_is_answered_with_the_schemes_there_are():
    with pytest.raises(ValueError, match="no tier scheme '1-10'; choose one of 1-100, 1-50, named"):
        tier_of(5, "1-10")


@pytest.mark.parametrize("percentile", [0, 101])
def test_a_percentile_is_one_to_a_hundred(percentile):
    with pytest.raises(ValueError, match="1 to 100"):
        tier_of(percentile)


@pytest.mark.parametrize("named", [(), (("Pawn", 1), ("Rook", 50))])
def test_a_ladder_is_every_percentiles_tier(named: tuple[tuple[str, int], ...]) -> None:
    tiers = tuple(NamedTier(*each) for each in named) or DEFAULT_TIERS
    assert ladder("named", tiers) == tuple(tier_of(percentile, "named", tiers) for percentile in range(1, 101))
    assert [tier.label for tier in ladder("1-50")[:3]] == ["1", "1", "2"]


def test_up_to_twelve_tiers_have_emblems_of_their_own_and_the_top_has_the_last(subtests: pytest.Subtests) -> None:
    for count in range(1, 13):
        with subtests.test(count=count):
            named = tuple(NamedTier(f"T{number}", 1 + 8 * number) for number in range(count))
            emblems = [bound.emblem for bound in tier_bounds("named", named)]
            assert len(set(emblems)) == count
            assert emblems[-1] == ("master-0" if count == 6 else "12-0")
            assert tier_of(100, "named", named).emblem == emblems[-1]


def test_divisions_show_as_rungs() -> None:
    assert [tier_of(p).emblem for p in (1, 7, 14, 20, 100)] == [
        "bronze-1",
        "bronze-1",
        "bronze-3",
        "silver-1",
        "master-0",
    ]
    assert [tier_of(p, "1-100").emblem for p in (1, 50, 100)] == ["bronze-0", "gold-0", "master-0"]


def test_every_emblem_is_drawn() -> None:
    drawn = set(re.findall(r'<view id="([^"]+)"', (ROOT / "static" / "emblems.svg").read_text()))
    schemes = [("1-50", DEFAULT_TIERS), ("1-100", DEFAULT_TIERS)]
    schemes += [("named", tuple(NamedTier(f"T{n}", 1 + n) for n in range(count))) for count in (1, 2, 5, 6, 7, 12, 30)]
    used = {tier.emblem for scheme, named in schemes for tier in ladder(scheme, named)}
    assert used - drawn == set()
