"""`make release` in a clone: what it refuses, the files that it makes, and that another clone makes the same ones."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from config import VERSION
from tests.support.paths import ROOT

pytestmark = pytest.mark.long

NEW = "99.1.0"
COMPARING = (  # the tests that compare the version with what else bears it
    "tests/config/test_version.py",
    "tests/config/test_kubernetes.py",
    "tests/config/test_deployment.py::test_the_sites_image_bears_the_version_that_it_is_built_of",
)
NOBODY = {"name": "Nobody", "email": "nobody@example.org"}


def git(folder: Path, *words: str) -> str:
    identity = {f"GIT_{who}_{what.upper()}": value for who in ("AUTHOR", "COMMITTER") for what, value in NOBODY.items()}
    done = subprocess.run(
        ["git", *words], cwd=folder, env={**os.environ, **identity}, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def clone(source: Path, folder: Path) -> Path:
    """A clone, in which somebody has a name for Git."""
    git(folder.parent, "clone", "--quiet", str(source), str(folder))
    for name, value in NOBODY.items():
        git(folder, "config", f"user.{name}", value)
    return folder


def release(folder: Path, *words: str) -> tuple[int, str]:
    """What `make release` calls after lint."""
    command = [sys.executable, "-m", "tools.release", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr if done.returncode else done.stdout


def without_rungs() -> dict[str, str]:
    """The environment of the embedded profile."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("RUNGS_", "PYTEST_"))}


def with_news(folder: Path) -> Path:
    """A commit that says what is new, whether the last one was a release or not."""
    changelog = folder / "CHANGELOG.md"
    text = changelog.read_text()
    heading = "" if "\n## Unreleased\n" in text else "\n## Unreleased\n\n"
    changelog.write_text(f"{text}{heading}- Something is new.\n")
    git(folder, "commit", "--quiet", "--all", "--message", "Something is new")
    return folder


def test_it_refuses_what_is_not_whole(tmp_path: Path) -> None:
    folder = with_news(clone(ROOT, tmp_path / "clone"))
    assert release(folder, "--check", NEW) == (0, "")
    assert release(folder, "--check", "0.0.1") == (1, f"0.0.1 is older than {VERSION}.\n")
    assert release(folder, "--check", "v1") == (1, "'v1' is no version; write it like 0.3.0.\n")
    unreleased = f"CHANGELOG.md ends with '## Unreleased', config/__init__.py says {VERSION}: give a new VERSION=….\n"
    assert release(folder, "--check") == (1, unreleased)
    git(folder, "tag", f"v{NEW}")
    assert release(folder, "--check", NEW) == (1, f"The tag v{NEW} is there already.\n")
    git(folder, "tag", "--delete", f"v{NEW}")
    (folder / "new.txt").touch()
    assert release(folder, "--check", NEW) == (1, "Commit or remove what differs from the commit: new.txt.\n")
    (folder / "new.txt").unlink()
    changelog = folder / "CHANGELOG.md"
    changelog.write_text(changelog.read_text().partition("\n## Unreleased\n")[0])
    git(folder, "commit", "--quiet", "--all", "--message", "Nothing is new")
    says = "CHANGELOG.md must end with the section '## Unreleased' and what is new in it.\n"
    assert release(folder, "--check", NEW) == (1, says)


def test_a_version_is_the_same_files_in_each_clone(tmp_path: Path) -> None:
    folder = with_news(clone(ROOT, tmp_path / "one"))
    code, said = release(folder, "--tag", NEW)
    assert code == 0, said
    assert said.splitlines()[-1].endswith("Nothing was uploaded, and nothing was pushed.")
    dist = folder / "dist"
    assert sorted(path.name for path in dist.iterdir()) == [
        f"Rungs.Client.{NEW}.nupkg",
        "SHA256SUMS",
        f"rungs-api-types-{NEW}.tgz",
        f"rungs-ranked-{NEW}.cdx.json",
        f"rungs_client-{NEW}-py3-none-any.whl",
        f"rungs_ranked-{NEW}-py3-none-any.whl",
        f"rungs_ranked-{NEW}.tar.gz",
    ]
    subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=dist, check=True)
    [heading] = re.findall(r"^## .+$", (folder / "CHANGELOG.md").read_text(), flags=re.MULTILINE)[-1:]
    assert re.fullmatch(rf"## {NEW} \(\d{{4}}-\d\d-\d\d\)", heading)
    assert git(folder, "log", "-1", "--format=%s") == f"Rungs is at version {NEW}"
    assert git(folder, "rev-parse", f"v{NEW}^{{commit}}") == git(folder, "rev-parse", "HEAD")
    assert git(folder, "status", "--porcelain") == ""
    compare = [sys.executable, "-m", "pytest", "-n", "0", "-q", *COMPARING]
    done = subprocess.run(compare, cwd=folder, env=without_rungs(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    other = clone(folder, tmp_path / "two")
    code, said = release(other)
    assert code == 0, said
    assert (other / "dist" / "SHA256SUMS").read_text() == (dist / "SHA256SUMS").read_text()
    materials = (dist / f"rungs-ranked-{NEW}.cdx.json").read_text()
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(materials) is None
    parts = json.loads(materials)
    assert parts["metadata"]["component"]["version"] == NEW
    assert {"Django", "celery", "htmx.org", "@fontsource-variable/archivo"} <= {
        part["name"] for part in parts["components"]
    }
