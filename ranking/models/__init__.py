"""Models of the ledger: facts, what is derived from them, and what was published. Start with: match, rating, change."""

from ranking.models.abuse import AbuseRun, Complaint, ComplaintCase, DeviceUse, Finding
from ranking.models.access import JobRun, KeptAnswer, Key, SavedFilter, Source
from ranking.models.appeal import Appeal, CannedAnswer, Reopening
from ranking.models.ban import Ban, BanAct, BanLimit, BanProposal, PlayerWarning
from ranking.models.change import Change, ModeState
from ranking.models.conduct import AuditEntry, Hiding, Incident, Leaver, Pardon, PlayerNote, Renaming, Strike
from ranking.models.doubled import DoubledMatch
from ranking.models.evaluation import EvaluationRun, FitRun
from ranking.models.match import Event, Forfeit, Match, OutboxEntry, Participation, Passing
from ranking.models.mode import Mode
from ranking.models.player import STRANGER, AcceptedName, ClaimCode, Merge, Player, PlayerName, ReadAccess
from ranking.models.rating import Rating, Snapshot
from ranking.models.rerating import NextPlace, NextRating, ParameterVersion, Rerating
from ranking.models.season import ResetTable, Season, Seed
from ranking.models.void import Void

__all__ = [
    "STRANGER",
    "AbuseRun",
    "AcceptedName",
    "Appeal",
    "AuditEntry",
    "Ban",
    "BanAct",
    "BanLimit",
    "BanProposal",
    "CannedAnswer",
    "Change",
    "ClaimCode",
    "Complaint",
    "ComplaintCase",
    "DeviceUse",
    "DoubledMatch",
    "EvaluationRun",
    "Event",
    "Finding",
    "FitRun",
    "Forfeit",
    "Hiding",
    "Incident",
    "JobRun",
    "KeptAnswer",
    "Key",
    "Leaver",
    "Match",
    "Merge",
    "Mode",
    "ModeState",
    "NextPlace",
    "NextRating",
    "OutboxEntry",
    "ParameterVersion",
    "Pardon",
    "Participation",
    "Passing",
    "Player",
    "PlayerName",
    "PlayerNote",
    "PlayerWarning",
    "Rating",
    "ReadAccess",
    "Renaming",
    "Reopening",
    "Rerating",
    "ResetTable",
    "SavedFilter",
    "Season",
    "Seed",
    "Snapshot",
    "Source",
    "Strike",
    "Void",
]
