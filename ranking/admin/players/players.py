"""Admin pages of players: their names, ratings and login; moderators hide and anonymise players here."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.db.models import Exists, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html

from ranking.admin.base.acts.acts import Act, at_any_time, on_keys
from ranking.admin.base.acts.confirmation import Question
from ranking.admin.base.acts.effects import with_boards
from ranking.admin.base.acts.forms import ReasonForm
from ranking.admin.base.base import FactsInline, LedgerAdmin
from ranking.admin.base.display import badge, link_to, list_link, public_page, rating_text, record_text
from ranking.admin.base.filters import FlaggedNameFilter, SameLookFilter, choice_filter, done_filter
from ranking.admin.conduct.leavers import HIDE_ACT, HIDE_RIGHT, SHOW_ACT
from ranking.admin.conduct.notes import NOTE_ACT, WARN_ACT, NotesOnPage
from ranking.admin.players.merging import MergePage, split_links
from ranking.models import Change, Hiding, Player, Rating
from ranking.moderation.bots import mark_as_bots, mark_as_people
from ranking.moderation.sanctions import take_names_away
from ranking.players.administration import accept_names, anonymise_players, release_players
from ranking.players.former_names import find_by_former_name
from ranking.players.players import names_of
from ranking.players.search import MOST_FOUND, ByName, find_named
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
MERGE = "Merge another player into this one…"
ACCEPT = Question(
    "Accept the name", "It looks like somebody else's; it is no longer listed as such until it changes.", "Accept"
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
PERSON = Question("Mark as people", "They are ranked, found and followed like everybody else.", "Mark")


BotFilter = choice_filter("bots", "bot", {"yes": ("Bots", Q(is_bot=True)), "no": ("People", Q(is_bot=False))})


HiddenFilter = choice_filter("boards", "hidden", {"yes": ("Hidden by a moderator", Q(hidden_at__isnull=False))})


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


_is_bot = attrgetter("is_bot")
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
    _act("accept", "change", ACCEPT, "Accept the name…", "Name accepted", accept_names, fits=attrgetter("lookalike")),
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
        done_filter(("by", "hidden_at"), ("lifted_by", "lifted_at"), through=Hiding, to="player"),
    )
    sortable_by = ("key",)
    search_fields = ("search_name", "key")
    finds_players = MOST_FOUND
    search_help_text = f"A part of the name (at most {MOST_FOUND} players), or the game's whole key."
    fields = (
        "name", "former_names", "looks", "key", "user", "hidden_at", "hides_matches", "hides_playing",
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

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        nameless = obj is not None and (obj.anonymised_at is not None or obj.merged_into_id is not None)
        return self.fields if nameless else self.readonly_fields  # such a player can't have a login

    def get_ordering(self, request: HttpRequest) -> Any:
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

    @admin.display(description="Also known as")
    def former_names(self, player: Player) -> str:
        return ", ".join(names_of(player, everything=True)) or "–"

    @admin.display(description="Looks like another's")
    def looks(self, player: Player) -> str:
        return format_html("{} · {}", badge("Yes", "warn") if player.lookalike else "No", _alike_link(player))


def _alike_link(player: Player) -> str:
    return list_link(Player, "Everybody whose name looks so", alike=player.pk)
