"""What /metrics says, read by Prometheus's own parser."""

from typing import Any

from prometheus_client.parser import text_string_to_metric_families


class Scrape:
    """The samples of one request to /metrics."""

    def __init__(self, text: str) -> None:
        self.types = {line.split()[2] for line in text.splitlines() if line.startswith("# TYPE ")}
        self.samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]

    def get(self, name: str, **labels: str) -> float | None:
        """The value of the sample with this name and exactly these labels."""
        return next((each.value for each in self.samples if (each.name, each.labels) == (name, labels)), None)

    def labels_of(self, name: str) -> list[dict[str, str]]:
        return [sample.labels for sample in self.samples if sample.name == name]

    @property
    def names(self) -> set[str]:
        """The names that queries can use, also of counters that nothing has counted in yet."""
        histograms = {f"{name}{end}" for name in self.types for end in ("_bucket", "_count", "_sum")}
        return self.types | histograms


def scrape(client: Any) -> Scrape:
    answer = client.get("/metrics")
    assert answer.status_code == 200, answer.content
    return Scrape(answer.content.decode())
