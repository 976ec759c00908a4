"""Draws the packages of an app and their imports as a Mermaid flowchart, from the code itself; and reads flowcharts.

An arrow is left out if a longer way of arrows says the same. `python -m tests.support.package_diagram` draws the
pictures of docs/architecture.md anew.
"""

import functools
import re
import tomllib
from collections.abc import Mapping
from typing import NamedTuple

import grimp

from tests.support.paths import ROOT

PAGE = ROOT / "docs" / "architecture.md"
APPS = ("config", "matchmaking", "leaderboards", "ranking")
LEFT_OUT = ("apps", "migrations")  # Django's bookkeeping


class Picture(NamedTuple):
    """The packages of an app, the pure ones of them, and who imports whom."""

    packages: set[str]
    pure: set[str]
    arrows: set[tuple[str, str]]


def picture_of(app: str) -> Picture:
    """Return the picture of an app as its imports are now."""
    imports = _shortened(_imports(app))
    pure = {package for package in imports if f"{app}.{package}" in _pure()}
    return Picture(set(imports), pure, {(package, below) for package in imports for below in imports[package]})


def pictures_on(page: str) -> list[Picture]:
    """Return the pictures that a page shows, in order."""
    charts = re.findall(r"```mermaid\nflowchart TD\n(.*?)\n```", page, flags=re.DOTALL)
    return [
        Picture(
            set(re.findall(r"\w+", chart)),
            set(re.findall(r"(\w+)\(\[", chart)),
            set(re.findall(r"(\w+) --> (\w+)", chart)),
        )
        for chart in charts
    ]


def diagram(app: str) -> str:
    """Return the flowchart of `app`: pure packages are rounded."""
    packages, pure, arrows = picture_of(app)
    joined = {package for arrow in arrows for package in arrow}
    rounded = [f"    {package}([{package}])" for package in sorted(pure)]
    alone = [f"    {package}" for package in sorted(packages - joined - pure)]
    drawn = [f"    {package} --> {below}" for package, below in sorted(arrows)]
    return "\n".join(["flowchart TD", *rounded, *alone, *drawn])


def draw_pictures(page: str) -> str:
    """Return the text of the page with each app's picture as the imports are now."""
    pictures = iter(diagram(app) for app in reversed(APPS))
    return re.sub(r"```mermaid\n.*?\n```", lambda _: f"```mermaid\n{next(pictures)}\n```", page, flags=re.DOTALL)


def _imports(app: str) -> dict[str, set[str]]:
    """The packages and modules at the root of an app, each with what it imports of the others."""
    graph = import_graph()
    roots = {module.split(".")[1] for module in graph.find_children(app)} - set(LEFT_OUT)
    imports: dict[str, set[str]] = {root: set() for root in roots}
    for root in roots:
        members = {f"{app}.{root}", *graph.find_descendants(f"{app}.{root}")}
        for member in members:
            for module in graph.find_modules_directly_imported_by(member):
                parts = module.split(".")
                if parts[0] == app and len(parts) > 1 and parts[1] in roots - {root}:
                    imports[root].add(parts[1])
    return imports


def _shortened(imports: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """The transitive reduction: an import that a longer way implies is left out."""

    @functools.cache
    def reached(package: str) -> frozenset[str]:
        return frozenset(imports[package]).union(*(reached(below) for below in imports[package]))

    return {
        package: {below for below in direct if not any(below in reached(other) for other in direct)}
        for package, direct in imports.items()
    }


@functools.cache
def import_graph() -> grimp.ImportGraph:
    """Return who imports whom of the modules of all apps."""
    return grimp.build_graph(*APPS)


@functools.cache
def _pure() -> frozenset[str]:
    """The pure packages, as the import contract names them."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    [pure] = [contract for contract in contracts if contract["name"].startswith("The core is pure")]
    return frozenset(pure["source_modules"])


if __name__ == "__main__":
    PAGE.write_text(draw_pictures(PAGE.read_text()))
