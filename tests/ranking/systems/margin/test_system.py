"""Margin: its worked example, and what it promises players beyond what every system does."""

import random
import re
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.systems.base import Entrant, Refused, Result, Team
from ranking.systems.margin.learnt import BLOCK, Learnt, Luck, read_learnt, write_learnt
from ranking.systems.margin.skill import MarginSkill
from ranking.systems.margin.system import Margin
from ranking.systems.outlook import field_chances
from ranking.systems.shared.explanations import moved_by
from ranking.systems.shared.rules import effective_places
from ranking.systems.shared.staying import explanations_of
from tests.support.examples import examples
from tests.support.strategies import matches_of

MARGIN, IN_DEFEAT = Margin(), Margin(practice_in_defeat=True)
SCORES = st.one_of(st.integers(-5, 30), st.floats(-1e6, 1e6))
A, NEWCOMER = Entrant("a", MarginSkill(0.3, 0.2, 50), idle_days=1.0), Entrant("b", MARGIN.newcomer())


def duel(score, other, *, first=A, second=NEWCOMER, **more):
    return Result((Team((first,), score=score), Team((second,), score=other)), **more)


def scored(data, **knobs):
    """A random match with scores, which may speak against its places."""
    result = data.draw(matches_of("margin", **knobs))
    return replace(result, teams=tuple(replace(team, score=data.draw(SCORES)) for team in result.teams))


def pairs(result, rated):
    for team, skills in zip(result.teams, rated, strict=True):
        for player, skill in zip(team.players, skills, strict=True):
            yield team, player, skill


def test_the_worked_example():
    (winner,), (loser,) = MARGIN.rate(duel(10, 4))
    assert winner == pytest.approx((0.322021563150, 0.2, 51), abs=1e-11)
    assert loser == pytest.approx((-0.125036145845, 0.453727754029, 1), abs=1e-11)
    assert (MARGIN.display(winner), MARGIN.display(loser)) == (Decimal(1469), Decimal(1087))
    assert MARGIN.win_probability([[A], [NEWCOMER]])[0] == pytest.approx(0.679522687681, abs=1e-11)


def test_the_worked_example_is_explained():
    ((winner,), (loser,)) = explanations_of(MARGIN, duel(10, 4))
    notes = {reason.name: reason.note for reason in winner.reasons}
    assert notes["Surprise"] == "A win by 12 % of the points was expected; the result was a win by 43 %."
    assert "A loss by 12 % of the points was expected; the result was a loss by 43 %." in [
        reason.note for reason in loser.reasons
    ]


@examples(60)
@given(st.data())
def test_a_win_never_costs_and_a_defeat_never_raises_a_rating(data):
    result = MARGIN.attended(scored(data))
    places = effective_places(result, [team.place for team in result.teams])
    if min(places) == max(places):
        return
    placed = {id(team): place for team, place in zip(result.teams, places, strict=True)}
    for team, player, after in pairs(result, MARGIN.rate(result)):
        rise = MARGIN.display(after) - MARGIN.display(player.skill)
        if player.left_early or placed[id(team)] == max(places):
            assert rise <= 0
        elif placed[id(team)] == min(places):
            assert rise >= 0


@examples(60)
@given(st.data())
def test_practice_in_defeat_is_for_those_who_come_last_alone(data):
    result = MARGIN.attended(scored(data, leavers=False))
    places = [team.place for team in result.teams]
    rated, before = MARGIN.rate(result), IN_DEFEAT.rate(result)
    for (team, player, after), (*_, practised) in zip(pairs(result, rated), pairs(result, before), strict=True):
        if min(places) == max(places) or team.place < max(places):
            assert after == practised
        else:
            assert after.mu <= practised.mu
            gained = player.share * 0.4 * 15 / ((player.skill.matches + 15) * (player.skill.matches + 16))
            assert (practised.mu - after.mu, practised.sigma) == pytest.approx((gained, after.sigma), abs=1e-12)


@examples(60)
@given(st.data())
def test_a_win_never_costs_and_coming_last_brings_nothing_but_practice_in_defeat(data):
    result = scored(data, leavers=False)
    places = [team.place for team in result.teams]
    if min(places) == max(places):
        return
    for team, player, after in pairs(result, IN_DEFEAT.rate(result)):
        practised = 0.4 * 15 / ((player.skill.matches + 15) * (player.skill.matches + 16))
        if team.place == min(places):
            assert MARGIN.display(after) >= MARGIN.display(player.skill)
        elif team.place == max(places):
            assert after.mu <= player.skill.mu + practised + 1e-12
            assert MARGIN.display(after) <= MARGIN.display(player.skill) + round(400 * practised) + 1


