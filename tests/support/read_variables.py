"""Which variables RUNGS_… the settings read, by their code."""

import re

from tests.support.paths import ROOT


def read_by_settings() -> set[str]:
    texts = [path.read_text() for path in (ROOT / "config").glob("*.py")]
    return set(re.findall(r'env\.\w+\(\s*"(RUNGS_\w+)"', "".join(texts)))
