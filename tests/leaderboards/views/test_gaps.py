"""How far others are: who follows on a board, the gaps to friends, and what comes next after a match."""

from collections.abc import Callable

import pytest
from django.test import Client

from leaderboards.boards.own import Target, Threat
from leaderboards.boards.pages import BoardPage
from leaderboards.people.following import follow_player
from ranking.models import Match, Mode, Player
from ranking.moderation.voids import restore, void
from ranking.standings.publishing import publish
from tests.support.factories import NOW, make_mode, record

pytestmark = pytest.mark.django_db


@pytest.fixture
def mode() -> Mode:
    """Ratings are a 1.20, b and c 1.10, d 1.05, z 1.00."""
    mode = make_mode(system="team-ratio")
    for winner, times in (("a", 4), ("b", 2), ("c", 2), ("d", 1)):
        for _ in range(times):
            record([winner], ["z"])
    publish(mode, now=NOW)
    return mode


def page_of(client: Client, path: str) -> BoardPage:
    page: BoardPage = client.get(path).context["page"]
    return page


def test_who_follows_whom_and_by_how_much(client: Client, log_in: Callable[[str], Player], mode: Mode) -> None:
    expected = {
        "a": (None, Threat(0, 2, "0.10", "b")),
        "b": (Target(1, "0.10"), Threat(1, 2, "")),
        "d": (Target(2, "0.05"), Threat(0, 5, "0.05", "z")),
        "z": (Target(4, "0.05"), None),
    }
    for key, (target, threat) in expected.items():
        log_in(key)
        own = page_of(client, f"/boards/{mode.slug}/").own
        assert own is not None
        assert (own.target, own.threat) == (target, threat), key
        home = client.get("/").context["home"].own[0]
        assert (home.target, home.threat and (home.threat.level, home.threat.points)) == (
            target,
            threat and (threat.level, threat.points),
        ), key


def test_a_mode_that_hides_ratings_tells_no_distance(
    client: Client, log_in: Callable[[str], Player], mode: Mode
) -> None:
    Mode.objects.update(shows_rating=False)
    log_in("a")
    own = page_of(client, f"/boards/{mode.slug}/").own
    assert own is not None
    assert (own.target, own.threat) == (None, None)


def test_gaps_to_friends(client: Client, log_in: Callable[[str], Player], mode: Mode) -> None:
    viewer = log_in("b")
    for key in "acd":
        follow_player(viewer, Player.objects.get(key=key), now=NOW)
    page = page_of(client, f"/boards/{mode.slug}/friends/")
    assert [(row.player.key, row.gap) for row in page.shown] == [
        ("a", "+0.10"),
        ("b", ""),
        ("c", "±0.00"),
        ("d", "−0.05"),
    ]
    assert [row.gap for row in page_of(client, f"/boards/{mode.slug}/").shown] == [""] * 5


def test_the_first_three_have_all_columns(client: Client, mode: Mode) -> None:
    text = " ".join(client.get(f"/boards/{mode.slug}/").text.split("</ol>")[0].split())
    assert [words in text for words in ("4 matches", "100 % won", ">W</i>", "<title>")] == [True] * 4


def test_what_comes_next_stands_in_the_players_own_card(
    client: Client, log_in: Callable[[str], Player], mode: Mode
) -> None:
    record(["d"], ["z"])
    publish(mode, now=NOW)
    match = Match.objects.latest("pk")
    assert client.get(f"/matches/{match.pk}/").context["next_steps"] is None
    log_in("d")
    steps = client.get(f"/matches/{match.pk}/").context["next_steps"]
    assert (steps.rank, steps.target, steps.threat) == (2, Target(1, "0.10"), Threat(2, 2, ""))
    assert "now rank" not in client.get(f"/matches/{match.pk}/").text
    record(["d2"], ["z"])  # others move: what is told is as of now, and says so
    for _ in range(4):
        record(["d2"], ["z"])
    publish(mode, now=NOW)
    assert "now rank <b>3</b>" in client.get(f"/matches/{match.pk}/").text
    earlier = Match.objects.filter(participations__player__key="d").earliest("pk")
    assert client.get(f"/matches/{earlier.pk}/").context["next_steps"] is None  # the board has the later one's rating
    void([match], by=None, reason="a test", now=NOW)
    assert client.get(f"/matches/{match.pk}/").context["next_steps"] is None
    restore([match], by=None, reason="a test", now=NOW)
    log_in("a")
    assert client.get(f"/matches/{match.pk}/").context["next_steps"] is None  # they didn't play
