"""What a forge reads: the definition of CI and the forms for issues; and the pages at the root name no address."""

import re

import yaml

from tests.support.paths import ROOT

FORGE = ROOT / ".github"
CI = yaml.safe_load((FORGE / "workflows" / "ci.yml").read_text())
PAGES = ("SECURITY.md", "CONTRIBUTING.md", "CODE_OF_CONDUCT.md")


def test_ci_runs_the_gate_with_the_least_rights():
    [job] = CI["jobs"].values()
    assert (CI["permissions"], "permissions" in job, "secrets" in str(CI)) == ({"contents": "read"}, False, False)
    assert job["steps"][-1] == {"run": "bash .ci/run"}
    assert set(CI[True]) == {"push", "pull_request"}  # YAML takes `on` for true; pull_request_target would have rights


def test_ci_pins_what_it_uses():
    [job] = CI["jobs"].values()
    used = [step["uses"] for step in job["steps"] if "uses" in step]
    assert [name for name in used if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", name)] == []
    assert re.fullmatch(r"python:3\.11\.\d+-\w+", job["container"]["image"])
    assert re.fullmatch(r"ubuntu-\d\d\.\d\d", job["runs-on"])


def test_forms_for_issues_ask_for_something():
    for path in (FORGE / "ISSUE_TEMPLATE").glob("*.yml"):
        form = yaml.safe_load(path.read_text())
        if path.name != "config.yml":
            fields = [field for field in form["body"] if field["type"] != "markdown"]
            assert form["name"], path
            assert form["description"], path
            assert any(field.get("validations", {}).get("required") for field in fields), path
            assert len({field["id"] for field in fields}) == len(fields), path


def test_the_pages_invent_no_address():
    for name in PAGES:
        assert re.findall(r"\S+@\S+|https?://\S+", (ROOT / name).read_text()) == [], name
