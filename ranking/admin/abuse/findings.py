"""Admin pages of abuse reports: the findings of the nightly search, strongest first, each with its evidence.

A moderator confirms or dismisses a finding. Bans and voids are separate acts, which the page also offers.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join

from ranking.abuse.search import review_findings
from ranking.abuse.wording import sentence_of
from ranking.admin.abuse.evidence import drawings, rows_of, unreported_rows
from ranking.admin.base.acts.acts import Act
from ranking.admin.base.acts.confirmation import Question
from ranking.admin.base.acts.forms import ReasonForm
from ranking.admin.base.base import UneditedAdmin
from ranking.admin.base.display import badge, link_to, list_link, moment_text
from ranking.admin.base.filters import ModeFilter, choice_filter
from ranking.admin.base.lists import number_in
from ranking.models import Finding, Leaver, Match, Player
from ranking.players.search import MOST_FOUND, find_named

CONFIRM = Question(
    "Confirm findings",
    "They stay in the list as confirmed. Nothing else follows: bans and voids are acts of their own.",
    "Confirm",
)
DISMISS = Question(
    "Dismiss findings",
    "They leave the list of what is to be reviewed, and come back only if they grow markedly stronger.",
    "Dismiss",
)
_BADGES = {Finding.OPEN: "plain", Finding.CONFIRMED: "warn", Finding.DISMISSED: "good"}


class KindFilter(admin.SimpleListFilter):
    """Without a kind, strong newcomers are left out: nobody suspects them of anything."""

    title = "kind"
    parameter_name = "kind"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
        return [(kind, name.capitalize()) for kind, name in Finding.KINDS]

    def choices(self, changelist: Any) -> Iterator[Any]:
        every, *kinds = super().choices(changelist)
        yield {**every, "display": "All but strong newcomers"}
        yield from kinds

    def queryset(self, request: HttpRequest, queryset: QuerySet[Finding]) -> QuerySet[Finding]:
        return queryset.filter(kind=self.value()) if self.value() else queryset.exclude(kind=Finding.NEWCOMER)


VerdictFilter = choice_filter(
    "review", "verdict", {verdict: (name.capitalize(), Q(verdict=verdict)) for verdict, name in Finding.VERDICTS}
)


class EitherPlayerFilter(admin.SimpleListFilter):
    """Filters the findings about one player, as first or second player. Offered only if the address names a player."""

    title = "player"
    parameter_name = "player"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
        number = number_in(request.GET.get(self.parameter_name, ""))
        return [(str(number), player.name) for player in Player.objects.filter(pk=number)] if number else []

    def queryset(self, request: HttpRequest, queryset: QuerySet[Finding]) -> QuerySet[Finding]:
        number = number_in(self.value() or "")
        either = queryset.filter(player=number) | queryset.filter(other=number)
        return either if self.value() else queryset


def _sentence(finding: Finding) -> str:
    return sentence_of(finding.kind, [player.name for player in finding.players], finding.evidence)


_confirm, _dismiss = (partial(review_findings, verdict=verdict) for verdict in (Finding.CONFIRMED, Finding.DISMISSED))


def with_sentences(findings: Iterable[Any], now: dt.datetime) -> list[Any]:
    """Return the findings; each finding's `effect` says what was seen."""
    rows = list(findings)
    for row in rows:
        row.effect = _sentence(row)
    return rows


def _moment(finding: Finding, end: str) -> dt.datetime:
    return dt.datetime.fromtimestamp(finding.evidence[end], dt.UTC)


@admin.register(Finding)
class FindingAdmin(UneditedAdmin[Finding]):
    list_display = ("names", "strength", "said", "state")
    list_select_related = ("mode", "player", "other")
    list_filter = (VerdictFilter, KindFilter, ModeFilter, EitherPlayerFilter)
    sortable_by = ("strength",)
    search_fields = ("player__search_name", "player__key")
    search_help_text = f"A part of a player's name (at most {MOST_FOUND} players), or the whole key."
    fields = ("who", "mode", "strength", "between", "found_when", "state", "reviewed")
    change_form_template = "admin/ranking/finding/change_form.html"
    actions = (
        Act("confirm", "Confirm…", "change", _confirm, "Confirmed", CONFIRM, ReasonForm, with_sentences),
        Act("dismiss", "Dismiss…", "change", _dismiss, "Dismissed", DISMISS, ReasonForm, with_sentences),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Finding]:
        return super().get_queryset(request).select_related("mode", "player", "other", "reviewed_by")

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        return ("-score", "-id")

    def search_rows(self, queryset: QuerySet[Finding], term: str) -> QuerySet[Finding]:
        players = find_named(term)
        return queryset.filter(player__in=players) | queryset.filter(other__in=players)

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        finding = context["original"]
        rows = rows_of(finding)
        context |= {
            "sentence": _sentence(finding),
            "rows": rows,
            "drawings": drawings(finding, rows),
            "names": [player.name for player in finding.players],
            "voidable": [row.match.pk for row in rows if not row.match.is_void],
            "may_void": request.user.has_perms(["ranking.view_match", "ranking.add_void"]),
            "may_ban": request.user.has_perms(["ranking.view_leaver", "ranking.add_ban"]),
            "left_out": finding.evidence["count"] - len(finding.evidence["matches"]),
            "unreported": unreported_rows(finding),
            "links": [list_link(Finding, f"All reports of {player}", player=player.pk) for player in finding.players],
            "match_opts": Match._meta,
            "leaver_opts": Leaver._meta,
        }
        return super().render_change_form(request, context, *args, **kwargs)

    @admin.display(description="Players")
    def names(self, finding: Finding) -> str:
        return ", ".join(player.name for player in finding.players)

    @admin.display(description="What was seen")
    def said(self, finding: Finding) -> str:
        """The sentence; under it the kind, the mode, and the day of the last match, for which there is no column."""
        last = date_format(timezone.localtime(_moment(finding, "until")), "DATE_FORMAT")
        kind = finding.get_kind_display().capitalize()
        return format_html(
            '{}<span class="quiet">{} in {}, last match on {}</span>', _sentence(finding), kind, finding.mode, last
        )

    @admin.display(description="Players")
    def who(self, finding: Finding) -> str:
        return format_html_join(", ", "{}", ((link_to(player),) for player in finding.players))

    @admin.display(description="Score", ordering="score")
    def strength(self, finding: Finding) -> str:
        return f"{finding.score:.1f}"

    @admin.display(description="Matches")
    def matches(self, finding: Finding) -> str:
        return f"{finding.evidence['count']:,}"

    @admin.display(description="Played")
    def between(self, finding: Finding) -> str:
        since, until = (moment_text(_moment(finding, end)) for end in ("since", "until"))
        return f"{self.matches(finding)} matches, {since} to {until}"

    @admin.display(description="Found")
    def found_when(self, finding: Finding) -> str:
        return moment_text(finding.found_at)

    @admin.display(description="Review")
    def state(self, finding: Finding) -> str:
        return badge(finding.get_verdict_display().capitalize(), _BADGES[finding.verdict])

    @admin.display(description="Reviewed")
    def reviewed(self, finding: Finding) -> str:
        if finding.reviewed_at is None:
            return "–"
        return f"{moment_text(finding.reviewed_at)}, by {finding.reviewed_by or 'the system'}: {finding.reason}"
