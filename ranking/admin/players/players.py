"""Admin pages of players: their names, ratings and login; moderators hide and anonymise players here."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.db.models import Exists, Q, QuerySet
from django.db.models.expressions import Combinable
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html

from ranking.admin.base.acts.acts import Act, ActRefused, at_any_time, on_keys
from ranking.admin.base.acts.confirmation import Question
from ranking.admin.base.acts.effects import with_boards
from ranking.admin.base.acts.forms import ReasonForm, TextsForm
from ranking.admin.base.base import FactsInline, LedgerAdmin
from ranking.admin.base.display import badge, link_to, list_link, moment_text, public_page, rating_text, record_text
from ranking.admin.base.filters import DoneFilter, FlaggedNameFilter, SameLookFilter, choice_filter
from ranking.admin.conduct.leavers import HIDE_ACT, HIDE_RIGHT, SHOW_ACT
from ranking.admin.conduct.notes import NOTE_ACT, WARN_ACT, NotesOnPage
from ranking.admin.players.merging import MergePage, split_links
from ranking.models import Change, Hiding, Player, Rating, Renaming
from ranking.moderation.bots import mark_as_bots, mark_as_people
from ranking.moderation.renaming import (
    RenameRefused,
    find_renaming,
    rename_player,
    reset_names,
    undo_renamings,
    unlock_names,
)
from ranking.moderation.sanctions import take_names_away
from ranking.players.administration import accept_names, anonymise_players, release_players
from ranking.players.forbidden_names import check_allowed
from ranking.players.former_names import find_by_former_name
from ranking.players.neutral_names import find_neutral_names
from ranking.players.notable_names import to_look_at
from ranking.players.players import names_of
from ranking.players.search import MOST_FOUND, ByName, find_named
from ranking.rules.names import LONGEST, BadName
from ranking.seasons.strikes import strike_in_force

ANONYMISE = Question(
    "Anonymise for good",
    "Name, key and login are taken from them wherever they are written, and nothing brings them back. Their matches"
    " stay, as a former player’s, and nobody’s rating changes. A later result with the old key makes a new player.",
    "Anonymise",
)

RELEASE = Question(
    "Release from their account",
    "The account loses the player; whoever enters the next code from the game owns it. Nothing else changes.",
    "Release",
)
RENAME_RIGHT = "ranking.rename_player"
MERGE = "Merge another player into this one…"
ACCEPT = Question(
    "Accept the name",
    "It is no longer listed as one that looks like somebody else's, until it looks otherwise.",
    "Accept",
)


BOT = Question(
    "Mark as bots",
    "They leave every board, and nobody finds or follows them. Matches that they played stay as they were rated; later"
    " ones against bots alone count for nothing.",
    "Mark",
)
NAMES = Question(
    "Hide former names",
    "Moderators alone see them, and find the players by them. The present name stays: the game gives it.",
    "Hide names",
)
RENAME = Question(
    "Rename",
    "Results don't change the new name until it is unlocked; matches count as always. Moderators alone still see the"
    " name before. The player reads what you write here, and games hear of the new name.",
    "Rename",
)
RESET = Question(
    "Reset to a neutral name",
    "Results don't change the new name until it is unlocked; matches count as always. Moderators alone still see the"
    " name before. The players read what you write here, and games hear of the new names.",
    "Reset",
)
UNDO_RENAME = Question(
    "Undo the renaming", "The players have the names before again, and results may change these.", "Give back"
)
UNLOCK = Question(
    "Unlock the name", "It stays until a result brings another one, which may be the old one again.", "Unlock"
)
PERSON = Question("Mark as people", "They are ranked, found and followed like everybody else.", "Mark")


BotFilter = choice_filter("bots", "bot", {"yes": ("Bots", Q(is_bot=True)), "no": ("People", Q(is_bot=False))})


HiddenFilter = choice_filter("boards", "hidden", {"yes": ("Hidden by a moderator", Q(hidden_at__isnull=False))})


class ActOfYoursFilter(DoneFilter):
    """Filters players by one hiding or renaming, and by what took it back."""

    def concerned(self, by: int | None, at: dt.datetime) -> Q:
        hidden = Hiding.objects.filter(Q(by=by, hidden_at=at) | Q(lifted_by=by, lifted_at=at))
        renamed = Renaming.objects.filter(Q(by=by, renamed_at=at) | Q(lifted_by=by, lifted_at=at))
        return Q(pk__in=hidden.values("player")) | Q(pk__in=renamed.values("player"))


class RenameForm(TextsForm):
    name = forms.CharField(max_length=LONGEST, label="New name")
    field_order = ("name", "reason", "note")

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        try:
            check_allowed(name)
        except BadName as error:
            raise forms.ValidationError(str(error)) from error
        return name


class RatingInline(FactsInline[Rating]):
    model = Rating
    fields = readonly_fields = (
        "mode", "season", "rating", "record", "left", "listed", "struck", "active_until", "history",
    )  # fmt: skip
    ordering = ("mode__name", "-season__number")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Rating]:
        ratings = super().get_queryset(request).select_related("mode", "season__mode")
        return ratings.annotate(is_struck=Exists(strike_in_force()))

    @admin.display(boolean=True)
    def struck(self, rating: Any) -> bool:
        return bool(rating.is_struck)

    @admin.display
    def rating(self, rating: Rating) -> str:
        return link_to(rating, rating_text(rating.display_hundredths))

    @admin.display
    def record(self, rating: Rating) -> str:
        return record_text(rating, rating.mode)

    @admin.display
    def left(self, rating: Rating) -> int:
        return rating.leaves

    @admin.display(description="")
    def history(self, rating: Rating) -> str:
        return list_link(Change, "Every change", player=rating.player_id, mode=rating.mode_id)


class LoginForm(forms.ModelForm[Player]):
    """Gives a player a login; the rest is shown, in words for moderators."""

    class Meta:
        labels: ClassVar[dict[str, str]] = {
            "hides_matches": "Hides their matches",
            "hides_playing": "Hides when they play",
            "hides_from_friends": "Stays off friends boards",
        }
        help_texts: ClassVar[dict[str, str]] = {
            "hides_matches": (
                "If on, only the player and moderators see their list of matches, their form and how the rating moved."
            ),
            "hides_playing": "If on, only those who play with them see that they are in a match before it is over.",
            "hides_from_friends": "If on, they are on nobody else’s friends board.",
        }


def _act(
    name: str, right: str, question: Question, label: str, outcome: str, act: Callable[..., list[Player]], **more: Any
) -> Act:
    """Return an act of which no player hears; the page that asks says which boards the players are on."""
    return Act(name, label, right, on_keys(act), outcome, question, ReasonForm, at_any_time(with_boards), **more)


def _unless_refused(act: Callable[..., list[Player]]) -> Callable[..., list[Player]]:
    def do(players: QuerySet[Player], **details: Any) -> list[Player]:
        try:
            return act(list(players.values_list("pk", flat=True)), **details)
        except RenameRefused as refused:
            raise ActRefused(str(refused)) from refused

    return do


def _has_own_name(player: Player) -> bool:
    return player.anonymised_at is None and player.merged_into_id is None


def _looks_alike(player: Player) -> bool:
    return player.lookalike or _is_notable(player)


def _is_notable(player: Player) -> bool:
    """True if the name looks like that of the staff or of a top player."""
    return Player.objects.filter(to_look_at(), pk=player.pk).exists()


def _is_reset(player: Player) -> bool:
    return player.locked_name == find_neutral_names([player.key])[player.key]


def with_neutral_names(players: Iterable[Player]) -> list[Any]:
    """Return the players; each player's `effect` is the name that a reset gives."""
    rows: list[Any] = list(players)
    names = find_neutral_names([row.key for row in rows])
    for row in rows:
        row.effect = f"becomes {names[row.key]}"
    return rows


