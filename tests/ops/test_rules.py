"""The alerts and the dashboard: Prometheus reads them, their metrics exist, and each alert has a test and a cure."""

import json
import re
import subprocess

import pytest
import yaml

from tests.support.paths import ROOT
from tests.support.scrapes import scrape

OPS = ROOT / "ops"
RULES = [
    rule for group in yaml.safe_load((OPS / "prometheus/alerts.yml").read_text())["groups"] for rule in group["rules"]
]
DASHBOARD = json.loads((OPS / "grafana/rungs.json").read_text())
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]


def promtool(*arguments):
    """Comes with Debian's package prometheus; without it the test fails."""
    done = subprocess.run(["promtool", *arguments], cwd=OPS / "prometheus", capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.long
@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "config", "--syntax-only", "prometheus.yml"),
        ("check", "rules", "--lint-fatal", "alerts.yml"),
        ("test", "rules", "alerts_test.yml"),
    ],
)
def test_prometheus_accepts(arguments):
    code, output = promtool(*arguments)
    assert code == 0, output


@pytest.mark.long
def test_a_rule_that_fires_otherwise_is_noticed(tmp_path):
    """The tests of the rules can fail."""
    rules = (OPS / "prometheus/alerts.yml").read_text().replace("rungs_outbox_parked) > 0", "rungs_outbox_parked) > 5")
    (tmp_path / "alerts.yml").write_text(rules)
    (tmp_path / "alerts_test.yml").write_text((OPS / "prometheus/alerts_test.yml").read_text())
    code, output = promtool("test", "rules", str(tmp_path / "alerts_test.yml"))
    assert (code, "RungsOutboxParked" in output) == (1, True)


def metrics_in(query):
    return set(re.findall(r"\brungs_\w+", query))


@pytest.mark.django_db
def test_every_metric_exists(client, settings, tmp_path):
    settings.METRICS_ALLOW, settings.BACKUP_DIR = ["127.0.0.1"], str(tmp_path)
    settings.BACKUP_URL = "s3://bucket"
    names = scrape(client).names
    queries = [rule["expr"] for rule in RULES] + [target["expr"] for panel in PANELS for target in panel["targets"]]
    assert {name for query in queries for name in metrics_in(query)} - names == set()


@pytest.mark.django_db
def test_the_page_and_the_dashboard_have_every_metric(client, settings, tmp_path):
    settings.METRICS_ALLOW, settings.BACKUP_DIR = ["127.0.0.1"], str(tmp_path)
    settings.BACKUP_URL = "s3://bucket"
    ours = {name for name in scrape(client).types if name.startswith("rungs_") and not name.endswith("_created")}
    page = (ROOT / "docs/operating.md").read_text()
    assert {name for name in ours if f"`{name}`" not in page and f"`{name}{{" not in page} == set()
    shown = {name for panel in PANELS for target in panel["targets"] for name in metrics_in(target["expr"])}
    shown |= {re.sub(r"_(bucket|count|sum)$", "", name) for name in shown}
    assert ours - shown - {"rungs_database_up", "rungs_metrics_unread"} == set()


def test_each_alert_is_tested_firing_and_quiet():
    tests = yaml.safe_load((OPS / "prometheus/alerts_test.yml").read_text())["tests"]
    assert [test["name"] for test in tests if " if " not in test["name"]] == [
        f"{rule['alert']} {what}" for rule in RULES for what in ("fires", "stays quiet")
    ]
    for test in tests:
        (case,) = test["alert_rule_test"]
        assert (case["alertname"], bool(case["exp_alerts"])) == (
            test["name"].split()[0],
            test["name"].split()[1] == "fires",
        )


def test_each_alert_has_its_part_of_the_runbook():
    parts = re.split(r"^## ", (ROOT / "docs/runbook.md").read_text(), flags=re.MULTILINE)[1:]
    assert [part.split()[0] for part in parts] == [rule["alert"] for rule in RULES]
    for part, rule in zip(parts, RULES, strict=True):
        assert rule["annotations"]["runbook"] == f"docs/runbook.md#{rule['alert'].lower()}"
        assert re.findall(r"^\*\*(\w+)\*\*:", part, re.MULTILINE) == ["Means", "Look", "Do"]
        assert rule["labels"]["severity"] in ("page", "ticket")


def test_panels_are_placed_side_by_side():
    taken = {}
    for panel in DASHBOARD["panels"]:
        place = panel["gridPos"]
        for column in range(place["x"], place["x"] + place["w"]):
            for line in range(place["y"], place["y"] + place["h"]):
                assert taken.setdefault((column, line), panel["title"]) == panel["title"]
    assert max(column for column, _ in taken) == 23
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])