def test_who_gains_practice_is_explained():
    ((winner,), (loser,)) = explanations_of(MARGIN, duel(10, 4))
    notes = [{reason.name: reason.note for reason in explained.reasons} for explained in (winner, loser)]
    assert notes[0]["Practice"] == "Everybody but those who come last improves by playing, less with each match."
    assert "Practice" not in notes[1]
    for (explained,) in explanations_of(IN_DEFEAT, duel(10, 4)):
        practice = [reason.note for reason in explained.reasons if reason.name == "Practice"]
        assert practice == ["Everybody improves by playing, less with each match."]


@examples(60)
@given(st.data())
def test_the_explanation_comes_to_the_change(data):
    result = scored(data)
    explained = MARGIN.explain(result)
    for (_, player, after), (_, _, factors) in zip(
        pairs(result, MARGIN.rate(result)), pairs(result, explained), strict=True
    ):
        moved = float(MARGIN.display(after) - MARGIN.display(player.skill))
        assert moved_by(factors) == pytest.approx(moved, abs=1.01)


@examples(60)
@given(st.data())
def test_leaving_is_never_better_than_coming_last_with_any_statistic(data):
    system = Margin(impact_stat="score", staying_is_better=True)
    result = scored(data, leavers=False)
    statistics = st.floats(-100, 100)
    result = replace(
        result,
        duration=600.0,
        teams=tuple(
            replace(team, players=tuple(replace(p, stats={"score": data.draw(statistics)}) for p in team.players))
            for team in result.teams
        ),
    )
    last = 1 + max(team.place for team in result.teams)
    first, *others = result.teams
    own, *mates = first.players
    # With all seconds of the match they have stayed.
    leaves = replace(own, left_early=True, seconds=data.draw(st.floats(0, 600, exclude_max=True)))
    left = replace(result, teams=(replace(first, players=(leaves, *mates)), *others))
    stays = replace(own, seconds=None, stats={"score": data.draw(statistics)})  # to the end
    stayed = replace(result, teams=(replace(first, players=(stays, *mates), place=last), *others))
    assert system.display(system.rate(left)[0][0]) <= system.display(system.rate(stayed)[0][0])


@pytest.mark.parametrize("score", [1, 10, 1000, 10**9])
def test_no_score_is_worth_more_than_two_and_a_half_typical_margins(score):
    one, other = Entrant("a", MarginSkill(0, 1000, 50)), Entrant("b", MarginSkill(0, 0.01, 50))
    (winner,), _ = Margin(sigma=1000.0).rate(duel(score, 0, first=one, second=other))
    assert 0 < winner.mu <= 2.5 + 0.01  # practice


def test_practice_brings_what_the_parameters_say():
    """Draws of equals tell nothing else: half of 0.4 after fifteen matches."""
    skill, means = MARGIN.newcomer(), []
    for _ in range(1500):
        (skill,), _ = MARGIN.rate(duel(3, 3, first=Entrant("a", skill), second=Entrant("b", skill)))
        means.append(skill.mu)
    assert (means[14], means[-1]) == pytest.approx((0.2, 0.4 * 1500 / 1515), abs=1e-9)


def test_a_mode_learns_in_blocks_of_fifty():
    chance, system = random.Random(1), MARGIN
    states = [system.learning]
    for _ in range(2 * BLOCK):
        system = system.after(duel(chance.randint(0, 30), chance.randint(0, 30), variant="Slayer"))
        states.append(system.learning)
    values = [(state.noise, state.slope, state.margins) for state in states]
    assert [number for number in range(1, 2 * BLOCK + 1) if values[number] != values[number - 1]] == [50, 100]
    assert states[-1].typical_square("Slayer", 1.5) != states[0].typical_square("Slayer", 1.5) == 2.25
    assert states[-1].typical_square("Flag", 1.5) == 2.25
    assert [state.block.n for state in states[:3]] == [0, 1, 2]


def test_a_mode_that_does_not_adapt_learns_nothing():
    system = Margin(adapt=False)
    assert system.after(duel(9, 3)) is system