def with_former_names(players: Iterable[Player]) -> list[Any]:
    """Return the players; each player's `effect` is the name that undoing a renaming gives back."""
    rows: list[Any] = list(players)
    renamings = Renaming.objects.filter(player__in=[row.pk for row in rows], lifted_at=None)
    former = dict(renamings.values_list("player", "former_name"))
    for row in rows:
        row.effect = f"becomes {former[row.pk]} again" if row.pk in former else "not renamed, nothing will change"
    return rows


_is_bot = attrgetter("is_bot")
_OWN_NAME, _LOCKED = Q(anonymised_at=None, merged_into=None), ~Q(locked_name="")
PLAYER_ACTS = (
    WARN_ACT,
    NOTE_ACT,
    HIDE_ACT,
    SHOW_ACT,
    _act(
        "release",
        "change",
        RELEASE,
        "Release from their account…",
        "Released from their account",
        release_players,
        fits=lambda player: player.user_id is not None,
    ),
    _act("accept", RENAME_RIGHT, ACCEPT, "Accept the name…", "Name accepted", accept_names, fits=_looks_alike),
    Act(
        "rename",
        "Rename…",
        RENAME_RIGHT,
        _unless_refused(rename_player),
        "Renamed",
        RENAME,
        RenameForm,
        concerned=_OWN_NAME,
        fits=_has_own_name,
    ),
    Act(
        "reset",
        "Reset to a neutral name…",
        RENAME_RIGHT,
        on_keys(reset_names),
        "Name reset",
        RESET,
        effects=at_any_time(with_neutral_names),
        undo=Player,
        concerned=_OWN_NAME,
        fits=lambda player: _has_own_name(player) and not _is_reset(player),
    ),
    Act(
        "undo_rename",
        "Undo the renaming…",
        RENAME_RIGHT,
        _unless_refused(undo_renamings),
        "Former name given back",
        UNDO_RENAME,
        effects=at_any_time(with_former_names),
        concerned=_LOCKED,
        needs_rows=True,
        fits=attrgetter("locked_name"),
    ),
    Act(
        "unlock",
        "Unlock the name…",
        RENAME_RIGHT,
        on_keys(unlock_names),
        "Name unlocked",
        UNLOCK,
        concerned=_LOCKED,
        needs_rows=True,
        fits=attrgetter("locked_name"),
    ),
    _act("names", HIDE_RIGHT, NAMES, "Hide former names…", "Former names hidden", take_names_away, fits=names_of),
    _act(
        "bot", HIDE_RIGHT, BOT, "Mark as bots…", "Marked as bots", mark_as_bots, fits=lambda player: not _is_bot(player)
    ),
    _act("person", HIDE_RIGHT, PERSON, "Mark as people…", "Marked as people", mark_as_people, fits=_is_bot),
    _act("anonymise", "change", ANONYMISE, "Anonymise for good…", "Anonymised", anonymise_players),
)


