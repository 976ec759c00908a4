"""What staff may do, in the product's words: each act is one line of a form, and gives one permission or several.

A permission stands in one line. Permissions that no line has lead to nothing on this site, such as deleting matches:
they are offered to nobody, and whoever has one keeps it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Right:
    """An act as a line of the form. `permissions`: by app and codename, "ranking.add_ban"; all are needed."""

    key: str
    words: str
    permissions: frozenset[str]


def _right(key: str, words: str, app: str, permissions: str, **others: str) -> Right:
    """A line; `permissions`: codenames in `app`. `others`: codenames in other apps."""
    names = {app: permissions, **others}
    return Right(key, words, frozenset(f"{app}.{name}" for app, text in names.items() for name in text.split()))


SECTIONS: dict[str, tuple[Right, ...]] = {
    "Conduct": (
        _right(
            "see-conduct",
            "See leavers, incidents, bans and warnings",
            "ranking",
            "view_leaver view_incident view_ban view_banproposal view_playerwarning",
        ),
        _right("pardon", "Pardon incidents, and revoke pardons", "ranking", "pardon_incident"),
        _right("warn", "Warn players, and withdraw warnings", "ranking", "add_playerwarning"),
        _right("ban", "Ban players, and decide about proposed bans", "ranking", "add_ban"),
        _right("propose", "Propose bans", "ranking", "add_banproposal"),
        _right("extend", "Extend and shorten bans", "ranking", "extend_ban"),
        _right("lift", "Lift bans, and put them in force again", "ranking", "lift_ban"),
        _right("see-notes", "Read notes on players", "ranking", "view_playernote"),
        _right("note", "Write and withdraw notes on players", "ranking", "add_playernote"),
        _right("see-appeals", "See appeals", "ranking", "view_appeal"),
        _right("appeals", "Decide, assign and reopen appeals", "ranking", "decide_appeal"),
        _right("see-answers", "See canned answers", "ranking", "view_cannedanswer"),
        _right("answers", "Keep canned answers", "ranking", "add_cannedanswer change_cannedanswer"),
        _right("see-abuse", "See abuse reports", "ranking", "view_finding", matchmaking="view_unreportedloss"),
        _right("abuse", "Review abuse reports", "ranking", "change_finding"),
        _right("see-reports", "See what players report", "ranking", "view_complaint view_complaintcase"),
        _right("reports", "Uphold and dismiss what players report", "ranking", "change_complaintcase"),
        _right("see-log", "See the audit log", "ranking", "view_auditentry"),
        _right("export-log", "Export the audit log", "ranking", "export_auditentry"),
    ),
    "Matches": (
        _right(
            "see-matches",
            "See matches and ratings",
            "ranking",
            "view_match view_rating view_change view_event view_snapshot view_rerating",
        ),
        _right("void", "Void, restore and correct matches", "ranking", "add_void"),
        _right("results", "Add results by hand", "ranking", "add_match"),
        _right("see-doubled", "See alike and overlapping matches", "ranking", "view_doubledmatch"),
        _right("doubled", "Decide about alike and overlapping matches", "ranking", "change_doubledmatch"),
    ),
    "Players": (
        _right(
            "see-players",
            "See players and their pictures",
            "ranking",
            "view_player view_merge",
            leaderboards="view_avatar",
        ),
        _right("hide", "Hide players, former names and pictures; mark bots", "ranking", "hide_player"),
        _right("rename", "Rename players, and lock their names", "ranking", "rename_player"),
        _right("players", "Change players: logins, names, merging, anonymising", "ranking", "change_player"),
    ),
    "Modes and seasons": (
        _right("see-modes", "See modes and seasons", "ranking", "view_mode view_parameterversion view_season"),
        _right("add-modes", "Add modes", "ranking", "add_mode"),
        _right("modes", "Change modes, end seasons, evaluate, rate anew", "ranking", "change_mode"),
        _right("see-strikes", "See strikes from archived seasons", "ranking", "view_strike"),
        _right("strike", "Strike players from archived seasons", "ranking", "strike_rating"),
    ),
    "Matchmaking": (
        _right(
            "see-queues",
            "See queues, tickets, parties, lobbies and servers",
            "matchmaking",
            "view_queue view_ticket view_party view_lobby view_server view_formed",
        ),
        _right("tickets", "Take tickets out of queues", "matchmaking", "change_ticket"),
        _right("lobbies", "Call lobbies off", "matchmaking", "change_lobby"),
        _right("servers", "Set right what servers say, and end their rest", "matchmaking", "change_server"),
        _right("queues", "Add and change queues", "matchmaking", "add_queue change_queue"),
    ),
    "Operations": (
        _right("see-keys", "See senders and API keys", "ranking", "view_source view_key"),
        _right("sources", "Add and change senders", "ranking", "add_source change_source"),
        _right("keys", "Make, rotate and revoke API keys", "ranking", "add_key change_key"),
        _right("see-webhooks", "See webhooks and their messages", "leaderboards", "view_webhook view_delivery"),
        _right("webhooks", "Add and change webhooks", "leaderboards", "add_webhook change_webhook"),
        _right("deliveries", "Send messages of webhooks again", "leaderboards", "change_delivery"),
        _right("see-outbox", "See work that waits", "ranking", "view_outboxentry"),
        _right("outbox", "Try work that was given up again", "ranking", "change_outboxentry"),
    ),
    "Accounts": (
        _right("see-accounts", "See accounts and roles", "auth", "view_user view_group"),
        _right("accounts", "Add and change accounts of players", "auth", "add_user change_user"),
        _right("delete-accounts", "Delete accounts of players", "auth", "delete_user"),
        _right("see-addresses", "See mail addresses", "account", "view_emailaddress"),
        _right(
            "addresses",
            "Add, change and delete mail addresses",
            "account",
            "add_emailaddress change_emailaddress delete_emailaddress",
        ),
        _right(
            "see-logins",
            "See log-ins at other sites and second factors",
            "mfa",
            "view_authenticator",
            socialaccount="view_socialaccount",
        ),
        _right(
            "logins",
            "Delete log-ins at other sites and second factors",
            "mfa",
            "delete_authenticator",
            socialaccount="delete_socialaccount",
        ),
    ),
}
RIGHTS = {right.key: right for rights in SECTIONS.values() for right in rights}


def held_rights(permissions: Collection[str]) -> set[str]:
    """The keys of the lines whose permissions are all among these."""
    return {key for key, right in RIGHTS.items() if right.permissions <= set(permissions)}


def beside(permissions: Collection[str]) -> list[str]:
    """Those of these permissions that no held line has: of no line, or of a line of which others are missing."""
    told = permissions_of(held_rights(permissions))
    return sorted(name for name in permissions if name not in told)


def permissions_of(keys: Iterable[str]) -> set[str]:
    """All permissions of these lines."""
    return {name for key in keys for name in RIGHTS[key].permissions}


def held_by_section(permissions: Collection[str]) -> Iterator[tuple[str, list[Right]]]:
    """Yield each section of which there are lines among these permissions, with these lines."""
    held = held_rights(permissions)
    for section, rights in SECTIONS.items():
        if lines := [right for right in rights if right.key in held]:
            yield section, lines
