"""The state machines of tickets and lobbies: all states and transitions, in one table each. From the matchmaking rules.

matchmaking.transitions makes a transition by a conditional update from the states that the table allows. The diagrams
in docs/matchmaking.md show these tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

WAITING, MATCHED, PLAYING, DONE = "waiting", "matched", "playing", "done"
CANCELLED, EXPIRED, REFUSED = "cancelled", "expired", "refused"
ACCEPTING, READY, LIVE, FINISHED, FORFEITED, LOST = "accepting", "ready", "live", "finished", "forfeited", "lost"
ABORTED = "aborted"


@dataclass(frozen=True, slots=True)
class StateMachine:
    """States and transitions. `steps`: by state, the states that may follow, each with the reason for the transition.

    A state without steps is an end.
    """

    start: str
    steps: Mapping[str, Mapping[str, str]]

    @property
    def states(self) -> tuple[str, ...]:
        return tuple(self.steps)

    @property
    def going_on(self) -> tuple[str, ...]:
        """The states that aren't an end."""
        return tuple(state for state, steps in self.steps.items() if steps)

    @property
    def ends(self) -> tuple[str, ...]:
        return tuple(state for state, steps in self.steps.items() if not steps)

    def sources(self, to: str) -> tuple[str, ...]:
        """The states from which there is a transition to this one."""
        return tuple(state for state, steps in self.steps.items() if to in steps)


TICKET = StateMachine(
    WAITING,
    {
        WAITING: {
            MATCHED: "the tick finds a match",
            CANCELLED: "taken back, or somebody leaves the party",
            EXPIRED: "waited too long",
            REFUSED: "a ban or a lockout begins",
        },
        MATCHED: {
            PLAYING: "the match begins",
            DONE: "the result comes",
            WAITING: "the lobby falls through",
            CANCELLED: "somebody on it drops out",
            EXPIRED: "somebody on it lets the match pass",
            REFUSED: "somebody on it declines",
        },
        PLAYING: {DONE: "the result comes, or the match is lost"},
        DONE: {},
        CANCELLED: {},
        EXPIRED: {},
        REFUSED: {},
    },
)

LOBBY = StateMachine(
    ACCEPTING,
    {
        ACCEPTING: {
            READY: "all accept, a server is claimed",
            FORFEITED: "all accept, somebody drops out before a server is free",
            CANCELLED: "declined, let pass, or no server is free",
        },
        READY: {
            LIVE: "the server starts the match",
            ACCEPTING: "the server fails, another one is looked for",
            FINISHED: "the result comes",
            FORFEITED: "somebody drops out",
            CANCELLED: "the server fails and there is no other one, or nobody comes",
            ABORTED: "the server or a moderator calls it off",
        },
        LIVE: {
            FINISHED: "the result comes",
            LOST: "no result in time, or its server forgot it",
            ABORTED: "the server or a moderator calls it off",
        },
        FINISHED: {},
        FORFEITED: {},
        CANCELLED: {},
        LOST: {},
        ABORTED: {},
    },
)
