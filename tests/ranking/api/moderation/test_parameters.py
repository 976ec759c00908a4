"""Parameters of rating systems by API: read, changed as a new version, refused with the path of the parameter."""

from typing import Any

import pytest

from ranking.models import AuditEntry, Change, Mode, ParameterVersion, Rerating
from ranking.modes.parameters import create_mode
from ranking.rerating.reratings import request_rerating
from tests.support.acts_by_api import CALLS, make_author
from tests.support.api import Answer, call, make_key
from tests.support.factories import NOW, record
from tests.support.savepoints import rolled_back

pytestmark = pytest.mark.django_db
PATH = "modes/ladder/parameters/"


@pytest.fixture(scope="module", autouse=True)
def _mode(_moderated_site: dict[str, Any]) -> None:
    make_author("administrator", "boss")
    create_mode(
        slug="ladder", name="Ladder", system="elo", now=NOW, params={"alpha": 0.1}, team_count=2, team_size_min=1,
        team_size_max=5, activity_days=None,
    )  # fmt: skip


@pytest.fixture
def ladder(db: None) -> Mode:
    return Mode.objects.get(slug="ladder")


def read() -> dict[str, Any]:
    body: dict[str, Any] = call("GET", f"{PATH}?author=boss", key=make_key("configure")).body
    return body


def change(params: Any) -> Answer:
    body = {"author": "boss", "reason": "Faster.", "params": params}
    return call("POST", PATH, body, key=make_key("configure"))


def test_those_in_force_are_read(ladder: Mode) -> None:
    since = ParameterVersion.objects.get(mode=ladder).event.happened_at.isoformat().replace("+00:00", "Z")
    assert read() == {"mode": "ladder", "version": 1, "since": since, "system": "elo", "params": {"alpha": 0.1}}


def test_a_change_is_a_version_for_later_matches_and_a_line_of_the_log(ladder: Mode) -> None:
    record(["a"], ["b"], mode="ladder", id="before")
    answer = change({"alpha": 0.2, "scale_by_time": True})
    assert (answer.status, answer.body["version"], answer.body["params"]) == (
        200, 2, {"alpha": 0.2, "scale_by_time": True},
    )  # fmt: skip
    assert read() == answer.body
    record(["a"], ["b"], mode="ladder", id="after")
    used = Change.objects.filter(mode=ladder).order_by("pk").values_list("match__external_id", "parameters__number")
    assert sorted(set(used)) == [("after", 2), ("before", 1)]
    line = AuditEntry.objects.get(act="change parameters")
    assert (line.who, line.subject, line.reason) == ("boss", "mode ladder: parameters 2", "Faster.")
    assert not Rerating.objects.exists()


def test_what_is_left_out_gets_its_default(ladder: Mode) -> None:
    assert change({}).body["params"] == {}
    assert change({"staying_is_better": False}).body["params"] == {"staying_is_better": False}


def test_what_is_read_may_be_sent_back_and_changes_nothing(ladder: Mode) -> None:
    before = read()
    assert change(before["params"]).body == before
    assert not AuditEntry.objects.filter(act="change parameters").exists()


def test_what_a_system_refuses_names_the_parameter(subtests: pytest.Subtests) -> None:
    for params, fields in [
        (5, ["params"]),
        ([], ["params"]),
        ({"gamma": 1}, ["params.gamma"]),
        ({"alpha": "x"}, ["params.alpha"]),
        ({"alpha": None}, ["params.alpha"]),
        ({"alpha": -1}, ["params.alpha"]),
        ({"alpha": 0.2, "beta": 0}, ["params.beta"]),
        ({"alpha": -1, "beta": {}}, ["params.alpha", "params.beta"]),
        ({"scale_by_time": 1}, ["params.scale_by_time"]),
        ({"alpha_matches": 1.5}, ["params.alpha_matches"]),
        ({"alpha": 1e300}, ["params"]),
        ({"alpha": 10**350}, ["params"]),
        ({"a\0": 1}, ["params"]),
    ]:
        with subtests.test(params=params), rolled_back():
            before = (read(), AuditEntry.objects.count())
            answer = change(params)
            assert (answer.status, answer.fields) == (400, fields)
            assert (read(), AuditEntry.objects.count()) == before


def test_a_mode_that_is_rated_anew_keeps_its_parameters_meanwhile(ladder: Mode) -> None:
    record(["a"], ["b"], mode="ladder")
    run = request_rerating(ladder, since=None, reason="x", now=NOW)
    Mode.objects.filter(pk=ladder.pk).update(lease=run)
    answer = change({"alpha": 0.3})
    assert (answer.status, answer.body["code"], read()["version"]) == (409, "conflict", 1)


def test_an_unknown_mode_is_not_found() -> None:
    asked = CALLS["get_mode_parameters"]
    assert call("GET", f"{asked.path.replace('duel', 'nothing')}?author=boss", key=make_key("configure")).status == 404


def test_reading_takes_as_many_queries_after_many_versions(ladder: Mode, django_assert_num_queries: Any) -> None:
    for alpha in (0.2, 0.3, 0.4):
        change({"alpha": alpha})
    secret = make_key("configure")
    with django_assert_num_queries(8):
        call("GET", f"{PATH}?author=boss", key=secret)
