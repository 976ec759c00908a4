"""What the clients do with a result by the answer to it, against a site that answers as it is told to."""

import json

import pytest

from tests.support.game_servers import GameServer, command_of, refused, spooled
from tests.support.scripted_site import Scripted, ScriptedSite
from tests.support.servers import free_port

TAKEN = Scripted(201)
BUSY = Scripted(429, headers={"Retry-After": "2"})
FORBIDDEN = Scripted(403, '{"detail": "The key is revoked."}', "application/problem+json")
PAGE = Scripted(200, "<h1>Welcome</h1>", "text/html")
MOVED = Scripted(301, headers={"Location": "/api/v1/matches/"})
BAD = {"type": "about:blank", "title": "Invalid request", "status": 400, "detail": "mode: There is no mode 'duël'."}


def results(*numbers):
    return [{"id": f"r{number}"} for number in numbers]


def ids(bodies):
    return [json.loads(body)["id"] for body in bodies]


def nobody():
    """An address at which nobody listens."""
    return f"http://127.0.0.1:{free_port()}"


@pytest.fixture
def spool(tmp_path):
    return tmp_path / "spool"


def send(start, url, items, **more):
    """What a game server says that sends these results and ends."""
    server = start(url, **more)
    assert server.read() == "open"
    assert [server.keep(item) for item in items] == [True] * len(items)
    return server.finish()


def test_what_is_taken_leaves_the_spool(start, spool):
    with ScriptedSite([Scripted(200), Scripted(201), Scripted(202)]) as site:
        assert send(start, site.url, results(1, 2, 3)) == ["sent"]
    assert [(method, path) for _, method, path, _ in site.calls] == [("POST", "/api/v1/matches/")] * 3
    assert (ids(site.bodies), spooled(spool)) == (["r1", "r2", "r3"], [])


def test_the_site_says_how_long_to_wait(start, spool):
    """Other failures are waited out for at most a second at first."""
    later = [Scripted(status, headers={"Retry-After": "2"}) for status in (429, 503)]
    with ScriptedSite([*later, TAKEN]) as site:
        assert send(start, site.url, results(1, 2)) == ["sent"]
    assert ids(site.bodies) == ["r1", "r1", "r1", "r2"]
    first, second, third, _ = (at for at, _, _, _ in site.calls)
    assert (second - first > 1.9, third - second > 1.9) == (True, True)


def test_a_site_that_says_not_to_wait_is_not_run_over(start, spool):
    with ScriptedSite([Scripted(429, headers={"Retry-After": "0"})] * 2 + [TAKEN]) as site:
        assert send(start, site.url, results(1)) == ["sent"]
    first, _, third = (at for at, _, _, _ in site.calls)
    assert third - first > 1.9


def test_other_failures_are_waited_out_longer_each_time(start, spool):
    with ScriptedSite([Scripted(500), Scripted(502, "<h1>Bad Gateway</h1>", "text/html"), TAKEN]) as site:
        assert send(start, site.url, results(1, 2)) == ["sent"]
    assert ids(site.bodies) == ["r1", "r1", "r1", "r2"]
    first, second, third, _ = (at for at, _, _, _ in site.calls)
    assert second - first > 0.45
    assert third - second > 0.95


def test_an_answer_that_was_cut_off_is_none(start, spool):
    with ScriptedSite([Scripted(201, "{", missing=99), Scripted(400, "{", missing=99), TAKEN]) as site:
        assert send(start, site.url, results(1)) == ["sent"]
    assert (ids(site.bodies), refused(spool)) == (["r1", "r1", "r1"], {})


def test_nobody_answers_and_the_next_start_sends_what_was_kept(start, spool):
    assert send(start, nobody(), results(1, 2), seconds=0.2) == ["waiting"]
    assert [json.loads((spool / name).read_text()) for name in spooled(spool)] == results(1, 2)
    with ScriptedSite([TAKEN]) as site:
        assert send(start, site.url, results(3)) == ["sent"]
    assert ids(site.bodies) == ["r1", "r2", "r3"]


