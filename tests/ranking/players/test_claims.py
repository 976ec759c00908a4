"""Claiming a player: by a code of the game's, once, by one account, for a quarter of an hour."""

import datetime as dt
import re

import pytest
from django.contrib.auth.models import User

from ranking.models import ClaimCode, Player
from ranking.operations.keys import create_key, find_key, revoke_key
from ranking.players.claims import ALPHABET, ClaimRefused, claim_player, issue_claim_code, release_player
from tests.support.concurrency import at_once
from tests.support.factories import NOW

UNKNOWN = "This code isn’t known. It may have expired or been used: ask the game for a new one."


def make_player(key: str = "p1", name: str = "Kestrel") -> Player:
    return Player.objects.create(key=key, name=name, search_name=name.lower(), created_at=NOW)


def issue(player: Player, now: dt.datetime = NOW) -> str:
    return issue_claim_code(player, now=now).code


def claim(code: str, user: str, now: dt.datetime = NOW) -> str:
    """The claimed player's name, or the sentence that refuses."""
    account, _ = User.objects.get_or_create(username=user)
    try:
        return claim_player(code, by=account, now=now).name
    except ClaimRefused as refused:
        return str(refused)


def owners() -> dict[str, str | None]:
    return dict(Player.objects.values_list("key", "user__username"))


@pytest.mark.django_db
class TestOne:
    def test_a_code_is_short_and_kept_nowhere(self):
        code = issue(make_player())
        assert re.fullmatch(f"[{ALPHABET}]{{4}}-[{ALPHABET}]{{4}}", code)
        assert code.replace("-", "") not in str(ClaimCode.objects.values().get())

    def test_a_code_ends_when_a_key_is_revoked(self):
        """Whoever stole a key may have got codes with it."""
        code = issue(make_player())
        key = find_key(create_key("game", scopes=["players"], now=NOW), now=NOW)
        assert key is not None
        revoke_key(key, now=NOW)
        assert claim(code, "fox") == UNKNOWN
        code = issue(Player.objects.get())
        assert revoke_key(key, now=NOW) is False
        assert claim(code, "fox") == "Kestrel"

    @pytest.mark.parametrize("typed", [str, str.lower, lambda code: f" {code.replace('-', ' ')} "])
    def test_a_code_claims_its_player_however_typed(self, typed):
        assert claim(typed(issue(make_player())), "fox") == "Kestrel"
        assert owners() == {"p1": "fox"}

    @pytest.mark.parametrize(("minutes", "said"), [(0, "Kestrel"), (14, "Kestrel"), (15, UNKNOWN), (60, UNKNOWN)])
    def test_for_fifteen_minutes(self, minutes, said):
        assert claim(issue(make_player()), "fox", NOW + dt.timedelta(minutes=minutes)) == said

    def test_once(self):
        player = make_player()
        code = issue(player)
        assert claim(code, "fox") == "Kestrel"
        release_player(player)
        assert claim(code, "owl") == UNKNOWN

    def test_a_new_code_replaces_the_last(self):
        player = make_player()
        first, second = issue(player), issue(player)
        assert [claim(first, "fox"), claim(second, "fox")] == [UNKNOWN, "Kestrel"]

    @pytest.mark.parametrize("code", ["", "x", "AAAA-AAAA", "é" * 500, "\0"])
    def test_what_is_no_code(self, code):
        make_player()
        assert claim(code, "fox") == UNKNOWN

    def test_a_player_of_another_account_stays_theirs(self):
        player = make_player()
        claim(issue(player), "fox")
        code = issue(player)
        assert claim(code, "owl") == (
            "Kestrel belongs to another account. If that’s you, log in with it; if not, ask a moderator."
        )
        assert (owners(), release_player(player)) == ({"p1": "fox"}, True)
        assert claim(code, "owl") == "Kestrel"  # a refusal doesn't use the code up

    def test_an_account_has_one_player(self):
        claim(issue(make_player()), "fox")
        other = make_player("p2", "Wren")
        code = issue(other)
        assert claim(code, "fox") == "Your account has a player already: Kestrel. An account has one."
        assert claim(code, "owl") == "Wren"

    def test_releasing_what_nobody_owns(self):
        assert release_player(make_player()) is False


@pytest.mark.django_db(transaction=True)
class TestManyAtOnce:
    def test_of_eight_accounts_with_one_code_one_gets_the_player(self):
        code = issue(make_player())
        for number in range(8):
            User.objects.create(username=f"fox{number}")
        said = at_once([lambda number=number: claim(code, f"fox{number}") for number in range(8)])
        assert sorted(said) == sorted(["Kestrel", *[UNKNOWN] * 7])
        assert owners()["p1"] == f"fox{said.index('Kestrel')}"

    def test_of_eight_codes_one_account_gets_one_player(self):
        User.objects.create(username="fox")
        codes = [issue(make_player(f"p{number}", f"Kestrel {number}")) for number in range(8)]
        said = at_once([lambda code=code: claim(code, "fox") for code in codes])
        (got,) = [one for one in said if one.startswith("Kestrel")]
        assert set(said) - {got} == {f"Your account has a player already: {got}. An account has one."}
        assert (ClaimCode.objects.count(), Player.objects.filter(user__username="fox").get().name) == (7, got)

    def test_eight_codes_issued_at_once_leave_one_that_works(self):
        player = make_player()
        codes = at_once([lambda: issue(player)] * 8)
        assert ClaimCode.objects.count() == 1
        assert [claim(code, "fox") for code in codes].count("Kestrel") == 1
