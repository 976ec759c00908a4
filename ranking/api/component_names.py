"""Names of the schema's components as generated clients read them, and components for what all calls share.

A class in a generated client stands alone, so its name says without a module around it what it is: `BoardRow`, not
`Row`.
"""

import json
from collections.abc import Iterator
from itertools import product
from typing import Any

NAMES = {
    "ActRequest": "ModeratorAct",
    "Answer": "RateAnswer",
    "AnswerOrError": "RateAnswerOrError",
    "AnswerPlayer": "RateAnswerPlayer",
    "Answers": "RateAnswers",
    "AnswerTeam": "RateAnswerTeam",
    "AuditEntry": "AuditLine",
    "BalanceEnum": "LobbyBalance",
    "Bar": "QueueRestriction",
    "BarReasonEnum": "QueueRestrictionReason",
    "BulkRequest": "BulkResults",
    "Change": "MatchChange",
    "Companion": "PartyCompanion",
    "Conduct": "PlayerConduct",
    "Corrected": "CorrectedMatch",
    "CorrectedResultRequest": "CorrectedResult",
    "CorrectionRequest": "MatchCorrection",
    "Erased": "ErasedPlayer",
    "EraseRequest": "Erasure",
    "Estimate": "WaitEstimate",
    "ExtendRequest": "LongerBan",
    "Finish": "MatchFinish",
    "Hidden": "HiddenPlayer",
    "Host": "LobbyServer",
    "Invited": "InvitedPlayer",
    "KindEnum": "HistoryKind",
    "Known": "KnownPlayer",
    "LinePlayerRequest": "RateLinePlayer",
    "LineRequest": "RateLine",
    "LinesRequest": "RateLines",
    "LineTeamRequest": "RateLineTeam",
    "Lineup": "MatchTeam",
    "MatchScoresRequest": "RunningMatch",
    "Member": "PartyMember",
    "ModeSettingsRequest": "NewModeSettings",
    "Move": "NumberMove",
    "NullEnum": "NullValue",
    "Part": "MatchPlayer",
    "Person": "PlayerName",
    "PlayerNamedRequest": "NamedPlayer",
    "PlayerRequest": "ResultPlayer",
    "QueueSettingsRequest": "NewQueueSettings",
    "Rated": "RateResponse",
    "RateRequest": "RateRequest",
    "Reason": "RatingReason",
    "Recorded": "RecordedMatch",
    "RecordedItem": "BulkRecordedMatch",
    "ReportRequest": "MatchResult",
    "Row": "BoardRow",
    "SeasonLine": "ListedSeason",
    "SeasonLineStateEnum": "SeasonState",
    "Seat": "PostGamePlayer",
    "ServerRequestRequest": "Heartbeat",
    "ShortenRequest": "ShorterBan",
    "Shown": "ModeVisibility",
    "Side": "PostGameTeam",
    "StakedOutcomeEnum": "MarginOutcome",
    "StartRequest": "PresentPlayers",
    "StateEnum": "MatchState",
    "Step": "HistoryEntry",
    "SystemEnum": "RatingSystem",
    "TeamRequest": "ResultTeam",
    "Test": "TestData",
    "TicketRequestRequest": "NewTicket",
    "Token": "PlayerToken",
    "Voided": "VoidedMatch",
    "Warning": "PlayerWarning",
    "Window": "RankWindow",
    "You": "LobbyViewer",
}
# The refusals that calls share, as components.
RESPONSES = {
    "400": "BadRequest",
    "401": "Unauthorized",
    "403": "Forbidden",
    "404": "NotFound",
    "408": "RequestTimeout",
    "409": "Conflict",
    "413": "BodyTooLarge",
    "414": "AddressTooLong",
    "415": "NotJson",
    "422": "KeyReused",
    "429": "TooManyRequests",
    "503": "Unavailable",
}
_SCHEMAS, _RESPONSES = "#/components/schemas/", "#/components/responses/"


def name_components(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Give each component its name in generated code: a postprocessing hook of drf-spectacular."""
    schemas = result["components"]["schemas"]
    names = {old: _name_of(old, schemas) for old in schemas}
    for node in _objects(result):
        if str(node.get("$ref", "")).startswith(_SCHEMAS):
            node["$ref"] = _SCHEMAS + names[node["$ref"].removeprefix(_SCHEMAS)]
    result["components"]["schemas"] = {names[old]: schemas[old] for old in sorted(schemas, key=names.__getitem__)}
    return result


def _name_of(old: str, schemas: dict[str, Any]) -> str:
    """The name in NAMES; else the old one without Request or Enum, if that says nothing else."""
    short = old.removesuffix("Request").removesuffix("Enum")
    return NAMES.get(old) or (short if short not in schemas and short not in NAMES.values() else old)


def share_refusals(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Make a component of each refusal as most calls that read, or that write, have it.

    A postprocessing hook of drf-spectacular. Some refusals of writes have other headers than those of reading calls.
    """
    shared: dict[str, Any] = {}
    for (status, name), of_reads in product(RESPONSES.items(), (True, False)):
        having = [
            operation["responses"]
            for path in result["paths"].values()
            for method, operation in path.items()
            if status in operation["responses"] and (method == "get") is of_reads
        ]
        texts = [json.dumps(answers[status], sort_keys=True) for answers in having]
        for text in texts and [max(sorted(set(texts)), key=texts.count)]:
            answer = json.loads(text)
            if shared.setdefault(name, answer) != answer:
                name = f"{name}ToWrite"
                shared[name] = answer
            for answers, own in zip(having, texts, strict=True):
                if own == text:
                    answers[status] = {"$ref": _RESPONSES + name}
    result["components"]["responses"] = dict(sorted(shared.items()))
    return result


def _objects(node: Any) -> Iterator[dict[str, Any]]:
    """Yield every JSON object in a value."""
    if isinstance(node, dict):
        yield node
    for inner in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from _objects(inner)