def test_what_waiting_cannot_mend_is_put_aside_with_the_reason_and_the_rest_goes_on(start, spool):
    """A result of another mode as well."""
    problems = [{**BAD, "status": status} for status in (400, 409, 413, 414, 415, 422)]
    problems.append({"status": 403, "code": "other-mode", "detail": "This key isn't for the mode '6v6'."})
    bad = [Scripted(problem["status"], json.dumps(problem), "application/problem+json") for problem in problems]
    answers = [TAKEN, *(each for pair in zip(bad, [TAKEN] * len(bad), strict=True) for each in pair)]
    with ScriptedSite(answers) as site:
        assert send(start, site.url, results(*range(1, 16))) == ["sent"]
    assert ids(site.bodies) == [f"r{number}" for number in range(1, 16)]
    assert refused(spool) == {
        f"{number:012}.json": ({"id": f"r{number}"}, problem)
        for number, problem in zip(range(2, 16, 2), problems, strict=True)
    }


def test_a_page_that_refuses_is_kept_as_its_text(start, spool):
    with ScriptedSite([Scripted(413, '<h1>"Too" large</h1>', "text/html")]) as site:
        assert send(start, site.url, results(1)) == ["sent"]
    assert refused(spool) == {"000000000001.json": ({"id": "r1"}, {"status": 413, "detail": '<h1>"Too" large</h1>'})}


def test_a_reason_that_cannot_be_kept_keeps_no_result_back(start, spool):
    (spool / "refused" / "000000000001.problem.json").mkdir(parents=True)
    with ScriptedSite([Scripted(400), TAKEN]) as site:
        assert send(start, site.url, results(1, 2)) == ["sent"]
    assert ids(site.bodies) == ["r1", "r2"]
    assert sorted(path.name for path in (spool / "refused").iterdir() if path.is_file()) == ["000000000001.json"]


def test_numbers_go_on_after_what_was_refused(start, spool):
    with ScriptedSite([Scripted(400)]) as site:
        for number in (1, 2):
            assert send(start, site.url, results(number)) == ["sent"]
    assert list(refused(spool)) == ["000000000001.json", "000000000002.json"]


def test_what_was_mended_is_sent_again(start, spool):
    with ScriptedSite([Scripted(400), TAKEN]) as site:
        send(start, site.url, results(1))
        (spool / "refused" / "000000000001.json").rename(spool / "000000000001.json")
        assert send(start, site.url, results(2)) == ["sent"]
    assert ids(site.bodies) == ["r1", "r1", "r2"]


def test_what_was_put_into_the_spool_by_hand_is_not_overwritten(start, spool, tmp_path):
    mended = tmp_path / "mended.json"
    mended.write_text('{"id": "mended"}')
    with ScriptedSite([BUSY, TAKEN]) as site:
        server = start(site.url)
        assert server.read() == "open"
        mended.rename(spool / "000000000001.json")
        assert (server.keep({"id": "r1"}), server.finish()) == (True, ["sent"])
    assert ids(site.bodies) == ["mended", "mended", "r1"]


def test_a_wrong_key_or_address_stops_the_sending_and_keeps_everything(start, spool):
    stopped = {}
    for answer in (Scripted(401), FORBIDDEN, Scripted(404), MOVED, PAGE):
        with ScriptedSite([answer]) as site:
            said = send(start, site.url, [] if stopped else results(1, 2))
        stopped[answer.status] = (said, ids(site.bodies), site.calls[0][1])
    wanted = {status: (["waiting", f"stopped by {status}"], ["r1"], "POST") for status in (401, 403, 404, 301, 200)}
    assert stopped == wanted  # and a redirect isn't followed
    with ScriptedSite([TAKEN]) as site:
        assert send(start, site.url, []) == ["sent"]
    assert ids(site.bodies) == ["r1", "r2"]


def test_a_file_that_was_not_finished_is_thrown_away(start, spool):
    spool.mkdir()
    (spool / "000000000007.tmp").write_text('{"id": "r')
    with ScriptedSite([TAKEN]) as site:
        assert send(start, site.url, results(1)) == ["sent"]
    assert (ids(site.bodies), list(spool.glob("*.tmp"))) == (["r1"], [])


def test_a_spool_has_one_program(start, spool):
    with ScriptedSite([TAKEN]) as site:
        first = start(site.url)
        assert first.read() == "open"
        assert start(site.url).finish() == [f"Another program uses the spool {spool}."]
        first.kill()
        assert send(start, site.url, results(1)) == ["sent"]


def test_one_client_takes_over_what_the_other_kept(start, spool, tmp_path):
    assert send(start, nobody(), results(1, 2), seconds=0.2) == ["waiting"]
    with ScriptedSite([TAKEN]) as site:
        other = GameServer(command_of("python", tmp_path), site.url, "key", str(spool))
        assert other.finish() == ["open", "sent"]
        other.kill()
    assert ids(site.bodies) == ["r1", "r2"]
