"""The image, built in a folder: each RUN of the Dockerfile, then the command and the health check that it ends with.

A folder stands for the image's root. What needs Debian or root's rights is noted instead of done: `apt-get`, `useradd`,
and to whom folders belong. The interpreter is this one, not that of PYTHON_IMAGE.
"""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings as site_settings

from tests.support.environment import SCALED_SITE
from tests.support.paths import ROOT
from tests.support.patience import wait_until
from tests.support.servers import free_port

pytestmark = pytest.mark.long  # it installs all packages, from PyPI

FOLDERS = re.compile(r"(?<![\w/.:-])/(venv|build|rungs|var)(?=[/\s:]|$)")  # of the image
NOTED = ("apt-get", "useradd")
COMMENT, CONTINUED = re.compile(r"^#.*\n", re.MULTILINE), re.compile(r"\\\n")


def read_instructions():
    """Each instruction of the Dockerfile, as its name and the rest."""
    text = CONTINUED.sub(" ", COMMENT.sub("", (ROOT / "Dockerfile").read_text()))
    return [tuple(line.split(None, 1)) for line in text.splitlines() if line.strip()]


class Image:
    """What has been built, the variables that are set in it, and what was noted instead of done."""

    def __init__(self, root: Path) -> None:
        self.root, self.notes, self.environment = root, root / "notes", {}
        programs = root / "programs"
        programs.mkdir()
        for name in NOTED:
            (programs / name).write_text(f'#!/bin/sh\necho {name} "$@" >> {self.notes}\n')
            (programs / name).chmod(0o755)
        (programs / "python").symlink_to(Path(sys.base_prefix) / "bin/python3")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("RUNGS_", "PYTHON"))}
        self.outside = {**kept, "PATH": f"{programs}:{os.environ['PATH']}"}
        self.outside.pop("VIRTUAL_ENV", None)

    def move(self, words: str) -> str:
        """The words, with paths of the image inside the folder."""
        return FOLDERS.sub(rf"{self.root}/\1", words)

    def set(self, words: str) -> None:
        """ENV NAME=value …; the value of PATH goes before the one outside."""
        for name, value in re.findall(r"(\w+)=(\S+)", self.move(words)):
            self.environment[name] = value.replace("$PATH", self.outside["PATH"])

    def copy(self, words: str) -> None:
        source, target = self.move(words).split()
        if source != ".":
            Path(target).mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / source, target)
            return
        given = (ROOT / ".dockerignore").read_text()
        left_out = shutil.ignore_patterns(*re.findall(r"^\*\*/(\S+)", given, re.MULTILINE))
        Path(target).mkdir()
        for kept in re.findall(r"^!(\S+)", given, re.MULTILINE):
            if (ROOT / kept).is_dir():
                shutil.copytree(ROOT / kept, Path(target) / kept, ignore=left_out)
            else:
                shutil.copy2(ROOT / kept, target)

    def run(self, command: str, **more: str) -> "subprocess.CompletedProcess[str]":
        words = self.move(command).replace("--owner=rungs", f"--owner={os.getuid()}")
        environment = {**self.outside, **self.environment, **more}
        return subprocess.run(
            ["sh", "-c", words], cwd=self.root, env=environment, capture_output=True, text=True, check=False
        )

    def python(self, *words: str) -> str:
        command = [self.root / "venv/bin/python", *words]
        environment = {**self.outside, **self.environment, **SCALED_SITE}
        done = subprocess.run(
            command, cwd=self.root / "rungs", env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    """The image, and its last HEALTHCHECK, ENTRYPOINT and CMD."""
    built = Image(tmp_path_factory.mktemp("image"))
    last = {}
    for name, words in read_instructions():
        last[name] = words
        if name == "FROM":
            built.environment = {}
        elif name == "ENV":
            built.set(words)
        elif name == "COPY" and not words.startswith("--from=build"):  # both stages lie in one folder
            built.copy(words)
        elif name == "RUN":
            done = built.run(words)
            assert done.returncode == 0, (words, done.stdout, done.stderr)
    return built, last


def test_every_instruction_is_known():
    known = set("ARG FROM ENV RUN COPY WORKDIR USER EXPOSE STOPSIGNAL HEALTHCHECK ENTRYPOINT CMD".split())
    assert {name for name, _ in read_instructions()} == known


def test_what_the_image_is_given_is_a_whole_site(image):
    built, _ = image
    assert built.notes.read_text().splitlines() == [
        "apt-get update",
        "apt-get install --yes --no-install-recommends postgresql-client-17",
        "useradd --system --uid 10001 --home-dir " + str(built.root / "rungs") + " --shell /usr/sbin/nologin rungs",
    ]
    assert {path.name for path in (built.root / "var/lib/rungs").iterdir()} == {"metrics", "backups"}
    assert "no issues" in built.python("manage.py", "check")
    code = "from django.utils import translation as t; t.activate('de'); print(t.gettext('Rank'))"
    assert built.python("manage.py", "shell", "--no-imports", "-c", code) == "Rang\n"
    code = "from django.conf import settings; print(settings.LANGUAGES)"
    assert built.python("manage.py", "shell", "--no-imports", "-c", code) == f"{site_settings.LANGUAGES}\n"
    assert (built.root / "rungs/staticfiles/staticfiles.json").exists()


def test_no_process_has_to_compile_the_code(image):
    """Its files are read-only, so each process would do it again. Flags of an unchecked file: PEP 552."""
    built, _ = image
    sources = [path for path in (built.root / "rungs").rglob("*.py") if "staticfiles" not in path.parts]
    assert len(sources) > 500
    for source in sources:
        compiled = Path(importlib.util.cache_from_source(str(source)))
        assert compiled.exists(), source
        assert compiled.read_bytes()[4:8] == b"\x01\0\0\0", source


def test_the_images_command_starts_web_and_its_health_check_finds_it(image):
    built, last = image
    port = str(free_port())
    entry, command = (json.loads(built.move(last[name].replace("8000", port))) for name in ("ENTRYPOINT", "CMD"))
    check = json.loads(last["HEALTHCHECK"].partition("CMD")[2].replace("8000", port))
    environment = built.outside | built.environment | SCALED_SITE

    def is_healthy():
        return subprocess.run(check, env=environment, capture_output=True, check=False).returncode == 0

    assert not is_healthy()
    log = built.root / "log"
    with log.open("wb") as output:
        web = subprocess.Popen([*entry, *command], env=environment, stdout=output, stderr=output)
    try:
        assert wait_until(is_healthy, 60), log.read_text()
    finally:
        web.terminate()
        web.wait()
