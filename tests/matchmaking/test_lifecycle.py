"""The table of lives, its pictures in the docs, and that no step is taken that isn't in it."""

import re

import pytest

from matchmaking import lifecycle
from matchmaking.transitions import transition_lobby
from tests.support.matchmaking import accept_all, later, make_lobby, make_queue
from tests.support.paths import ROOT

DOCS = ROOT / "docs" / "matchmaking.md"


def diagram(machine: lifecycle.StateMachine) -> str:
    """A state machine in Mermaid."""
    steps = [f"{state} --> {to}: {why}" for state, steps in machine.steps.items() for to, why in steps.items()]
    lines = [f"[*] --> {machine.start}", *steps, *(f"{state} --> [*]" for state in machine.ends)]
    return "\n    ".join(["stateDiagram-v2", *lines])


def test_the_docs_draw_the_tables():
    drawn = re.findall(r"```mermaid\n(.*?)\n```", DOCS.read_text(), re.DOTALL)
    assert drawn == [diagram(lifecycle.TICKET), diagram(lifecycle.LOBBY)]


@pytest.mark.parametrize("life", [lifecycle.TICKET, lifecycle.LOBBY])
def test_every_state_is_reached_and_leads_to_an_end(life):
    assert {to for steps in life.steps.values() for to in steps} | {life.start} == set(life.states)
    assert all(to in life.states for steps in life.steps.values() for to in steps)
    reached = {life.start}
    for _ in life.states:
        reached |= {to for state in reached for to in life.steps[state]}
    assert reached == set(life.states)


@pytest.mark.django_db
@pytest.mark.parametrize("to", [lifecycle.LIVE, lifecycle.FINISHED, lifecycle.LOST])
def test_a_step_that_isnt_in_the_table_does_nothing(to):
    lobby, _ = make_lobby(make_queue())
    assert (
        transition_lobby(lobby, to, now=later(2)) is False if to != lifecycle.LIVE else not transition_lobby(lobby, to)
    )
    assert accept_all(lobby).state == lifecycle.READY
