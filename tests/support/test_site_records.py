"""The record of the whole site knows what to ask of every call of the API."""

from tests.support.schema_answers import raw_schema
from tests.support.site_records import ASKED, ROWS


def test_it_knows_rows_for_each_number_and_values_for_each_parameter() -> None:
    paths = raw_schema()["paths"]
    assert {path.split("/")[3] for path in paths if "{number}" in path} - {*ROWS} == set()
    asked = [
        parameter for operations in paths.values() for parameter in operations.get("get", {}).get("parameters", ())
    ]
    free = {row["name"] for row in asked if row["in"] == "query" and not row["schema"].get("enum")}
    assert free - {*ASKED} == set()