@admin.register(Player)
class PlayerAdmin(MergePage, NotesOnPage, LedgerAdmin[Player]):
    list_display = ("name", "key", "boards", "login", "created_at")
    list_select_related = ("user", "merged_into")
    list_filter = (
        HiddenFilter,
        BotFilter,
        FlaggedNameFilter,
        SameLookFilter,
        ActOfYoursFilter,
    )
    sortable_by = ("key",)
    search_fields = ("search_name", "key")
    finds_players = MOST_FOUND
    search_help_text = f"A part of the name (at most {MOST_FOUND} players), or the game's whole key."
    fields = (
        "name", "named_by", "former_names", "looks", "key", "user", "hidden_at", "hides_matches", "hides_playing",
        "hides_from_friends", "is_bot", "anonymised_at", "merged_into", "created_at",
    )  # fmt: skip
    readonly_fields = tuple(name for name in fields if name != "user")
    autocomplete_fields = ("user",)
    form = LoginForm
    inlines = (RatingInline,)
    change_form_template = "admin/ranking/player/change_form.html"
    actions = PLAYER_ACTS

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False  # players come with their first result

    def get_readonly_fields(self, request: HttpRequest, obj: Player | None = None) -> Any:
        nameless = obj is not None and (obj.anonymised_at is not None or obj.merged_into_id is not None)
        return self.fields if nameless else self.readonly_fields  # such a player can't have a login

    def get_ordering(self, request: HttpRequest) -> list[str | Combinable] | tuple[str, ...]:
        searched = request.GET.get("q") or request.GET.get("term")
        return [ByName()] if searched else self.ordering

    def search_rows(self, queryset: QuerySet[Player], term: str) -> QuerySet[Player]:
        return queryset.filter(pk__in=[*find_named(term), *find_by_former_name(term, everything=True)])

    def save_model(self, request: HttpRequest, obj: Player, form: Any, change: bool) -> None:
        obj.save(update_fields=form.changed_data)  # keeps a rename by the game that happened meanwhile

    def view_on_site(self, obj: Player) -> str | None:
        return public_page("player", obj.key)

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        may_merge = object_id.isdigit() and self.has_change_permission(request)
        sees_conduct = object_id.isdigit() and request.user.has_perm("ranking.view_leaver")
        kwargs["extra_context"] = {
            "object_links": {
                **({reverse("admin:ranking_leaver_change", args=[object_id]): "Conduct"} if sees_conduct else {}),
                **({reverse("admin:ranking_player_merge", args=[object_id]): MERGE} if may_merge else {}),
                **(split_links(int(object_id)) if may_merge else {}),
            }
        }
        return super().change_view(request, object_id, *args, **kwargs)

    @admin.display(description="On boards")
    def boards(self, player: Player) -> str:
        if player.merged_into is not None:
            return badge("Merged")
        if player.hidden_at:
            return badge("Hidden", "warn")
        return badge("Bot") if player.is_bot else "Yes"

    @admin.display
    def login(self, player: Player) -> str:
        return link_to(player.user)

    @admin.display(description="Name locked")
    def named_by(self, player: Player) -> str:
        renaming = find_renaming(player)
        if renaming is None:
            return "No"
        by = renaming.by or "a moderator"
        return format_html(
            "{} · {}, {}: {}", badge("Locked", "warn"), by, moment_text(renaming.renamed_at), renaming.reason
        )

    @admin.display(description="Also known as")
    def former_names(self, player: Player) -> str:
        return ", ".join(names_of(player, everything=True)) or "–"

    @admin.display(description="Looks like another's")
    def looks(self, player: Player) -> str:
        words = badge("Like staff or a top player", "warn") if _is_notable(player) else "No"
        if player.lookalike and words == "No":
            words = badge("Yes", "warn")
        return format_html("{} · {}", words, _alike_link(player))


def _alike_link(player: Player) -> str:
    return list_link(Player, "Everybody whose name looks so", alike=player.pk)
