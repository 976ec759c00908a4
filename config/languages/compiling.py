"""Compiles the catalogues of messages: people edit the .po files, the site reads the .mo files that are made of them.

`python -m config.languages.compiling` needs neither settings nor gettext: make and the image run it before any command
of the site. Each .mo file has the digest of its .po file in its header.
"""

import hashlib
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DIGEST = "X-Source-SHA256"


def find_catalogues(root: Path) -> list[Path]:
    """Return the .po file of each language, without English."""
    return sorted(root.glob("locale/*/LC_MESSAGES/django.po"))


def compile_catalogues(root: Path) -> None:
    """Compile each catalogue that isn't compiled."""
    for po in find_catalogues(root):
        if not is_compiled(po):
            compile_catalogue(po)


def compile_catalogue(po: Path) -> None:
    """Write the .mo file of a catalogue beside it. Raises OSError, with the line, if the catalogue can't be read."""
    import polib  # here, because every process imports this module, and few compile

    catalogue, mo = polib.pofile(str(po)), po.with_suffix(".mo")
    catalogue.metadata[DIGEST] = _digest_of(po)
    unfinished = po.with_suffix(f".{os.getpid()}.mo")
    catalogue.save_as_mofile(str(unfinished))
    unfinished.replace(mo)


def is_compiled(po: Path) -> bool:
    """Return whether the .mo file of a catalogue is there and made of the catalogue as it is."""
    mo = po.with_suffix(".mo")
    return mo.exists() and _digest_of(po).encode() in mo.read_bytes()


def _digest_of(po: Path) -> str:
    return hashlib.sha256(po.read_bytes()).hexdigest()


if __name__ == "__main__":
    try:
        compile_catalogues(ROOT)
    except OSError as error:
        sys.exit(str(error))
