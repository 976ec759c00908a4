"""Parameters of the address: every call refuses those that it doesn't declare, and names the one that was meant."""

import pytest

from tests.ranking.api.test_rights import IN_ADDRESSES, OPERATIONS, callers  # noqa: F401 - a fixture
from tests.support.api import call, get, make_key, post_match, result
from tests.support.factories import make_mode
from tests.support.savepoints import rolled_back

pytestmark = pytest.mark.django_db


def named(sentence):
    """The known parameters that a refusal names; none if the call takes none."""
    if sentence == "This takes no parameters.":
        return set()
    return set(sentence.removeprefix("There is no such parameter here; known are ").removesuffix(".").split(", "))


def test_every_call_refuses_unknown_parameters(callers, subtests):  # noqa: F811
    """Who may make the call is asked first, and the address and the body afterwards."""
    for name, (method, path, operation) in OPERATIONS.items():
        for placeholder, value in IN_ADDRESSES.items():
            path = path.replace(placeholder, value)
        who = (operation["x-scope"],) if "x-scope" in operation else "token"
        known = {one["name"] for one in operation.get("parameters", []) if one.get("in") == "query"}
        with subtests.test(name=name), rolled_back():
            sent = {"content_type": "application/json"}
            response = callers[who].generic(method.upper(), f"{path}?zzz=1", b"{}", **sent)
            problem = response.json()
            assert (response.status_code, problem["code"]) == (400, "invalid-request")
            [error] = [error for error in problem["errors"] if error["field"] == "zzz"]
            assert (error["code"], named(error["detail"])) == ("unknown", known)


def test_the_nearest_name_is_told(subtests):
    make_mode("duel")
    make_mode("6v6")
    key = make_key()
    for what, answer, says in [
        ("a parameter", get("matches/?plyer=a"), "plyer: There is no such parameter here; did you mean 'player'?"),
        ("a parameter in capitals", get("matches/?MODE=duel"), "MODE: There is no such parameter here; did you mean"),
        ("a field", post_match(result(start_at=1), key=key), "start_at: There is no such field here; did you mean"),
        ("a mode in capitals", post_match(result(mode="Duel"), key=key),
         "mode: There is no mode 'Duel'; did you mean 'duel'? The modes are 6v6, duel."),
        ("a mode that is like none", post_match(result(mode="battle-royale"), key=key),
         "mode: There is no mode 'battle-royale'. The modes are 6v6, duel."),
        ("a mode of a filter", get("matches/?mode=6v5"), "mode: There is no mode '6v5'; did you mean '6v6'?"),
        ("a board", get("boards/dule/"), "There is no mode 'dule'; did you mean 'duel'?"),
        ("a queue", call("POST", "tickets/", {"mode": "duell", "player": "a"}, key=make_key("servers")),
         "mode: There is no mode 'duell'; did you mean 'duel'?"),
        ("a server's mode",
         call("PUT", "servers/me/", {"address": "x", "region": "eu", "modes": ["duell"], "capacity": 1},
              key=make_key("servers")),
         "modes[0]: There is no mode 'duell'; did you mean 'duel'?"),
    ]:  # fmt: skip
        with subtests.test(what=what):
            assert answer.body["detail"].startswith(says)


def test_a_bulk_of_unknown_modes_asks_for_them_once(django_assert_max_num_queries):
    make_mode()
    key = make_key()
    with django_assert_max_num_queries(12):
        answer = call(
            "POST", "matches/bulk/",
            {"matches": [result(id=str(number), mode=f"m{number}") for number in range(40)]}, key=key,
        )  # fmt: skip
    assert {one["status"] for one in answer.body["matches"]} == {400}
