"""Random histories of a mode that learns from scores: the scalar face, columns, the ledger and replays agree."""

import random
from dataclasses import replace

import pytest

from ranking.models import Match, ModeState, Rating
from ranking.modes import invariants as mode_invariants
from ranking.modes.parameters import current_parameters, system_of
from ranking.rules.report import PlayerReport
from ranking.trials.histories import mode_history
from tests.ranking.matches.test_learning import doctor, reports
from tests.ranking.seasons.test_histories import HISTORIES, History, check
from tests.support.factories import NOW
from tests.support.past_matches import replay_chunks
from tests.support.replay import alike
from tests.support.reratings import rate_anew

pytestmark = pytest.mark.django_db


class LongHistory(History):
    """So many matches that the mode learns from several blocks; other acts are rarer."""

    ACTS = (
        ("drop_out", 0.06), ("void_or_restore", 0.08), ("merge", 0.02), ("publish", 0.05), ("request", 0.01),
        ("request_chronological", 0.01), ("close", 0.01), ("rerate", 0.06), ("end", 0.02),
    )  # fmt: skip


def with_leavers(sent, rng):
    """These results, in which some players left early."""

    def of(player):
        if rng.random() > 0.06:
            return player
        return PlayerReport(id=player.id, seconds=float(rng.randint(0, 600)), left_early=True)

    for report in sent:
        teams = tuple(replace(team, players=tuple(map(of, team.players))) for team in report.teams)
        yield replace(report, teams=teams, duration=600.0)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(HISTORIES))
def test_blocks_of_scored_matches_are_rated_anew_as_they_were_lived(seed):
    rng = random.Random(seed)
    history = LongHistory("margin", 3, seed)
    sent = reports(150, players=12, seed=seed)
    sent = [replace(report, ended_at=NOW) for report in with_leavers(sent, rng)]
    history.live(sent[:110])
    for act in ("drop_out", "void_or_restore", "rerate", "end"):  # each at least once
        getattr(history, act)()
    history.acts = [(act, chance) for act, chance in history.ACTS if act not in ("close", "end")]
    history.live(sent[110:])  # so the season that runs has matches
    mode = history.mode
    assert ModeState.objects.filter(number__gte=2).exists()
    assert Match.objects.filter(late=True).exists()
    check(history)  # the ledger is what the scalar face gives, and what a replay by columns gives
    assert list(mode_invariants.violations(NOW)) == []
    rate_anew(mode, chronological=True)
    check(history)
    mode.refresh_from_db()
    system = system_of(current_parameters(mode))
    # Now blocks are of exactly fifty, as those of an evaluation.
    evaluated = replay_chunks(system, mode_history(mode, until=10**9, size=40)).states
    lived = {str(row.player_id): row.state for row in Rating.objects.filter(mode=mode, season__current=True)}
    known = {player: state for (_, player), state in evaluated.items() if player in lived}
    in_season = {player: state for player, state in lived.items() if player in known}
    assert len(in_season) > 3
    assert alike(known, in_season)
    assert [violation.code for violation in doctor() if violation.code.startswith("learnt")] == []
