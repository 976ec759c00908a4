"""Crests: the same for the same key, different for most others, and small."""

import re

from leaderboards.display.crest import CHARGES, DIVISIONS, HUES, Crest, crest_of
from leaderboards.templatetags.rungs import portrait
from ranking.models import Player


def test_a_key_has_one_crest() -> None:
    assert crest_of("gridfox") == Crest(
        crest_of("gridfox").hue, crest_of("gridfox").division, crest_of("gridfox").charge
    )
    crest_of.cache_clear()
    assert portrait(Player(key="gridfox")) == portrait(Player(key="gridfox"))
    assert crest_of("gridfox") != crest_of("Gridfox")


def test_crests_are_many_and_all_are_used() -> None:
    crests = [crest_of(f"player-{number}") for number in range(4_000)]
    assert len(set(crests)) > 2_000
    assert {each.hue for each in crests} == set(range(HUES))
    assert {each.division for each in crests} == set(DIVISIONS)
    assert {each.charge for each in crests} == set(CHARGES)


def test_it_is_small_markup() -> None:
    drawn = portrait(Player(key="<script>"))
    assert len(drawn) < 320
    assert re.fullmatch(r'<svg class="crest hue-\d+" [^>]*>(<path d="[\dMmLlHhVvZzCcAa., -]+"/>){2}</svg>', drawn)
