"""The batch face of rating systems: whole histories in NumPy, with the same results as match by match."""

from ranking.systems.batch.history import History, history_from, history_of
from ranking.systems.batch.replaying import Replayed, replay
from ranking.systems.batch.states import States, newcomers, states_of

__all__ = ["History", "Replayed", "States", "history_from", "history_of", "newcomers", "replay", "states_of"]
