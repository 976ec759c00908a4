"""Admin pages of proposed bans, which another moderator confirms or refuses; and the action that proposes them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin import ModelAdmin
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse

from ranking.admin.base.acts.acts import Act, ActRefused, keys_of
from ranking.admin.base.acts.confirmation import SHOWN, Question
from ranking.admin.base.acts.effects import with_proposals, with_standing
from ranking.admin.base.acts.forms import ProposalForm, ReasonForm
from ranking.admin.base.audited import person
from ranking.admin.base.base import InboxAdmin
from ranking.admin.base.display import badge, link_to
from ranking.admin.base.filters import PlayerFilter, WaitingFilter, choice_filter
from ranking.admin.conduct.sanctions import ConductFactsAdmin
from ranking.models import BanProposal, Player
from ranking.moderation.ban_limits import BAN_RIGHT, MayNotBan
from ranking.moderation.ban_proposals import (
    confirm_proposals,
    may_decide,
    propose_bans,
    refuse_proposals,
    reopen_proposals,
    withdraw_proposals,
)
from ranking.moderation.sanctions import owners_of
from ranking.players.search import MOST_FOUND
from ranking.rules.ban_lengths import length_words

PROPOSE_RIGHT = "ranking.add_banproposal"
PROPOSE = Question(
    "Propose a ban",
    "Another moderator confirms or refuses it. Until then nothing happens, and the players don’t hear of it. Players of"
    " an open proposal get no second one.",
    "Propose",
)
CONFIRM = Question(
    "Confirm proposed bans",
    "They are in force at once, for their whole length from now on, and the players read what was proposed.",
    "Confirm",
)
REFUSE = Question("Refuse proposed bans", "Nothing happens to the players, and they don’t hear of it.", "Refuse")
WITHDRAW = Question("Withdraw proposed bans", "They stay in the list, marked as withdrawn.", "Withdraw")
REOPEN = Question("Reopen proposed bans", "They wait for a decision again.", "Reopen")


class OwnersAct(Act):
    """Is done to the players to whom the chosen accounts belong, whom the page names."""

    def shown(self, rows: QuerySet[Player], now: dt.datetime) -> tuple[list[Player], list[int]]:
        players = owners_of(rows.filter(anonymised_at=None))
        return with_standing(players[:SHOWN], now), [player.pk for player in players]


def _propose(players: QuerySet[Player], **details: Any) -> list[Player]:
    return [row.player for row in propose_bans(list(players), **details)]


def _proposed(form: ProposalForm) -> str:
    return f"Ban proposed {length_words(form.span())}"


PROPOSE_ACT = OwnersAct(
    "propose", "Propose a ban…", PROPOSE_RIGHT, _propose, _proposed, PROPOSE, ProposalForm, bulk=True
)


def _deciding(decide: Callable[..., list[BanProposal]]) -> Callable[..., list[BanProposal]]:
    """Return `do` of an act that is refused as a whole if its author may not decide one of the proposals."""

    def act(rows: QuerySet[BanProposal], **details: Any) -> list[BanProposal]:
        try:
            return decide(keys_of(rows), **details)
        except MayNotBan as refused:
            raise ActRefused(str(refused)) from refused

    return act


class DecideAct(Act):
    """Asks about open proposals only, and says of the others who has decided them."""

    def __call__(
        self, page: ModelAdmin[BanProposal], request: HttpRequest, rows: QuerySet[BanProposal]
    ) -> HttpResponse | None:
        decided = rows.filter(decided_at__isnull=False).select_related("decided_by", "player")
        for row in decided[:SHOWN]:
            sentence = f"Already {row.decision} by {row.decided_by or 'the system'}: {row}."
            page.message_user(request, sentence, messages.WARNING)
        still_open = keys_of(rows.filter(decided_at=None))
        if not still_open:
            return None
        return super().__call__(page, request, rows.filter(pk__in=still_open))

    def is_offered(self, request: HttpRequest, row: BanProposal) -> bool:
        return row.decided_at is None and may_decide(row, person(request))


class WithdrawAct(DecideAct):
    def is_offered(self, request: HttpRequest, row: BanProposal) -> bool:
        return row.decided_at is None and row.by_id == request.user.pk


class ReopenAct(Act):
    def is_offered(self, request: HttpRequest, row: BanProposal) -> bool:
        return row.decision == BanProposal.REFUSED and may_decide(row, person(request))


class ProposalStateFilter(WaitingFilter):
    others = {state: (words.capitalize(), Q(decision=state)) for state, words in BanProposal.DECISIONS}


def _by_reader(request: HttpRequest) -> Q:
    return Q(by=person(request))


ProposerFilter = choice_filter(
    "proposer",
    "proposed",
    {"me": ("Me", _by_reader), "others": ("Others", lambda request: ~_by_reader(request))},
)


def _asking(decide: Callable[..., list[BanProposal]], outcome: str, question: Question) -> dict[str, Any]:
    do, effects = _deciding(decide), with_proposals
    return {"do": do, "outcome": outcome, "question": question, "form": ReasonForm, "effects": effects, "bulk": True}


@admin.register(BanProposal)
class BanProposalAdmin(InboxAdmin[BanProposal], ConductFactsAdmin):
    actions = (
        DecideAct("confirm", "Confirm…", BAN_RIGHT, **_asking(confirm_proposals, "Confirmed", CONFIRM)),
        DecideAct("refuse", "Refuse…", BAN_RIGHT, **_asking(refuse_proposals, "Refused", REFUSE)),
        WithdrawAct("withdraw", "Withdraw…", PROPOSE_RIGHT, **_asking(withdraw_proposals, "Withdrawn", WITHDRAW)),
        ReopenAct("reopen", "Reopen…", BAN_RIGHT, **_asking(reopen_proposals, "Reopened", REOPEN)),
    )
    list_display = ("proposed_at", "player", "state", "scope", "lasts", "by", "reason")
    state_filter = ProposalStateFilter
    waits_since = "proposed_at"
    decision_fields = ("decided_by", "decided_at", "answer", "in_force")
    list_select_related = ("player", "by", "decided_by")
    list_filter = (ProposalStateFilter, ProposerFilter, PlayerFilter)
    finds_players = MOST_FOUND
    fields = (
        "whose", "scope", "lasts", "reason", "note", "by", "proposed_at", "state", "decided_by", "decided_at", "answer",
        "in_force",
    )  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> QuerySet[BanProposal]:
        return super().get_queryset(request).select_related(*self.list_select_related, "ban__player")

    @admin.display(description="For how long")
    def lasts(self, row: BanProposal) -> str:
        return row.length_text.removeprefix("for ").capitalize()

    @admin.display
    def state(self, row: BanProposal) -> str:
        kinds = {BanProposal.CONFIRMED: "good", "": "warn"}
        return badge(row.get_decision_display().capitalize() or "Open", kinds.get(row.decision, "plain"))

    @admin.display(description="Ban")
    def in_force(self, row: BanProposal) -> str:
        return link_to(row.ban)
