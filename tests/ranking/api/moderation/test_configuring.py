"""Settings of modes and queues by API: read, changed in part, refused with the path of the field."""

import json
from typing import Any

import pytest

from matchmaking.models import Queue
from matchmaking.queues.administration import SETTINGS as QUEUE_SETTINGS
from ranking.models import AuditEntry, Mode
from ranking.modes.changes import SETTINGS
from tests.support.acts_by_api import CALLS, make_author
from tests.support.api import Answer, call, make_key
from tests.support.savepoints import rolled_back

MODE, QUEUE = "modes/duel/settings/", "queues/duel/"


@pytest.fixture(scope="module", autouse=True)
def _administrator(_moderated_site: dict[str, Any]) -> None:
    make_author("administrator", "boss")


def change(path: str, settings: Any) -> Answer:
    body = {"author": "boss", "reason": "Tuned.", "settings": settings}
    return call("PATCH", path, json.dumps(body).encode(), key=make_key("configure"))


def nested(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels - 1):
        value = [value]
    return value


def test_all_that_the_admin_has_is_read() -> None:
    bodies = [CALLS[name].make("boss").body for name in ("get_mode_settings", "get_queue")]
    assert [tuple(body["settings"]) for body in bodies] == [SETTINGS, QUEUE_SETTINGS]
    assert [body["mode"] for body in bodies] == ["duel", "duel"]


def test_the_queues_settings_are_those_of_the_admin() -> None:
    from matchmaking.admin.queues import QueueAdmin

    fields = {name for _, section in QueueAdmin.fieldsets for name in section["fields"]}
    assert fields == {"mode", *QUEUE_SETTINGS}


def test_what_is_read_may_be_sent_back() -> None:
    for path, name in ((MODE, "get_mode_settings"), (QUEUE, "get_queue")):
        body = CALLS[name].make("boss").body
        assert change(path, body["settings"]).body == body
    assert not AuditEntry.objects.filter(act__startswith="change").exists()


def test_a_part_is_changed_and_logged() -> None:
    answer = change(MODE, {"name": "Zweikampf", "placement_matches": 5, "conduct": {"points": 4}})
    mode = Mode.objects.get()
    assert (answer.status, answer.body["settings"]["name"]) == (200, "Zweikampf")
    assert (mode.name, mode.placement_matches, mode.conduct) == ("Zweikampf", 5, {"points": 4})
    assert change(QUEUE, {"open": False, "regions": ["eu"], "favourite": 0.7}).status == 200
    queue = Queue.objects.get()
    assert (queue.open, queue.regions, queue.favourite) == (False, ["eu"], 0.7)
    lines = AuditEntry.objects.filter(act__startswith="change").order_by("pk").values_list("who", "subject", "reason")
    assert list(lines) == [
        ("boss", "mode duel: name, placement_matches, conduct", "Tuned."),
        ("boss", "queue duel: open, favourite, regions", "Tuned."),
    ]


def test_what_does_not_fit_names_the_field(subtests: pytest.Subtests) -> None:
    for path, settings, field in [
        (MODE, 5, "settings"),
        (MODE, {"slug": "x"}, "settings.slug"),
        (MODE, {"name": ""}, "settings.name"),
        (MODE, {"name": 5}, "settings.name"),
        (MODE, {"team_count": 3}, "settings.team_count"),
        (MODE, {"team_size_max": 0}, "settings.team_size_max"),
        (MODE, {"team_size_max": 10**9}, "settings.team_size_max"),
        (MODE, {"team_size_max": 10**30}, "settings.team_size_max"),
        (MODE, {"placement_matches": 32_768}, "settings.placement_matches"),
        (MODE, {"activity_matches": 11}, "settings.activity_matches"),
        (MODE, {"conduct": {"points": "x"}}, "settings.conduct"),
        (MODE, {"conduct": 5}, "settings.conduct"),
        (MODE, {"conduct": {"a\0": 1}}, "settings.conduct"),
        (MODE, {"conduct": {"points": 1e300}}, "settings.conduct"),
        (MODE, {"conduct": {"points": 10**350}}, "settings.conduct"),
        (MODE, {"names": {"xx": "Duell"}}, "settings.names"),
        (MODE, {"names": []}, "settings.names"),
        (MODE, {"names": None}, "settings.names"),
        (MODE, {"named_tiers": [{"from": "x"}]}, "settings.named_tiers"),
        (MODE, {"scoreboard": {}}, "settings.scoreboard"),
        (MODE, {"scoreboard": nested(500)}, "settings.scoreboard"),
        (MODE, {"time_zone": "Mars"}, "settings.time_zone"),
        (MODE, {"schedule": "at noon"}, "settings.schedule"),
        (MODE, {"entry_mode": "nothing"}, "settings.entry_mode"),
        (MODE, {"entry_matches": 3}, "settings.entry_mode"),
        (MODE, {"tier_scheme": "stars"}, "settings.tier_scheme"),
        (MODE, {"tier_scheme": "\ud800"}, "settings.tier_scheme"),
        (MODE, {"tier_scheme": nested(500)}, "settings.tier_scheme"),
        (QUEUE, {"mode": "other"}, "settings.mode"),
        (QUEUE, {"open": "no"}, "settings.open"),
        (QUEUE, {"open": None}, "settings.open"),
        (QUEUE, {"team_size": 9}, "settings.team_size"),
        (QUEUE, {"accept_seconds": 601}, "settings.accept_seconds"),
        (QUEUE, {"accept_seconds": -1}, "settings.accept_seconds"),
        (QUEUE, {"widen_every": 0}, "settings.widen_every"),
        (QUEUE, {"regions": [5]}, "settings.regions"),
        (QUEUE, {"regions": "eu"}, "settings.regions"),
        (QUEUE, {"favourite": 0.9}, "settings.favourite_end"),
        (QUEUE, {"ticked_at": None}, "settings.ticked_at"),
    ]:
        with subtests.test(path=path, settings=settings), rolled_back():
            before = [list(Mode.objects.values()), list(Queue.objects.values()), AuditEntry.objects.count()]
            answer = change(path, settings)
            assert (answer.status, answer.fields) == (400, [field])
            assert [list(Mode.objects.values()), list(Queue.objects.values()), AuditEntry.objects.count()] == before


@pytest.mark.parametrize("levels", [20, 21, 100, 500])
def test_settings_are_nested_at_most_twenty_levels(levels: int) -> None:
    details = [error["detail"] for error in change(MODE, {"scoreboard": nested(levels)}).body["errors"]]
    assert (details == ["This is nested too deeply; at most 20 levels fit."]) is (levels > 20)


@pytest.mark.parametrize("path", ["modes/nothing/settings/", "queues/nothing/"])
def test_unknown_modes_are_not_found(path: str) -> None:
    assert change(path, {}).status == 404


def test_numbers_have_the_bounds_of_their_columns_in_every_database() -> None:
    answer = change(MODE, {"team_size_max": 32_768, "late_results": -1, "activity_matches": 11})
    assert [(error["field"], error["detail"]) for error in answer.body["errors"]] == [
        ("settings.team_size_max", "This must be at most 32,767."),
        ("settings.activity_matches", "This must be at most 10."),
        ("settings.late_results", "This must be at least 0."),
    ]
    assert change(MODE, {"placement_matches": 32_767}).status == 200
