"""`make clients`: packs the clients into dist/, in the site's version: a wheel, an npm package and a NuGet package.

Types for TypeScript come from the schema of this very version by openapi-typescript, which clients/typescript locks.
NuGet's own packer writes the time into what it packs, so its format is written here: a ZIP archive with two files of
the Open Packaging Conventions beside the .nuspec.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from config import VERSION

ROOT = Path(__file__).resolve().parents[1]
CLIENTS = ROOT / "clients"
_TYPES = """<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml" />
  <Default Extension="nuspec" ContentType="application/octet" />
  <Default Extension="cs" ContentType="application/octet" />
  <Default Extension="md" ContentType="application/octet" />
  <Override PartName="/LICENSE" ContentType="application/octet" />
</Types>
"""
_RELATIONSHIPS = """<?xml version="1.0" encoding="utf-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
  <Relationship Id="manifest" Target="/Rungs.Client.nuspec"
    Type="http://schemas.microsoft.com/packaging/2010/07/manifest" />
</Relationships>
"""


def pack_python(folder: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    _run(command, CLIENTS / "python")


def pack_typescript(folder: Path) -> None:
    """Make the types in a folder of their own, where npm installs what the lock names, and pack them."""
    with tempfile.TemporaryDirectory() as name:
        work = Path(name) / "package"
        shutil.copytree(CLIENTS / "typescript", work, ignore=shutil.ignore_patterns("node_modules"))
        shutil.copy(ROOT / "LICENSE", work)
        schema = work / "schema.json"
        spectacular = ["spectacular", "--format", "openapi-json", "--file", str(schema)]
        _run([sys.executable, str(ROOT / "manage.py"), *spectacular], ROOT)
        _run(["npm", "ci", "--ignore-scripts", "--silent", "--no-audit", "--no-fund"], work)
        _run(["node_modules/.bin/openapi-typescript", str(schema), "--output", "index.d.ts"], work)
        _run(["npm", "version", VERSION, "--no-git-tag-version", "--silent", "--allow-same-version"], work)
        _run(["npm", "pack", "--silent", "--pack-destination", str(folder)], work)


def pack_csharp(folder: Path) -> None:
    source = CLIENTS / "csharp"
    nuspec = (source / "Rungs.nuspec").read_text().replace("$version$", VERSION)
    contents = {
        "[Content_Types].xml": _TYPES,
        "_rels/.rels": _RELATIONSHIPS,
        "Rungs.Client.nuspec": nuspec,
        "README.md": (source / "README.md").read_text(),
        "LICENSE": (ROOT / "LICENSE").read_text(),
        "contentFiles/cs/any/Rungs/Rungs.cs": (source / "Rungs.cs").read_text(),
    }
    with zipfile.ZipFile(folder / f"Rungs.Client.{VERSION}.nupkg", "w", zipfile.ZIP_DEFLATED) as package:
        for name, text in contents.items():
            package.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)  # its time is 1980


def _run(command: list[str], folder: Path) -> None:
    """Run a tool. The site's variables are none of its business: the schema is that of the embedded profile."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RUNGS_")}
    subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)


def pack(folder: Path) -> None:
    """Pack every client into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    if not shutil.which("npm"):
        sys.exit("npm is missing: it makes the types for TypeScript. Install Node.js 20 or newer.")
    for pack_one in (pack_python, pack_typescript, pack_csharp):
        pack_one(folder.resolve())


if __name__ == "__main__":
    pack(ROOT / "dist")
