"""`make release`: the files of a version in dist/, made of one commit, and the same each time. Nothing is uploaded.

A new version (`VERSION=0.3.0`) first becomes a commit: the changelog's section *Unreleased* gets its number and day,
config/__init__.py and the image's name in IMAGE_NAMED the number. Without a number it makes the version that is checked
out. Times in the files are the commit's; the bill of materials depends on the Python that makes it, because some
packages are only for some.
"""

import argparse
import datetime as dt
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from config import VERSION

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
CHANGELOG = ROOT / "CHANGELOG.md"
VERSION_FILE = ROOT / "config" / "__init__.py"
IMAGE_NAMED = ("compose.yaml", "ops/kubernetes")  # what names the site's image, which bears the version
UNRELEASED = "## Unreleased"
_NUMBER = re.compile(r"\d+\.\d+\.\d+")
# A row of THIRD_PARTY_NOTICES.md: what comes from npm, and its licence.
_NOTICE = re.compile(r"npm `(?P<name>@?[^@`]+)@(?P<version>[^`]+)`[^|]*\| (?P<licence>[^,|]+)")


def check(version: str) -> None:
    """Exit with a sentence for each thing that keeps this version from being released."""
    faults = []
    if changed := git("status", "--porcelain").splitlines():
        faults.append(f"Commit or remove what differs from the commit: {', '.join(line[3:] for line in changed[:5])}.")
    if not _NUMBER.fullmatch(version):
        faults.append(f"{version!r} is no version; write it like 0.3.0.")
    elif version == VERSION:
        faults += _faults_of_current()
    else:
        faults += _faults_of_new(version)
    if faults:
        sys.exit("\n".join(faults))


def _faults_of_current() -> list[str]:
    heading = _headings()[-1]
    faults = []
    if not heading.startswith(f"## {VERSION} ("):
        faults.append(f"CHANGELOG.md ends with {heading!r}, config/__init__.py says {VERSION}: give a new VERSION=….")
    tagged = git("tag", "--list", f"v{VERSION}")
    if tagged and git("rev-parse", f"v{VERSION}^{{commit}}") != git("rev-parse", "HEAD"):
        faults.append(f"v{VERSION} is the tag of another commit: check that one out, or give a new VERSION=….")
    return faults


def _faults_of_new(version: str) -> list[str]:
    faults = []
    if _parts(version) < _parts(VERSION):
        faults.append(f"{version} is older than {VERSION}.")
    if git("tag", "--list", f"v{version}"):
        faults.append(f"The tag v{version} is there already.")
    text = CHANGELOG.read_text().partition(f"\n{UNRELEASED}\n")[2]
    if _headings()[-1] != UNRELEASED or "\n- " not in text:
        faults.append(f"CHANGELOG.md must end with the section {UNRELEASED!r} and what is new in it.")
    return faults


def _parts(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _headings() -> list[str]:
    return re.findall(r"^## .+$", CHANGELOG.read_text(), flags=re.MULTILINE)


def prepare(version: str) -> None:
    """Commit the version: its number in the code and as the image's, its number and day in the changelog."""
    today = dt.datetime.now(dt.UTC).date()
    _replace(CHANGELOG, f"\n{UNRELEASED}\n", f"\n## {version} ({today})\n")
    _replace(VERSION_FILE, f'VERSION = "{VERSION}"', f'VERSION = "{version}"')
    for name in git("grep", "--files-with-matches", "--fixed-strings", f"rungs:{VERSION}", "--", *IMAGE_NAMED).split():
        file = ROOT / name
        file.write_text(file.read_text().replace(f"rungs:{VERSION}", f"rungs:{version}"))
    git("commit", "--quiet", "--all", "--message", f"Rungs is at version {version}")


def _replace(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    if text.count(old) != 1:
        sys.exit(f"{file.name} must have {old.strip()!r} once.")
    file.write_text(text.replace(old, new))


def build(version: str) -> None:
    """Make wheel, sdist, clients, bill of materials and checksums anew in dist/."""
    os.environ["SOURCE_DATE_EPOCH"] = git("log", "-1", "--format=%ct")
    shutil.rmtree(DIST, ignore_errors=True)
    run(sys.executable, "-m", "hatchling", "build", "--directory", str(DIST))
    run(sys.executable, "-m", "tools.clients")
    write_materials(DIST / f"rungs-ranked-{version}.cdx.json", version)
    files = sorted(DIST.iterdir())
    sums = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files]
    (DIST / "SHA256SUMS").write_text("".join(sums))


def write_materials(file: Path, version: str) -> None:
    """Write a bill of materials (CycloneDX) of what a site runs with: locked packages, and works of others."""
    with tempfile.TemporaryDirectory() as folder:
        python = Path(folder) / "venv" / "bin" / "python"
        uv = str(Path(sys.executable).with_name("uv"))
        run(uv, "venv", "--quiet", "--python", sys.executable, str(python.parents[1]))
        lock = ["--require-hashes", "--requirement", str(ROOT / "requirements.lock")]
        run(uv, "pip", "install", "--quiet", "--python", str(python), *lock)
        made = ["--output-reproducible", "--of", "JSON", "--output-file", str(file)]
        about = ["--pyproject", str(ROOT / "pyproject.toml")]
        run(str(Path(sys.executable).with_name("cyclonedx-py")), "environment", *about, *made, str(python))
    materials = json.loads(file.read_text())
    root = materials["metadata"]["component"]
    root |= {"version": version, "purl": f"pkg:pypi/{root['name']}@{version}"}
    for notice in _NOTICE.finditer((ROOT / "THIRD_PARTY_NOTICES.md").read_text()):
        reference = f"pkg:npm/{notice['name'].replace('@', '%40')}@{notice['version']}"
        licences = [{"license": {"name": notice["licence"].strip()}}]
        contained = {"type": "library", "name": notice["name"], "version": notice["version"], "licenses": licences}
        materials["components"].append({"bom-ref": reference, "purl": reference, **contained})
    file.write_text(json.dumps(materials, indent=2, sort_keys=True) + "\n")


def git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"git {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout.rstrip("\n")


def run(*command: str) -> None:
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the files of a version; nothing is uploaded.")
    parser.add_argument("version", nargs="?", default=VERSION, help="a new one; without it, the one checked out")
    parser.add_argument("--check", action="store_true", help="only tell whether it can be released")
    parser.add_argument("--tag", action="store_true", help="tag the commit")
    given = parser.parse_args()
    check(given.version)
    if given.check:
        return
    if given.version != VERSION:
        prepare(given.version)
    build(given.version)
    tag = f"v{given.version}"
    if given.tag and not git("tag", "--list", tag):
        git("tag", "--annotate", "--message", f"Rungs {given.version}", tag)
    print((DIST / "SHA256SUMS").read_text(), end="")
    print(f"{tag} lies in {DIST}. Nothing was uploaded, and nothing was pushed.")


if __name__ == "__main__":
    main()