def test_learnt_values_bear_json():
    system = MARGIN.after(duel(9, 3, variant="Flag"))
    assert read_learnt(write_learnt(system.learning), "mode_state") == system.learning


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"slope": 7}, "mode_state.slope"),
        ({"noise": "much"}, "mode_state.noise"),
        ({"margins": {"Flag": [1]}}, "mode_state.margins.Flag"),
        ({"margins": {"Flag": [-1, 2]}}, "mode_state.margins.Flag[0]"),
        ({"block": {"n": 50, "ed": 0, "dd": 0, "g": 0, "i": 0, "margins": {}}}, "mode_state.block.n"),
        ({"surprise": 1}, "mode_state"),
    ],
)
def test_learnt_values_that_are_refused(change, field):
    with pytest.raises(Refused) as refused:
        read_learnt({**write_learnt(Learnt(1.85)), **change}, "mode_state")
    assert refused.value.path == field


def lucky(**learnt):
    return Margin(luck=True).with_learning(Learnt(1.85, luck=Luck(**learnt)))


def field(places):
    return Result(tuple(Team((Entrant(str(number), MARGIN.newcomer()),), place) for number, place in enumerate(places)))


def test_a_shared_last_place_counts_as_far_as_it_is_no_luck():
    tied = field([1, 2, 3, 4, 5, 5])
    all_luck, half, none = (lucky(share=share, shared=3, fields=10) for share in (1.0, 0.5, 0.0))
    (loss,), (of_half,), (unmoved,) = (system.rate(tied)[-1] for system in (none, half, all_luck))
    assert loss.mu < of_half.mu < unmoved.mu == 0.0
    assert unmoved.sigma == 0.5
    assert none.rate(tied) == Margin().rate(tied)
    assert [each.luck_of_pairs for each in (all_luck, half, none, Margin())] == [0.3, 0.15, 0.0, 0.0]


def test_luck_needs_a_field_without_scores():
    system = lucky(share=1.0, shared=3, fields=10)
    four, all_tie = field([1, 2, 3, 3]), field([1] * 6)
    scored = Result(tuple(replace(team, score=-float(team.place)) for team in field([1, 2, 3, 4, 5, 5]).teams))
    for result in (four, all_tie, scored):
        assert system.rate(result) == Margin().rate(result)
    alone = field([1, 2, 3, 4, 5, 6])
    assert Margin().rate(alone)[-1][0].mu < system.rate(alone)[-1][0].mu < 0


def test_chances_in_a_field_are_as_even_as_luck_makes_them():
    players = [[Entrant(str(number), MarginSkill(mu, 0.1, 30))] for number, mu in enumerate((1.0, 0, 0, 0, 0, -1))]
    sure, even = field_chances(Margin(), players), field_chances(lucky(share=1.0, shared=1, fields=1), players)
    assert sure[0] > 0.25
    assert even == pytest.approx([1 / 6] * 6)
    assert field_chances(lucky(share=1.0, shared=1, fields=1), players[:4]) == field_chances(Margin(), players[:4])


def test_why_a_last_place_counted_less():
    *_, ((*_, factor),) = lucky(share=0.75, shared=3, fields=10).explain(field([1, 2, 3, 4, 5, 5]))
    assert (factor.kind, factor.value) == ("share", 0.25)
    assert "bad luck" in factor.note


@pytest.mark.parametrize("matches", [4, 5, 30, 49])
def test_a_mode_that_begins_to_learn_about_luck_writes_what_it_reads(matches):
    plain = Margin()
    for _ in range(matches):
        plain = plain.after(field([1, 2, 3, 4, 5, 5]))
    state = Margin(luck=True).with_mode_state(plain.mode_state(), "mode_state").mode_state()
    assert Margin(luck=True).with_mode_state(state, "mode_state").mode_state() == state
    assert (state["block"]["n"], state["luck"]["matches"]) == (matches, 0)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"share": 1.5}, "mode_state.luck.share"),
        ({"shared": [1]}, "mode_state.luck.shared"),
        ({"matches": -1}, "mode_state.luck.matches"),
        ({"more": 1}, "more"),
    ],
)
def test_bad_learnt_luck_is_refused(changed, sentence):
    state = lucky(share=0.5).mode_state()
    assert Margin(luck=True).with_mode_state(state, "mode_state").mode_state() == state
    with pytest.raises(Refused, match=re.escape(sentence)):
        Margin(luck=True).with_mode_state(state | {"luck": state["luck"] | changed}, "mode_state")
    with pytest.raises(Refused, match="parameter luck"):
        Margin().with_mode_state(state, "mode_state")
    plain = Margin().mode_state()
    assert "luck" not in plain
    assert "luck" not in plain["block"]
    assert Margin(luck=True).with_mode_state(plain, "mode_state").learning.luck == Luck()
