"""`python -m tools.fonts PACKAGE`: make the site's fonts from the npm package `@fontsource-variable/archivo`, unpacked.

`static/css/tokens.css` says which there are: each `@font-face` names a file, the letters in it, and its weights and
widths. A file has no more than that, so what every page loads is small, and a name in rarer letters loads the next.
"""

import re
import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

STATIC = Path(__file__).resolve().parent.parent / "static"
FACES = re.compile(r"@font-face {(.*?)}", re.DOTALL)
FEATURES = ["ccmp", "kern", "liga", "locl", "mark", "mkmk", "tnum"]  # what sheets use, and what letters need


def make_font(source: Path, target: Path, letters: set[int], axes: dict[str, tuple[float, float]]) -> None:
    """Write those letters of a font, variable within these axes."""
    font = instantiateVariableFont(TTFont(source), axes)
    changes = font["gvar"].variations
    for name in font.getGlyphOrder():
        changes.setdefault(name, [])  # the subsetter wants a list for each glyph, and the source leaves empty ones out
    options = subset.Options(layout_features=FEATURES, hinting=False, notdef_outline=True)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=letters)
    subsetter.subset(font)
    font.flavor = "woff2"
    font.save(target)


def letters_of(face: str) -> set[int]:
    """The code points of a face's `unicode-range`."""
    found: set[int] = set()
    for first, last in re.findall(r"U\+([0-9A-F]+)(?:-([0-9A-F]+))?", face):
        found.update(range(int(first, 16), int(last or first, 16) + 1))
    return found


def span_of(face: str, descriptor: str) -> tuple[float, float]:
    least, most = re.findall(r"[\d.]+", face.partition(f"{descriptor}:")[2].partition(";")[0])
    return float(least), float(most)


def main(package: Path) -> None:
    for face in FACES.findall((STATIC / "css" / "tokens.css").read_text()):
        name = face.partition("../fonts/")[2].partition(".woff2")[0]
        target = STATIC / "fonts" / f"{name}.woff2"
        axes = {"wght": span_of(face, "font-weight"), "wdth": span_of(face, "font-stretch")}
        make_font(package / "files" / f"{name}-wdth-normal.woff2", target, letters_of(face), axes)
        print(f"{target.name}: {target.stat().st_size:,} bytes")


main(Path(sys.argv[1]))
