"""A Prometheus server that scrapes one site, with the alerts of ops/."""

import json
import re
import subprocess
import time
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

from tests.support.paths import ROOT
from tests.support.servers import free_port

RULES = ROOT / "ops/prometheus/alerts.yml"
# In a drill alerts don't wait before they fire, and jobs stand after 20 s already. The expressions are the file's own.
QUICKER = ((r"for: \d+[mh]\b", "for: 1s"), (r'(timestamp_seconds\{queue!="long"\}\)) > 120\b', r"\1 > 20"))


class Prometheus:
    """Asks and evaluates every second, or every fifteen if `as_written`: then the rules are those of the file."""

    def __init__(self, folder: Path, target: str, token: str, *, as_written: bool = False) -> None:
        rules, interval = RULES.read_text(), "15s" if as_written else "1s"
        for pattern, quicker in () if as_written else QUICKER:
            rules, count = re.subn(pattern, quicker, rules)
            assert count, pattern
        (folder / "alerts.yml").write_text(rules)
        (folder / "token").write_text(token)
        example = (ROOT / "ops/prometheus/prometheus.yml").read_text()
        for known, here in (("15s", interval), ("/etc/prometheus/rungs-metrics-token", str(folder / "token")),
                            ("127.0.0.1:8000", target)):  # fmt: skip
            assert known in example
            example = example.replace(known, here)
        (folder / "prometheus.yml").write_text(example)
        self.port = free_port()
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={folder / 'prometheus.yml'}", f"--storage.tsdb.path={folder / 'data'}",
             f"--web.listen-address=127.0.0.1:{self.port}", "--log.level=error"],
        )  # fmt: skip
        self.firing()  # waits until it answers

    def close(self) -> None:
        self.process.kill()
        self.process.wait()

    def firing(self) -> set[str]:
        """The names of the alerts that fire."""
        alerts = self._data("alerts")["alerts"]
        return {alert["labels"]["alertname"] for alert in alerts if alert["state"] == "firing"}

    def finds(self, query: str) -> bool:
        """True if a query has an answer now."""
        return bool(self._data(f"query?{urllib.parse.urlencode({'query': query})}")["result"])

    def _data(self, path: str) -> Any:
        """Asked for a minute, if need be: it may still start, or the machine is busy."""
        deadline = time.monotonic() + 60
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/v1/{path}", timeout=5) as answer:
                    return json.load(answer)["data"]
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)
