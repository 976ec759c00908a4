"""What ships: the entry script, the image's and compose's words, and the page that lists the variables."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions

import pytest
import yaml

from config.celery import app
from tests.support.sites import ROOT

COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())
SERVICES = COMPOSE["services"]
OURS = {"web", "worker", "beat", "migrate"}
OPERATING = (ROOT / "docs/operating.md").read_text()


def read_by_settings():
    texts = [path.read_text() for path in (ROOT / "config").glob("*.py")]
    return set(re.findall(r'env\.\w+\(\s*"(RUNGS_\w+)"', "".join(texts)))


def test_the_page_lists_every_variable():
    assert set(re.findall(r"^\| `(RUNGS_\w+)` \|", OPERATING, re.MULTILINE)) == read_by_settings()


@pytest.mark.parametrize("name", ["compose.yaml", "Dockerfile", "rungs.env.example"])
def test_what_ships_sets_only_variables_that_are_read(name):
    assert set(re.findall(r"RUNGS_\w+", (ROOT / name).read_text())) <= read_by_settings()


def test_compose_runs_every_process_on_migrated_tables():
    assert set(SERVICES) == {*OURS, "database", "redis"}
    for name in OURS - {"migrate"}:
        waits = {needed: how["condition"] for needed, how in SERVICES[name]["depends_on"].items()}
        assert waits["migrate"] == "service_completed_successfully", name
    for name, service in SERVICES.items():
        assert service.get("restart") == ("no" if name == "migrate" else "unless-stopped"), name
        assert "healthcheck" in service or name == "web", name  # the image has web's
        for volume in service.get("volumes", ()):
            assert volume.split(":")[0] in COMPOSE["volumes"], name
    assert all(service["env_file"] == "rungs.env" for name, service in SERVICES.items() if name != "redis")


def test_the_image_runs_as_nobody_special_from_hashed_packages():
    text = (ROOT / "Dockerfile").read_text()
    stages = re.findall(r"^FROM (\S+)", text, re.MULTILINE)
    assert len(stages) == 2
    assert all(re.search(r":\d", image) for image in stages)
    assert re.findall(r"^USER (\S+)", text, re.MULTILINE) == ["rungs"]
    assert "--require-hashes" in text
    assert "HEALTHCHECK" in text
    for source in re.findall(r"^COPY (?!--from)(\S+)", text, re.MULTILINE):
        assert (ROOT / source).exists(), source
    (entry,) = re.findall(r'^ENTRYPOINT \["/rungs/(\S+)"\]', text, re.MULTILINE)
    assert os.access(ROOT / entry, os.X_OK)


@pytest.mark.long
def test_what_the_image_is_given_is_a_whole_site(tmp_path):
    for kept in re.findall(r"^!(\S+)", (ROOT / ".dockerignore").read_text(), re.MULTILINE):
        source = ROOT / kept
        copy = shutil.copytree if source.is_dir() else shutil.copy2
        copy(source, tmp_path / kept)
    (line,) = re.findall(r"^RUN cd /rungs \\\n(.+?)\n\n", (ROOT / "Dockerfile").read_text(), re.MULTILINE | re.DOTALL)
    settings = dict(re.findall(r"(RUNGS_\w+)=(\S+)", line))
    for arguments in (["check"], ["collectstatic", "--noinput", "--verbosity", "0"]):
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(command, cwd=tmp_path, env={**os.environ, **settings}, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "staticfiles/staticfiles.json").exists()


def test_what_the_site_imports_is_locked_for_it():
    """And not for those only who develop it."""
    locked = set(re.findall(r"^([\w.-]+)==", (ROOT / "requirements.lock").read_text(), re.MULTILINE))
    given_by = packages_distributions()
    imported = {}
    for package in ("config", "leaderboards", "matchmaking", "ranking"):
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom) and not node.level:
                    names = [node.module]
                imported |= {name.split(".")[0]: path for name in names}
    foreign = {name: path for name, path in imported.items() if name in given_by}
    assert {"django", "django_stubs_ext", "numpy"} <= foreign.keys()
    missing = {
        name: str(path)
        for name, path in foreign.items()
        if not locked & {re.sub(r"[-_.]+", "-", given).lower() for given in given_by[name]}
    }
    assert missing == {}


def test_every_file_of_others_has_its_notice():
    notices = (ROOT / "THIRD_PARTY_NOTICES.md").read_text()
    files = {
        str(path.relative_to(ROOT))
        for folder in ("static/vendor", "static/fonts")
        for path in (ROOT / folder).iterdir()
        if path.name != "README.md"
    }
    assert files == set(re.findall(r"static/(?:vendor|fonts)/[\w.-]+", notices))


def test_licences_are_named_and_there():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["license"] == "Apache-2.0"
    assert all(list(ROOT.glob(pattern)) for pattern in project["license-files"])
    assert "Apache License" in (ROOT / "LICENSE").read_text()


def test_what_running_needs_is_a_part_of_what_developing_needs():
    """So that `make run` and `make test` install the same versions, in either order."""
    locked = [
        set(re.findall(r"^([\w.-]+==\S+)", (ROOT / name).read_text(), re.MULTILINE))
        for name in ("requirements.lock", "requirements-dev.lock")
    ]
    assert locked[0] < locked[1]


def rungs(*arguments):
    environment = {**os.environ, "PYTHON": sys.executable}
    done = subprocess.run([ROOT / "bin/rungs", *arguments], cwd="/", env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((), 2, "usage: rungs web|jobs|worker|beat"),
        (("web", "--help"), 0, "Serve the site."),
        (("worker", "--help"), 0, "Start worker instance."),
        (("beat", "--help"), 0, "Start the beat periodic task scheduler."),
        (("no-such-command",), 1, "Unknown command: 'no-such-command'"),
    ],
)
def test_the_entry_script_starts_each_process(arguments, code, said):
    got, output = rungs(*arguments)
    assert (got, said in output) == (code, True), output


def test_jobs_are_known_and_their_messages_expire():
    app.loader.import_default_modules()
    for entry in app.conf.beat_schedule.values():
        assert entry["task"] in app.tasks
        assert entry["options"]["expires"] == entry["schedule"]
    assert (app.conf.task_acks_late, app.conf.worker_prefetch_multiplier) == (True, 1)
    assert app.conf.task_time_limit < app.conf.broker_transport_options["visibility_timeout"]


def test_a_web_process_has_loaded_its_views_before_the_first_request():
    code = "import config.wsgi, sys; print({'leaderboards.views.boards', 'matchmaking.api'} <= {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"
