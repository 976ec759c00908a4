"""`make looks`: a picture of every page, and sheets of many, to be looked at: var/looks.

By who looks (nobody, a player, a moderator; on a full site, on an empty one), light and dark, on a phone and a desk.
"""

import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from PIL import Image
from playwright.sync_api import Browser, Page

from tests.browser.test_matchmaking import NAMES, door, enter, stages
from tests.support.browser import PASSWORD, log_in
from tests.support.pages import ENTRANCE, OWN, PAST, empty, full, moderating
from tests.support.paths import ROOT

__all__ = ["door", "enter"]  # fixtures

THERE = ROOT / "var" / "looks"
WIDTHS, SCHEMES = {360: 8, 1440: 2}, ("light", "dark")  # width: how many of them stand side by side on a sheet
TALL, GAP = 2400, 12  # pixels of a page at most, and between two


@pytest.fixture(params=SCHEMES)
def scheme(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=list(WIDTHS))
def width(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.mark.parametrize("entered", [False, True], ids=["nobody", "player"])
def test_full(browser: Browser, site: str, team_match: int, scheme: str, width: int, entered: bool) -> None:
    addresses = [*full(team_match), *(OWN if entered else (f"/account/{name}/" for name in ENTRANCE))]
    take(browser, site, addresses, scheme, width, "full-player" if entered else "full-nobody", entered)


@pytest.mark.usefixtures("past_season")
@pytest.mark.parametrize("entered", [False, True], ids=["nobody", "player"])
def test_past(browser: Browser, site: str, scheme: str, width: int, entered: bool) -> None:
    take(browser, site, PAST, scheme, width, "past-player" if entered else "past-nobody", entered)


@pytest.mark.parametrize("entered", [False, True], ids=["nobody", "player"])
def test_empty(browser: Browser, empty_site: str, scheme: str, width: int, entered: bool) -> None:
    take(browser, empty_site, empty(), scheme, width, "empty-player" if entered else "empty-nobody", entered)


def test_moderating(browser: Browser, site: str, scheme: str, width: int) -> None:
    User.objects.filter(username="fox").update(is_staff=True, is_superuser=True)
    take(browser, site, moderating(), scheme, width, "moderator", True)


def test_playing(door: str, enter: Any, scheme: str, width: int) -> None:
    User.objects.create_superuser("admin", password=PASSWORD)
    seen = {"color_scheme": scheme, "viewport": {"width": width, "height": 800}, "reduced_motion": "reduce"}
    folder, taken = new_folder(f"playing-{scheme}-{width}"), []
    for number, (page, name) in enumerate(stages(door, *(enter(name, **seen) for name in (*NAMES, "admin")))):
        taken.append(picture_of(page, folder, number, name))
    save_sheets(taken, folder, width)


def take(
    browser: Browser, site: str, addresses: Iterable[str], scheme: str, width: int, who: str, entered: bool
) -> None:
    """Pictures of these pages, in a folder of their own, and one sheet of all."""
    folder = new_folder(f"{who}-{scheme}-{width}")
    context = browser.new_context(
        color_scheme=scheme,  # type: ignore[arg-type]
        viewport={"width": width, "height": 800},
        reduced_motion="reduce",
    )
    page, taken = context.new_page(), []
    if entered:
        log_in(page, site)
    for number, address in enumerate(addresses):
        page.goto(site + address)
        taken.append(picture_of(page, folder, number, address))
    context.close()
    save_sheets(taken, folder, width)


def new_folder(name: str) -> Path:
    folder = THERE / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def picture_of(page: Page, folder: Path, number: int, what: str) -> Path:
    name = "".join(letter if letter.isalnum() else "-" for letter in what).strip("-") or "home"
    picture = folder / f"{number:02}-{name[:60]}.png"
    page.screenshot(path=picture, full_page=True)
    return picture


def save_sheets(taken: Sequence[Path], folder: Path, width: int) -> None:
    for number, sheet in enumerate(lay_out(taken, width), 1):
        sheet.save(THERE / f"{folder.name}-{number}.png")


def lay_out(taken: Sequence[Path], width: int) -> Iterator[Image.Image]:
    """Sheets of pictures in columns, each at half its size and cut where it is very long."""
    columns: list[list[Image.Image]] = [[]]
    for path in taken:
        with Image.open(path) as opened:
            whole = opened.convert("RGB").crop((0, 0, opened.width, min(opened.height, TALL)))
        picture = whole.resize((whole.width // 2, whole.height // 2))
        if columns[-1] and sum(each.height + GAP for each in columns[-1]) + picture.height > TALL // 2:
            columns.append([])
        columns[-1].append(picture)
    for start in range(0, len(columns), WIDTHS[width]):
        yield _sheet(columns[start : start + WIDTHS[width]], width // 2 + GAP)


def _sheet(columns: Sequence[Sequence[Image.Image]], step: int) -> Image.Image:
    sheet = Image.new("RGB", (step * len(columns), TALL // 2), "#888")
    for number, column in enumerate(columns):
        top = 0
        for picture in column:
            sheet.paste(picture, (number * step, top))
            top += picture.height + GAP
    return sheet
