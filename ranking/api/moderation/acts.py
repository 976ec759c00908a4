"""What moderators and administrators do and read by API: a row for each call, in the name of an account of the staff.

Beside it, `matches` corrects a match, `players` erases a player, and their own modules close lobbies, set queues and
export players.
"""

from functools import partial

from ranking.api.moderation import (
    appeals,
    audit,
    ban_proposals,
    bans,
    incidents,
    matches,
    modes,
    notes,
    parameters,
    players,
    warnings,
)
from ranking.api.moderation.authors import StaffActSerializer
from ranking.api.moderation.calls import ActCall, GetCall, ListCall, of_player
from ranking.moderation.appeals import decide_appeals
from ranking.moderation.ban_proposals import (
    confirm_proposals,
    refuse_proposals,
    reopen_proposals,
    withdraw_proposals,
)
from ranking.moderation.notes import add_notes, warn_players, withdraw_notes, withdraw_warnings
from ranking.moderation.renaming import RenameRefused, rename_player, reset_names, undo_renamings, unlock_names
from ranking.moderation.restoring import RestoreRefused
from ranking.moderation.sanctions import (
    ban_players,
    extend_bans,
    hide_players,
    lift_bans,
    pardon_incidents,
    shorten_bans,
    show_players,
)
from ranking.moderation.undoing import reopen_appeals, resume_bans, take_back_pardons
from ranking.moderation.voids import restore, void
from ranking.modes.changes import ModeBusy

_APPEAL = "Sent again, it changes nothing. The author needs the right to decide appeals."
_DECIDED = (
    "If it was decided before, nothing changes, and the answer says by whom and how. The author needs the right to ban"
    " for as long, and isn't who proposed it: 403."
)
_ALIKE = "Sent again, it changes nothing and is answered alike."

_RENAMING = "Sent again, it changes nothing. The author needs the right to rename players."

