"""Which players a key for some modes reaches, and that every call that names a player asks it."""

import pytest
from django.db.models import QuerySet
from pytest_django import DjangoAssertNumQueries

from matchmaking.models import Lobby, Party, Queue
from matchmaking.parties import parties
from ranking.models import Key, Mode, Player
from ranking.operations.keys import create_key, find_key
from ranking.players.reach import OutOfReach, check_key_reaches
from ranking.players.tokens import find_bearer
from tests.support.api import Answer, call, get, make_key, post_match, result
from tests.support.factories import NOW, record
from tests.support.matchmaking import form, make_queue, queue_up
from tests.support.savepoints import rolled_back

pytestmark = pytest.mark.django_db
SCOPES = ("players", "read", "servers", "results")
SENTENCE = "This key isn't for a mode that 'ladder' has played."


@pytest.fixture(autouse=True)
def duel() -> Mode:
    """The players `duel` and `ladder` have each played the mode of that name, `both` both, `new` none."""
    make_queue("duel")
    make_queue("ladder")
    record(["duel"], ["both"], mode="duel")
    record(["ladder"], ["both"], mode="ladder")
    Player.objects.create(key="new", name="new", search_name="new", created_at=NOW)
    return Mode.objects.get(slug="duel")


def player(key: str) -> Player:
    return Player.objects.get(key=key)


def key_for(*modes: Mode) -> Key:
    found = find_key(create_key("game", scopes=SCOPES, modes=modes, now=NOW), now=NOW)
    assert found is not None
    return found


@pytest.mark.parametrize(("who", "reached"), [("duel", True), ("both", True), ("new", True), ("ladder", False)])
def test_a_key_reaches_players_of_its_modes_and_newcomers(duel: Mode, who: str, reached: bool) -> None:
    key, ids = key_for(duel), [player(who).pk]
    if reached:
        check_key_reaches(key, ids)
    else:
        with pytest.raises(OutOfReach, match=SENTENCE):
            check_key_reaches(key, ids)
    check_key_reaches(key_for(), ids)


def test_one_of_many_is_enough(duel: Mode) -> None:
    everybody: QuerySet[Player, int] = Player.objects.values_list("pk", flat=True)
    with pytest.raises(OutOfReach, match=SENTENCE):
        check_key_reaches(key_for(duel), everybody)


