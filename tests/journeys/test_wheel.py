"""The wheel, built, installed from a folder of wheels into an empty environment, and run by its command `rungs`."""

import http.cookiejar
import json
import os
import re
import signal
import subprocess
import sys
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from config import VERSION
from tests.support.paths import ROOT
from tests.support.patience import wait_until
from tests.support.servers import SCALED, free_port
from tests.support.sites import as_from_a_terminal, report

pytestmark = [pytest.mark.long, pytest.mark.skipif(SCALED, reason="of the embedded profile")]

PASSWORD = "of-a-wheel-0123"
STYLES = re.compile(r'"(/static/[^"?]+\.css)')


class Installed:
    """An environment that has the wheel, and a folder in which somebody uses it."""

    def __init__(self, folder: Path) -> None:
        self.python, self.folder = folder / "venv" / "bin" / "python", folder / "somewhere"
        self.folder.mkdir()
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("RUNGS_")}
        self.environment |= {"XDG_CONFIG_HOME": str(folder), "DJANGO_SUPERUSER_PASSWORD": PASSWORD}
        self.environment.pop("VIRTUAL_ENV", None)

    @property
    def site(self) -> Path:
        return next(self.python.parents[1].glob("lib/*/site-packages/rungs_site"))

    def files(self) -> set[Path]:
        """What lies in the installed folder, without what Python compiles."""
        return {path for path in self.site.rglob("*") if "__pycache__" not in path.parts}

    def command(self, *words: str) -> list[str]:
        return [str(self.python.with_name("rungs")), *words]

    def rungs(self, *words: str) -> str:
        done = subprocess.run(
            self.command(*words), cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder / "wheels")]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    [wheel] = (folder / "wheels").iterdir()
    assert wheel.name == f"rungs_ranked-{VERSION}-py3-none-any.whl"
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    pip = [str(folder / "venv/bin/python"), "-m", "pip", "-qq", "--disable-pip-version-check"]
    locked = ["--constraint", str(ROOT / "requirements.lock")]
    download = [*pip, "download", "--dest", str(wheel.parent), *locked, str(wheel)]
    subprocess.run(_without_hashes(download, folder), check=True)
    index = ["--no-index", "--find-links", str(wheel.parent)]
    subprocess.run([*pip, "install", "--no-compile", *index, "rungs-ranked"], check=True, env=_without_pips())
    made = Installed(folder)
    for name in ("ranking", "config"):  # somebody else's modules of these names
        (made.site.parent / f"{name}.py").write_text("raise RuntimeError('not of Rungs')\n")
    return made


def _without_pips() -> dict[str, str]:
    """The environment without what this machine tells pip, such as other folders of wheels."""
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("PIP_")},
        "PIP_CONFIG_FILE": os.devnull,
    }


def _without_hashes(command: list[str], folder: Path) -> list[str]:
    """The command with constraints that have no hashes: pip wants one for the wheel, too, else."""
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    pins = [line.removesuffix(" \\") for line in lines if re.match(r"[a-z0-9]", line)]
    (folder / "pins.txt").write_text("\n".join(pins))
    return [str(folder / "pins.txt") if word.endswith("requirements.lock") else word for word in command]


@pytest.fixture
def running(installed: Installed) -> Iterator[str]:
    """The address of `rungs run` in the folder."""
    url = f"http://127.0.0.1:{free_port()}"
    log = installed.folder.with_suffix(".log")
    with log.open("w") as output:
        process = subprocess.Popen(
            installed.command("run", "--no-demo", "--port", url.rpartition(":")[2]), cwd=installed.folder,
            env=installed.environment, stdout=output, stderr=output, preexec_fn=as_from_a_terminal,
        )  # fmt: skip
    try:
        assert wait_until(lambda: answers(url) or process.poll() is not None, 90)
        assert process.poll() is None, log.read_text()
        yield url
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0, log.read_text()


def answers(url: str) -> bool:
    try:
        return bool(get(f"{url}/health/ready"))
    except OSError:
        return False


def get(url: str, **headers: str) -> str:
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=60) as answer:
        return answer.read().decode()


def test_it_says_its_version_and_starts_each_process(installed: Installed) -> None:
    assert installed.rungs("--version") == f"Rungs {VERSION}\n"
    assert "Serve the site." in installed.rungs("web", "--help")
    assert "Start worker instance." in installed.rungs("worker", "--help")


def test_its_usages_name_its_command(installed: Installed) -> None:
    assert "Type 'rungs help <subcommand>'" in installed.rungs("help")
    assert installed.rungs("backup", "--help").startswith("usage: rungs backup ")


def test_it_runs_a_site_whose_data_lie_in_the_current_folder(installed: Installed, running: str) -> None:
    files = installed.files()
    home, german = get(running), get(running, **{"Accept-Language": "de"})
    assert ('<html lang="en">' in home, '<html lang="de">' in german) == (True, True)
    assert re.findall(r"<title>.*</title>", german) != re.findall(r"<title>.*</title>", home)
    assert all("{" in get(running + path) for path in STYLES.findall(home))
    installed.rungs("createsuperuser", "--noinput", "--username", "boss", "--email", "boss@example.org")
    key = installed.rungs("create_key", "servers", "--scope", "results").strip()
    (installed.folder / "results.jsonl").write_text(json.dumps(report("r1", "a", "b")) + "\n")
    installed.rungs("import_matches", "results.jsonl", "--create-mode", "elo")
    body = json.dumps(report("r2", "a", "b")).encode()
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    sent = urllib.request.Request(f"{running}/api/v1/matches/", body, headers)
    with urllib.request.urlopen(sent, timeout=60) as answer:
        assert (answer.status, json.load(answer)["state"]) == (201, "rated")
    assert 'href="/players/a/' in get(f"{running}/matches/2/")
    admin = admin_of(running)
    assert "/static/admin/css/base.css" in STYLES.findall(admin)
    assert all("{" in get(running + path) for path in STYLES.findall(admin))
    assert installed.rungs("doctor").splitlines()[-1] == "All is well."
    assert (installed.folder / "rungs-data" / "rungs.sqlite3").exists()
    assert sorted(path.name for path in installed.folder.iterdir()) == ["results.jsonl", "rungs-data"]
    assert installed.files() == files


def admin_of(url: str) -> str:
    """The admin's first page, as the superuser sees it."""
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
    page = opener.open(f"{url}/account/login/?next=/admin/", timeout=60).read().decode()
    [token, *_] = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
    form = {"csrfmiddlewaretoken": token, "login": "boss", "password": PASSWORD, "next": "/admin/"}
    with opener.open(f"{url}/account/login/", urllib.parse.urlencode(form).encode(), timeout=60) as answer:
        assert answer.url == f"{url}/admin/"
        return str(answer.read().decode())
