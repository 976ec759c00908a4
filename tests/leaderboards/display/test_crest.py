"""Crests: the same for the same key, different for most others, and small."""

import re
from pathlib import Path

from django.contrib.staticfiles import finders

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
    assert {each.division for each in crests} == set(range(DIVISIONS))
    assert {each.charge for each in crests} == set(range(CHARGES))


def test_it_is_small_markup() -> None:
    assert re.fullmatch(r'<i class="crest hue-\d+ d\d+ c\d+"></i>', portrait(Player(key="<script>")))


def test_each_division_and_charge_has_a_shape() -> None:
    """The shapes lie one below the other, and the style sheet counts them."""
    found = finders.find("crests.svg")
    assert isinstance(found, str)
    shapes = re.findall(r"<path (?:[^>]*translate\(0 (\d+)\))?", Path(found).read_text())
    count = DIVISIONS + CHARGES
    assert [int(y or 0) for y in shapes] == [24 * number for number in range(count)]
    sheet = finders.find("css/parts.css")
    assert isinstance(sheet, str)
    css = Path(sheet).read_text()
    assert (f"var(--d) / {count - 1} * 100%" in css, f"100% {100 * count}%" in css) == (True, True)
    for letter, most in (("d", DIVISIONS), ("c", CHARGES)):
        numbers = re.findall(rf"^\.{letter}(\d+) {{ --{letter}: \1; }}$", css, re.MULTILINE)
        assert numbers == [str(number) for number in range(most)]
