"""Compiles the catalogues of messages when Hatchling builds a wheel: they aren't in the repository."""

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompileCatalogues(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        sys.path.insert(0, self.root)
        from config.languages.compiling import compile_catalogues

        compile_catalogues(Path(self.root))
