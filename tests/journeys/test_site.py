"""A result's way through real processes, over HTTP: answered, published by another process, shown, counted."""

import json
import re

import pytest

from tests.support.servers import SCALED, wait_until
from tests.support.sites import TOKEN, report


def test_a_result_reaches_the_board(site):
    assert site.post_result(report("way-1", "Kestrel", "Wren")) == 201
    assert site.post_result(report("way-1", "Kestrel", "Wren")) in (200, 409)  # 409 where the second has changed
    assert wait_until(lambda: "Kestrel" in site.get("/boards/duel/")[1])


def test_readiness_lists_what_it_asked(site):
    status, body = site.get("/api/v1/health/ready")
    names = ["database", "writes", "migrations", "cache", *(["broker"] if SCALED else [])]
    assert (status, json.loads(body)) == (200, {"ready": True, "checks": dict.fromkeys(names, "ready")})
    assert site.get("/health/live") == (200, '{"live": true}')


def test_metrics_add_up_over_processes(site):
    before = _results(site)
    for number in range(12):
        assert site.post_result(report(f"counted-{number}", "a", "b")) == 201
    assert _results(site) == before + 12
    assert wait_until(lambda: _sample(site, "rungs_publish_seconds_count") > 0)  # counted by another process


def _results(site):
    return _sample(site, 'rungs_results_total{outcome="rated"}')


def _sample(site, name):
    status, text = site.get("/metrics", Authorization=f"Bearer {TOKEN}")
    assert status == 200
    found = re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE)
    return float(found[1]) if found else 0.0


def test_metrics_are_for_those_with_the_token(site):
    assert site.get("/metrics")[0] == 403
    assert site.get("/metrics", Authorization="Bearer something-else")[0] == 403


@pytest.mark.skipif(not SCALED, reason="the embedded profile writes lines for people")
def test_each_line_of_the_log_is_json_with_the_ids_of_request_and_match(site):
    path, key = "/api/v1/matches/", f"Bearer {site.key}"
    status, _ = site.send("POST", path, report("logged", "a", "b"), Authorization=key, X_Request_ID="from-the-proxy.1")
    assert status == 201
    lines = [json.loads(line) for line in site.log.read_text().splitlines() if '"rungs.request"' in line]
    (line,) = [line for line in lines if line["request_id"] == "from-the-proxy.1"]
    assert (line["match_id"], line["method"], line["path"], line["status"]) == ("logged", "POST", path, 201)


def test_doctor_is_content(site):
    assert site.manage("doctor").splitlines()[-1] == "All is well."  # after hints of the tests' alike matches