def test_only_a_key_for_some_modes_costs_a_query(duel: Mode, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    ids = [player("duel").pk]
    for key, queries in ((key_for(duel), 1), (key_for(), 0)):
        with django_assert_num_queries(queries):
            check_key_reaches(key, ids)


def test_a_result_makes_a_player_one_of_the_mode(duel: Mode) -> None:
    secret = make_key(*SCOPES, modes=[duel])
    teams = [{"score": score, "players": [{"id": who}]} for who, score in (("ladder", 1), ("duel", 0))]
    assert call("POST", "players/ladder/token/", key=secret).status == 403
    assert post_match(result(teams=teams, duration=None), key=secret).status == 201
    assert call("POST", "players/ladder/token/", key=secret).status == 201


# --- every call by which a key names a player -------------------------------------------------------------------------


def ask(what: str, who: str, secret: str) -> Answer:
    if what == "ticket":
        return call("POST", "tickets/", {"mode": "duel", "player": who}, key=secret)
    return call("GET" if what == "conduct" else "POST", f"players/{who}/{what}/", key=secret)


def test_each_call_asks(duel: Mode, subtests: pytest.Subtests) -> None:
    for what, done in [("token", 201), ("claim-code", 201), ("conduct", 200), ("ticket", 201)]:
        for who in ["duel", "both", "new", "ladder"]:
            with subtests.test(what=what, who=who), rolled_back():
                answer = ask(what, who, make_key(*SCOPES, modes=[duel]))
                assert answer.status == (403 if who == "ladder" else done)
                if who == "ladder":
                    assert answer.body["detail"] == SENTENCE
                    assert ask(what, who, make_key(*SCOPES)).status == done


@pytest.mark.parametrize("what", ["token", "claim-code"])
def test_a_games_first_call_for_a_player_is_a_ticket_or_a_result(duel: Mode, what: str) -> None:
    secret = make_key(*SCOPES, modes=[duel])
    assert ask(what, "fresh", secret).status == 404
    assert ask("ticket", "fresh", secret).status == 201
    assert ask(what, "fresh", secret).status == 201


@pytest.mark.parametrize(("guest", "status"), [("both", 201), ("ladder", 403)])
def test_a_party_is_queued_if_each_of_its_members_is_reached(duel: Mode, guest: str, status: int) -> None:
    make_queue("pairs", size=2)
    leader, other = player("duel"), player(guest)
    parties.accept_invitation(parties.invite(other, by=leader, now=NOW), by=other, now=NOW)
    secret = make_key(*SCOPES, modes=[duel, Mode.objects.get(slug="pairs")])
    answer = call("POST", "tickets/", {"mode": "pairs", "party": Party.objects.get().pk}, key=secret)
    assert answer.status == status


@pytest.mark.parametrize(
    ("path", "own", "other"),
    [
        ("matches/?player=both&mode={}", 200, 403),
        ("players/both/history/?mode={}", 200, 403),
        ("boards/{}/", 200, 404),
    ],
)
def test_what_is_hidden_is_shown_of_its_modes_only(duel: Mode, path: str, own: int, other: int) -> None:
    Player.objects.update(hides_matches=True)
    Mode.objects.update(ranked=False)
    secret = make_key("ratings:hidden", modes=[duel])
    assert [get(path.format(slug), key=secret).status for slug in ("duel", "ladder")] == [own, other]
    assert get("matches/?player=both", key=secret).status == 403
    assert get("matches/?player=both", key=make_key("ratings:hidden")).status == 200


def test_ratings_are_revealed_of_its_modes_only(duel: Mode) -> None:
    Mode.objects.update(shows_rating=False)
    secret = make_key("ratings:hidden", modes=[duel])
    modes = {mode["mode"]: mode["live_rating"] for mode in get("players/both/", key=secret).body["modes"]}
    shows = {mode["slug"]: mode["shows"]["rating"] for mode in get("modes/", key=secret).body["items"]}
    assert ({slug: rating is not None for slug, rating in modes.items()}, shows) == (
        {"duel": True, "ladder": False}, {"duel": True, "ladder": False},
    )  # fmt: skip


# --- what a token of such a key may do --------------------------------------------------------------------------------

OUTSIDE = "This token's key isn't for the mode 'ladder'."


def token_by(*modes: Mode) -> str:
    answer = call("POST", "players/both/token/", key=make_key("players", modes=modes))
    return str(answer.body["token"])


def queue(mode: str, token: str) -> Answer:
    return call("POST", "tickets/", {"mode": mode}, key=token)


def test_a_token_queues_only_in_the_modes_of_its_key(duel: Mode) -> None:
    token = token_by(duel)
    refused = queue("ladder", token)
    assert (refused.status, refused.body["detail"]) == (403, OUTSIDE)
    assert queue("duel", token).status == 201


def test_a_token_reads_and_cancels_only_tickets_of_the_modes_of_its_key(duel: Mode) -> None:
    path = f"tickets/{queue('ladder', token_by()).body['id']}/"
    for method in ("GET", "DELETE"):
        assert call(method, path, key=token_by(duel)).body["detail"] == OUTSIDE
    assert call("DELETE", path, key=token_by()).status == 204


@pytest.mark.parametrize("act", ["", "seen/", "accept/", "decline/", "leave/"])
def test_a_token_acts_only_in_lobbies_of_the_modes_of_its_key(duel: Mode, act: str) -> None:
    ladder = Queue.objects.get(mode__slug="ladder")
    for who in ("both", "new"):
        queue_up(ladder, player(who), width=100)
    [lobby] = form(ladder)
    path, method = f"lobbies/{lobby.pk}/{act}", "POST" if act else "GET"
    refused = call(method, path, key=token_by(duel))
    assert (refused.status, refused.body["detail"]) == (403, OUTSIDE)
    assert Lobby.objects.get().state == lobby.state
    assert call(method, path, key=token_by()).status in (200, 409)


def test_a_token_of_a_key_for_every_mode_costs_no_query_more(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    token, holder = token_by(), player("both")
    with django_assert_num_queries(1):
        assert find_bearer(token) == (holder, None)