CALLS = [
    ListCall(
        path="players/<player_key:id>/bans/",
        name="bans",
        operation_id="list_bans",
        summary="A player's bans, the newest first",
        description="With those that are over or lifted. The author needs the right to see bans.",
        right="ranking.view_ban",
        of=bans.BAN,
        rows=of_player(bans.BANS),
        page="BanPage",
    ),
    ActCall(
        path="players/<player_key:id>/bans/",
        name="bans",
        operation_id="ban_player",
        summary="Ban a player",
        description=(
            "From queues at once, from boards with the next publication; for so many days or hours, or until it is"
            " lifted. A player may have several bans, and those that run go on running. A player who has left for"
            " good can't be banned: 409. The author needs the right to ban, for as long: 403."
        ),
        right="ranking.add_ban",
        of=players.PLAYER,
        function=ban_players,
        makes=bans.BAN,
        body=bans.NewBanSerializer,
    ),
    GetCall(
        path="bans/<int:number>/",
        name="ban",
        operation_id="get_ban",
        summary="A ban",
        description="By its number. The author needs the right to see bans.",
        right="ranking.view_ban",
        of=bans.BAN,
    ),
    ActCall(
        path="bans/<int:number>/lift/",
        name="ban-lift",
        operation_id="lift_ban",
        summary="Lift a ban",
        description=(
            f"It ends now. An appeal against it is granted. The author needs the right to lift bans. {_ALIKE}"
        ),
        right="ranking.lift_ban",
        of=bans.BAN,
        function=lift_bans,
    ),
    ActCall(
        path="bans/<int:number>/resume/",
        name="ban-resume",
        operation_id="resume_ban",
        summary="Put a lifted ban in force again",
        description=(
            "It runs until its end, if that is still to come. An appeal that the lifting had granted is open again."
            f" The author needs the right to lift bans. {_ALIKE}"
        ),
        right="ranking.lift_ban",
        of=bans.BAN,
        function=resume_bans,
    ),
    ActCall(
        path="bans/<int:number>/extend/",
        name="ban-extend",
        operation_id="extend_ban",
        summary="Extend a ban",
        description=(
            "If it runs, it ends so many days or hours from now, or when it is lifted; never earlier than before."
            " The author needs the right to extend bans, and to ban for as long as that from the ban's beginning: 403."
        ),
        right="ranking.extend_ban",
        of=bans.BAN,
        function=extend_bans,
        body=bans.ExtendSerializer,
    ),
    ActCall(
        path="bans/<int:number>/shorten/",
        name="ban-shorten",
        operation_id="shorten_ban",
        summary="Shorten a ban",
        description=(
            "If it runs longer, it ends so many days or hours from now; never later than before. The author needs"
            " the right to extend bans."
        ),
        right="ranking.extend_ban",
        of=bans.BAN,
        function=shorten_bans,
        body=bans.ShortenSerializer,
    ),
    ActCall(
        path="players/<player_key:id>/ban-proposals/",
        name="player-ban-proposals",
        operation_id="propose_ban",
        summary="Propose a ban of a player",
        description=(
            "Another moderator confirms or refuses it; the player doesn't hear of it before. 409 if a ban of the player"
            " is proposed already, or the player has left for good. The author needs the right to propose bans."
        ),
        right="ranking.add_banproposal",
        of=players.PLAYER,
        function=ban_proposals.propose_ban,
        conflict=ban_proposals.AlreadyProposed,
        makes=ban_proposals.PROPOSAL,
        body=ban_proposals.NewProposalSerializer,
    ),
    ListCall(
        path="ban-proposals/",
        name="ban-proposals",
        operation_id="list_ban_proposals",
        summary="Proposed bans, the newest first",
        description="The author needs the right to see proposed bans.",
        right="ranking.view_banproposal",
        of=ban_proposals.PROPOSAL,
        query=ban_proposals.ProposalsQuery,
        rows=ban_proposals.find_proposals,
        page="BanProposalPage",
        problems=(400, 403),
    ),
    GetCall(
        path="ban-proposals/<int:number>/",
        name="ban-proposal",
        operation_id="get_ban_proposal",
        summary="A proposed ban",
        description="By its number. The author needs the right to see proposed bans.",
        right="ranking.view_banproposal",
        of=ban_proposals.PROPOSAL,
    ),
    ActCall(
        path="ban-proposals/<int:number>/confirm/",
        name="ban-proposal-confirm",
        operation_id="confirm_ban_proposal",
        summary="Confirm a proposed ban: it is in force from now on",
        description=f"The player is told, and reads the reason that was proposed. {_DECIDED}",
        right="ranking.add_ban",
        of=ban_proposals.PROPOSAL,
        function=confirm_proposals,
        body=StaffActSerializer,
    ),
    ActCall(
        path="ban-proposals/<int:number>/refuse/",
        name="ban-proposal-refuse",
        operation_id="refuse_ban_proposal",
        summary="Refuse a proposed ban",
        description=f"Nothing happens to the player, who doesn't hear of it. {_DECIDED}",
        right="ranking.add_ban",
        of=ban_proposals.PROPOSAL,
        function=refuse_proposals,
        body=StaffActSerializer,
    ),
    ActCall(
        path="ban-proposals/<int:number>/withdraw/",
        name="ban-proposal-withdraw",
        operation_id="withdraw_ban_proposal",
        summary="Withdraw a proposed ban",
        description=f"Only who proposed it may: 403. {_ALIKE}",
        right="ranking.add_banproposal",
        of=ban_proposals.PROPOSAL,
        function=withdraw_proposals,
        body=StaffActSerializer,
    ),
    ActCall(
        path="ban-proposals/<int:number>/reopen/",
        name="ban-proposal-reopen",
        operation_id="reopen_ban_proposal",
        summary="Reopen a refused proposal of a ban",
        description=f"It waits for a decision again, unless another one about the player does. {_DECIDED}",
        right="ranking.add_ban",
        of=ban_proposals.PROPOSAL,
        function=reopen_proposals,
        body=StaffActSerializer,
    ),
    ListCall(
        path="players/<player_key:id>/incidents/",
        name="incidents",
        operation_id="list_incidents",
        summary="A player's incidents, the newest first",
        description=(
            "Leaves, drop-outs and missed accepts, pardoned or not. A key for some modes gets those of these modes."
            " The author needs the right to see incidents."
        ),
        right="ranking.view_incident",
        of=incidents.INCIDENT,
        rows=incidents.find_incidents,
        order=incidents.ORDER,
        page="IncidentPage",
    ),
    GetCall(
        path="incidents/<int:number>/",
        name="incident",
        operation_id="get_incident",
        summary="An incident",
        description="By its number. The author needs the right to see incidents.",
        right="ranking.view_incident",
        of=incidents.INCIDENT,
    ),
    ActCall(
        path="incidents/<int:number>/pardon/",
        name="incident-pardon",
        operation_id="pardon_incident",
        summary="Pardon an incident",
        description=(
            "Points and lockouts are as though it had never happened; ratings stay. An appeal against it is"
            " granted. Sent again, it changes nothing. The author needs the right to pardon."
        ),
        right="ranking.pardon_incident",
        of=incidents.INCIDENT,
        function=pardon_incidents,
    ),
    ActCall(
        path="incidents/<int:number>/revoke-pardon/",
        name="incident-revoke-pardon",
        operation_id="revoke_pardon",
        summary="Revoke a pardon",
        description=(
            "Points and lockouts count as before. An appeal that the pardon had granted is open again. Sent again,"
            " it changes nothing. The author needs the right to pardon."
        ),
        right="ranking.pardon_incident",
        of=incidents.INCIDENT,
        function=take_back_pardons,
    ),
    ActCall(
        path="matches/<int:number>/void/",
        name="match-void",
        operation_id="void_match",
        summary="Void a match",
        description=f"It counts for nothing, and what came after it is rated anew, in order. {matches.MORE}",
        right="ranking.add_void",
        of=matches.MATCH,
        function=void,
    ),
    ActCall(
        path="matches/<int:number>/restore/",
        name="match-restore",
        operation_id="restore_match",
        summary="Restore a void match",
        description=(
            "It counts again, in its old place, and what came after it is rated anew. 409 for a match that never"
            " counts, such as one that was called off; if a correction of it counts: void that first; and if two of"
            f" its players were merged since: split them first. {matches.MORE}"
        ),
        right="ranking.add_void",
        of=matches.MATCH,
        function=restore,
        conflict=RestoreRefused,
    ),
    ActCall(
        path="players/<player_key:id>/hide/",
        name="player-hide",
        operation_id="hide_player",
        summary="Hide a player from boards",
        description=(
            "With the next publication they are on no board; their matches go on being rated. Sent again, it"
            " changes nothing. The author needs the right to hide players."
        ),
        right="ranking.hide_player",
        of=players.PLAYER,
        function=hide_players,
    ),
    ActCall(
        path="players/<player_key:id>/show/",
        name="player-show",
        operation_id="show_player",
        summary="Show a hidden player on boards again",
        description=(
            "With the next publication, on the boards for which they qualify. Sent again, it changes nothing. The"
            " author needs the right to hide players."
        ),
        right="ranking.hide_player",
        of=players.PLAYER,
        function=show_players,
    ),
    ActCall(
        path="players/<player_key:id>/rename/",
        name="player-rename",
        operation_id="rename_player",
        summary="Rename a player, and lock the name",
        description=(
            "Results are rated as always, but no name that they send replaces this one until it is unlocked. The name"
            f" before is for moderators alone. Webhooks hear of it (`player.renamed`). {_RENAMING}"
        ),
        right="ranking.rename_player",
        of=players.NAMED_PLAYER,
        function=rename_player,
        body=players.RenameSerializer,
        conflict=RenameRefused,
    ),
    ActCall(
        path="players/<player_key:id>/reset-name/",
        name="player-reset-name",
        operation_id="reset_player_name",
        summary="Give a player a neutral name, and lock it",
        description=f"As renaming does, with a name made from the player's key, such as Player 48213907. {_RENAMING}",
        right="ranking.rename_player",
        of=players.NAMED_PLAYER,
        function=reset_names,
    ),
    ActCall(
        path="players/<player_key:id>/undo-rename/",
        name="player-undo-rename",
        operation_id="undo_rename",
        summary="Give a player the name before a moderator's back, and unlock it",
        description=f"409 if the name was unlocked meanwhile, as results may have changed it since. {_RENAMING}",
        right="ranking.rename_player",
        of=players.NAMED_PLAYER,
        function=undo_renamings,
        conflict=RenameRefused,
    ),
    ActCall(
        path="players/<player_key:id>/unlock-name/",
        name="player-unlock-name",
        operation_id="unlock_player_name",
        summary="Unlock a player's name",
        description=f"It stays until a result sends another one. {_RENAMING}",
        right="ranking.rename_player",
        of=players.NAMED_PLAYER,
        function=unlock_names,
    ),
    ListCall(
        path="players/<player_key:id>/notes/",
        name="notes",
        operation_id="list_notes",
        summary="Moderators' notes on a player, the newest first",
        description="With those that were withdrawn. The author needs the right to see notes on players.",
        right="ranking.view_playernote",
        of=notes.NOTE,
        rows=of_player(notes.NOTES),
        page="NotePage",
    ),
    ActCall(
        path="players/<player_key:id>/notes/",
        name="notes",
        operation_id="add_note",
        summary="Write a note on a player",
        description=(
            "No player ever reads it. A player who has left for good gets none: 409. The author needs the right to"
            " write notes on players."
        ),
        right="ranking.add_playernote",
        of=players.PLAYER,
        function=add_notes,
        makes=notes.NOTE,
        body=notes.NewNoteSerializer,
    ),
    ActCall(
        path="notes/<int:number>/withdraw/",
        name="note-withdraw",
        operation_id="withdraw_note",
        summary="Withdraw a note",
        description=(
            "It stays, as withdrawn. Sent again, it changes nothing. The author needs the right to write notes on"
            " players."
        ),
        right="ranking.add_playernote",
        of=notes.NOTE,
        function=withdraw_notes,
        body=StaffActSerializer,
    ),
    ListCall(
        path="players/<player_key:id>/warnings/",
        name="warnings",
        operation_id="list_warnings",
        summary="A player's warnings, the newest first",
        description="With those that were withdrawn. The author needs the right to see warnings.",
        right="ranking.view_playerwarning",
        of=warnings.WARNING,
        rows=of_player(warnings.WARNINGS),
        page="WarningPage",
    ),
    ActCall(
        path="players/<player_key:id>/warnings/",
        name="warnings",
        operation_id="warn_player",
        summary="Warn a player",
        description=(
            "The player reads the reason; nothing else follows. A player who has left for good can't be warned:"
            " 409. The author needs the right to warn."
        ),
        right="ranking.add_playerwarning",
        of=players.PLAYER,
        function=warn_players,
        makes=warnings.WARNING,
    ),
    ActCall(
        path="warnings/<int:number>/withdraw/",
        name="warning-withdraw",
        operation_id="withdraw_warning",
        summary="Withdraw a warning",
        description=(
            "It stays, as withdrawn, and the player reads the reason. Sent again, it changes nothing. The author"
            " needs the right to warn."
        ),
        right="ranking.add_playerwarning",
        of=warnings.WARNING,
        function=withdraw_warnings,
    ),
    ListCall(
        path="appeals/",
        name="appeals",
        operation_id="list_appeals",
        summary="Appeals, the newest first",
        description="The author needs the right to see appeals.",
        right="ranking.view_appeal",
        of=appeals.APPEAL,
        query=appeals.AppealsQuery,
        rows=appeals.find_appeals,
        page="AppealPage",
        problems=(400, 403),
    ),
    GetCall(
        path="appeals/<int:number>/",
        name="appeal",
        operation_id="get_appeal",
        summary="An appeal",
        description="By its number. The author needs the right to see appeals.",
        right="ranking.view_appeal",
        of=appeals.APPEAL,
    ),
    ActCall(
        path="appeals/<int:number>/grant/",
        name="appeal-grant",
        operation_id="grant_appeal",
        summary="Grant an appeal: lift the ban or lockout",
        description=f"The ban is lifted, or the incident pardoned; ratings stay. {_APPEAL}",
        right="ranking.decide_appeal",
        of=appeals.APPEAL,
        function=partial(decide_appeals, grant=True),
    ),
    ActCall(
        path="appeals/<int:number>/confirm/",
        name="appeal-confirm",
        operation_id="confirm_appeal",
        summary="Turn down an appeal: uphold the ban or lockout",
        description=(f"The ban or lockout stays, and the player is told that the appeal was turned down. {_APPEAL}"),
        right="ranking.decide_appeal",
        of=appeals.APPEAL,
        function=partial(decide_appeals, grant=False),
    ),
    ActCall(
        path="appeals/<int:number>/reopen/",
        name="appeal-reopen",
        operation_id="reopen_appeal",
        summary="Reopen a decided appeal",
        description=(
            "It is open again. What granting it did is taken back; a ban is put in force again if its end is still"
            f" to come. {_APPEAL}"
        ),
        right="ranking.decide_appeal",
        of=appeals.APPEAL,
        function=reopen_appeals,
    ),
    GetCall(
        path="modes/<slug:mode>/parameters/",
        name="mode-parameters",
        operation_id="get_mode_parameters",
        summary="A mode's rating system and its parameters",
        description="Those in force. The author needs the right to see modes.",
        right="ranking.view_mode",
        of=parameters.PARAMETERS,
    ),
    ActCall(
        path="modes/<slug:mode>/parameters/",
        name="mode-parameters",
        operation_id="change_mode_parameters",
        summary="Rate a mode by other parameters from now on",
        description=(
            "A new version of the parameters, by which later matches are rated; ratings stay as they are."
            " Parameters equal to those in force change nothing. 409 while the mode is rated anew. The author needs"
            " the right to change modes."
        ),
        right="ranking.change_mode",
        of=parameters.PARAMETERS,
        function=parameters.change_parameters,
        conflict=ModeBusy,
        body=parameters.NewParametersSerializer,
    ),
    GetCall(
        path="modes/<slug:mode>/settings/",
        name="mode-settings",
        operation_id="get_mode_settings",
        summary="A mode's settings",
        description=(
            "All that can be set in the admin but the rating system. The author needs the right to see modes."
        ),
        right="ranking.view_mode",
        of=modes.MODE,
    ),
    ActCall(
        path="modes/<slug:mode>/settings/",
        name="mode-settings",
        method="patch",
        operation_id="change_mode_settings",
        summary="Change a mode's settings",
        description=(
            "Those left out stay as they are; of two changes of one setting the later one holds. Boards follow with"
            " the next publication. The author needs the right to change modes."
        ),
        right="ranking.change_mode",
        of=modes.MODE,
        function=modes.change_mode,
        body=modes.ModeChangeSerializer,
    ),
    ListCall(
        path="audit/",
        name="audit",
        operation_id="list_audit",
        summary="The audit log, the newest line first",
        description="What moderators and the system did, and why. The author needs the right to see the audit log.",
        right="ranking.view_auditentry",
        of=audit.LINE,
        query=audit.AuditQuery,
        rows=audit.find_entries,
        order=audit.ORDER,
        page="AuditPage",
        problems=(400, 403),
    ),
]
