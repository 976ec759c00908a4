"""Walks the pages of a random site, and compares each number on them with the ledger."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

from django.test import Client

from leaderboards.accounts.data_export import export
from ranking.models import Change, Match, Participation
from tests.support.factories import LATER
from tests.support.ledger_reading import Board, Record, percent
from tests.support.page_tree import Element, read_page
from tests.support.random_sites import NEWCOMER, PLAYER, SPECIAL, get_player
from tests.support.seen_numbers import Comparison, Viewer

RECENT, FORM = 8, 10  # matches on a player's page: lines, and the results beside the record
TWO_TEAMS, MORE_TEAMS = ("won", "drawn", "lost", "left"), ("first", "podium", "upper", "lower", "left")
WORDS = {"win": "Victory", "draw": "Draw", "loss": "Defeat", "left": "You left early"}


class PageWalk:
    def __init__(self, comparison: Comparison) -> None:
        self.all, self.ledger, self.site = comparison, comparison.ledger, comparison.site
        users = {
            Viewer("nobody"): None,
            Viewer(PLAYER, PLAYER): get_player(PLAYER).user,
            Viewer(NEWCOMER, NEWCOMER): get_player(NEWCOMER).user,
            Viewer("moderator", everything=True): self.site.moderator,
        }
        self.clients = {viewer: Client() for viewer in users}
        for viewer, user in users.items():
            if user is not None:
                self.clients[viewer].force_login(user)

    def walk(self) -> None:
        for viewer in self.clients:
            self._home(viewer)
            if viewer.key:
                self._export(viewer)
        for slug in self.ledger.modes:
            for viewer in self.all.some(self.clients):
                self._seasons(slug, viewer)
            for number in range(1, self.ledger.current(slug) + 1):
                for viewer in self.all.some(self.clients, 2):
                    self._boards(slug, number, viewer)
            for viewer in self.clients:
                if viewer.key:
                    self._friends(slug, viewer)
        for key in self.all.drawn(self.all.people, SPECIAL):
            self._player_by_some(key)
        met = [key for key in self.all.people if not key.startswith(("crowd", "veteran"))]
        for first, second in self.all.drawn([(first, second) for first in met for second in met if first < second]):
            for viewer in self.all.some(self.clients):
                self._comparison(first, second, viewer)
        for match in self.all.drawn(self.ledger.matches.values(), self.all.newest):
            for viewer in self.all.some(self.clients):
                self._match(match, viewer)
        for forfeit in self.ledger.forfeits.values():
            for viewer in self.all.some(self.clients):
                self._open(f"/forfeits/{forfeit.pk}/", viewer)
        for viewer in self.all.some(self.clients):
            self._search(viewer)

    # What pages have in common

    def _open(self, path: str, viewer: Viewer) -> Element:
        response = self.clients[viewer].get(path)
        assert response.status_code in (200, 403), (
            path,
            viewer,
            response.status_code,
        )  # 403: a private player's forfeit
        page = read_page(response.content.decode())
        spread = "/distribution/" in path  # the bounds of its columns are numbers of any kind
        self.all.no_secrets(path, viewer, [] if spread else page.everything())
        return page

    def _pages(self, path: str, viewer: Viewer) -> Iterator[Element]:
        """A page and those that follow it."""
        page = self._open(path, viewer)
        yield page
        while following := [a for a in page.all("a") if a.attributes.get("rel") == "next" and a.is_a("#next")]:
            page = self._open(_joined(path, following[0].attributes["href"]), viewer)
            yield page

    def _text(self, slug: str, number: int, hundredths: int) -> str:
        return self.all.published(slug, number).text(slug, hundredths)

    def _delta(self, slug: str, before: int, after: int) -> str:
        size = self.ledger.text(slug, abs(after - before))
        return f"±{size}" if before == after else f"+{size}" if after > before else f"−{size}"

    def _share(self, record: Record, slug: str) -> int | None:
        return percent(record.wins if self.ledger.teams(slug) == 2 else record.top_halves, len(record.played))

    # Boards

    def _boards(self, slug: str, number: int, viewer: Viewer) -> None:
        board, season = self.all.board(slug, number), f"season={number}"
        self._board(f"/boards/{slug}/?{season}", slug, number, viewer, board)
        for region in sorted({*board.regions.values()} - {""}):
            among = board.among([key for key, own in board.regions.items() if own == region])
            self._board(f"/boards/{slug}/?{season}&region={region}", slug, number, viewer, among)
        self._distribution(slug, number, viewer, board)
        self._tiers(slug, number, viewer, board)

    def _board(self, path: str, slug: str, number: int, viewer: Viewer, among: Board) -> None:
        ranks = []
        for page in self._pages(path, viewer):
            if listed := page.one(".facts"):
                self.all.same(path, viewer, "everybody", "listed", listed.text.split()[0], f"{among.listed:,}")
            for step in page.all("li.step"):
                ranks.append(int(_in(step, ".step-rank")))
                self._step(path, slug, number, viewer, among, page, step)
            for row in [row for body in page.all("tbody") for row in body.all("tr") if row.one(".c-rank")]:
                ranks.append(int(_in(row, ".c-rank").replace(",", "")))
                self._row(path, slug, number, viewer, among, row)
            for row in [row for foot in page.all("tfoot") for row in foot.all("tr")]:
                self._row(path, slug, number, viewer, among, row)
        self.all.same(path, viewer, "everybody", "ranks", ranks, sorted(among.rank(key) for key in among.ratings))

    def _step(
        self, path: str, slug: str, number: int, viewer: Viewer, among: Board, page: Element, step: Element
    ) -> None:
        key, board = _player_in(step), self.all.board(slug, number)
        if not key or key not in among.ratings:
            self.all.same(path, viewer, key or "somebody", "on the podium", self._is_nameless(key, slug, number), True)
            return
        expected = {
            ".step-rank": f"{among.rank(key)}",
            ".step-rating": self._text(slug, number, board.ratings[key]),
            ".tier": board.tier(key),
        }
        for what, value in expected.items():
            self.all.same(path, viewer, key, what, _without_gap(step, what), value)
        targets = page.all(".step-target") if key == viewer.key else []
        self._target(path, slug, number, viewer, among, key, next(iter(targets), None))
        self._threat(path, slug, number, viewer, among, key, targets)
        self._gap(path, slug, viewer, among, key, step)

    def _row(self, path: str, slug: str, number: int, viewer: Viewer, among: Board, row: Element) -> None:
        key, board = _player_in(row), self.all.board(slug, number)
        if not key or key not in among.ratings:
            self.all.same(path, viewer, key or "somebody", "on the board", self._is_nameless(key, slug, number), True)
            return
        record = self.all.counts(key, slug, number)
        assert record is not None
        share = self._share(record, slug)
        expected = {
            ".c-rank": f"{among.rank(key)}",
            ".c-global": f"#{board.rank(key)}" if row.one(".c-global") else None,
            ".c-tier": board.tier(key),
            ".c-rating": self._text(slug, number, board.ratings[key]),
            ".c-percentile": None if board.gives_tiers else f"Top {board.top(key)} %",
            ".c-share": "–" if share is None else f"{share} %",
        }
        seen = {what: _without_gap(row, what) for what in expected}
        for what, value in expected.items():
            self.all.same(path, viewer, key, what, seen[what], value)
        self.all.same(path, viewer, key, ".c-matches", _in(row, ".c-matches").split()[0], f"{len(record.played):,}")
        if (form := row.one(".c-form")) is not None:
            outcomes = [change.outcome for change in record.changes[-10:] if change.outcome][-5:]
            sees = not self.ledger.players[key].hides_matches or viewer.key == key
            self.all.same(
                path, viewer, key, "form", [i.attributes["class"] for i in form.all("i")], outcomes if sees else []
            )
        targets = [seen for seen in row.all(".target") if not seen.is_a(".threat")]
        self._target(path, slug, number, viewer, among, key, targets[0] if targets else None)
        self._threat(path, slug, number, viewer, among, key, row.all(".threat"))
        self._gap(path, slug, viewer, among, key, row)

    def _target(
        self, path: str, slug: str, number: int, viewer: Viewer, among: Board, key: str, seen: Element | None
    ) -> None:
        """How far the next rank above is; the first of a board reads who follows instead."""
        higher = [value for value in among.ratings.values() if value > among.ratings[key]]
        if seen is not None and higher:
            above = min(higher)
            points = self._text(slug, number, above - among.ratings[key])
            self.all.same(path, viewer, key, "target", _numbers(seen.text)[:2], [points, f"{among.rank_of(above)}"])

    def _threat(
        self, path: str, slug: str, number: int, viewer: Viewer, among: Board, key: str, seen: list[Element]
    ) -> None:
        """Who follows the viewer: those who are level with them, else the next rank below, by a name or its number."""
        words = [each.text for each in seen if each.text.startswith("level with ") or " ahead of " in each.text]
        own = among.ratings[key]
        lower = [value for value in among.ratings.values() if value < own]
        level = sum(value == own for value in among.ratings.values()) - 1
        if key != viewer.key or number < self.ledger.current(slug) or not (level or lower):
            expected = {""}
        elif level:
            expected = {f"level with {level} other{'s' if level > 1 else ''}"}
        else:
            below = max(lower)
            names = [self.ledger.players[each].name for each, value in among.ratings.items() if value == below]
            points = self._text(slug, number, own - below)
            expected = {f"{points} ahead of {name}" for name in (f"rank {among.rank_of(below)}", *names)}
        self.all.same(path, viewer, key, "who follows", (len(words) <= 1 and "".join(words) in expected) or words, True)

    def _gap(self, path: str, slug: str, viewer: Viewer, among: Board, key: str, line: Element) -> None:
        """How far others are from the viewer, on friends boards alone."""
        tells = "/friends/" in path and key != viewer.key and viewer.key in among.ratings
        expected = self._delta(slug, among.ratings[viewer.key], among.ratings[key]) if tells else ""
        self.all.same(path, viewer, key, "gap", _in(line, ".gap"), expected)

    def _is_nameless(self, key: str, slug: str, number: int) -> bool:
        """In an archive, players who are hidden by now are rows without a name."""
        hidden = [each for each in self.all.board(slug, number).ratings if self.ledger.players[each].hidden_at]
        return number < self.ledger.current(slug) and not key and bool(hidden)

    def _friends(self, slug: str, viewer: Viewer) -> None:
        number, path = self.ledger.current(slug), f"/boards/{slug}/friends/"
        board = self.all.board(slug, number)
        followed = {row.followed.key for row in get_player(viewer.key).followings.select_related("followed")}
        among = board.among({*followed, viewer.key})
        page = self._open(path, viewer)
        for row in [row for row in page.all("tr") if row.one("td.c-rank")]:
            self._row(path, slug, number, viewer, among, row)
        for step in page.all("li.step"):
            self._step(path, slug, number, viewer, among, page, step)
        below = {_player_in(each) for part in page.all(".below") for each in part.all("li")}
        absent = {key for key in followed if key not in board.ratings}
        self.all.same(path, viewer, "everybody", "below the line", below - {viewer.key}, absent)

    def _distribution(self, slug: str, number: int, viewer: Viewer, board: Board) -> None:
        path = f"/boards/{slug}/distribution/?season={number}"
        page = self._open(path, viewer)
        counts = [
            int(row.all("td")[0].text.replace(",", ""))
            for table in page.all("table.spread-table")
            for row in table.all("tr")
            if row.all("td")
        ]
        self.all.same(path, viewer, "everybody", "players in all", sum(counts), board.listed)
        if viewer.key in board.ratings and (own := page.one("figcaption")) is not None:
            below = sum(value < board.ratings[viewer.key] for value in board.ratings.values())
            rating = self._text(slug, number, board.ratings[viewer.key])
            expected = f"You are at {rating}, above {below} of {board.listed}: top {board.top(viewer.key)} %."
            self.all.same(
                path, viewer, viewer.key, "own place", own.text.partition("You are")[1:], ("You are", expected[7:])
            )

    def _tiers(self, slug: str, number: int, viewer: Viewer, board: Board) -> None:
        path = f"/boards/{slug}/tiers/?season={number}"
        lines = self._open(path, viewer).all(".tier-line-head")
        held: dict[str, int] = {}
        for key in board.ratings:
            if tier := board.tier(key):
                held[tier.partition(" ")[0]] = held.get(tier.partition(" ")[0], 0) + 1
        above = 0
        for line in lines:
            name, words = _in(line, "h3"), _in(line, "p").partition(" · ")[2]
            first, last = above + 1, above + held.get(name, 0)
            expected = "nobody now" if last < first else _places(first, last, board.listed)
            self.all.same(path, viewer, name, "places", words, expected if board.gives_tiers else "")
            above = last

    def _seasons(self, slug: str, viewer: Viewer) -> None:
        path = f"/boards/{slug}/seasons/"
        cards = [card for part in self._open(path, viewer).all("ol.season-cards") for card in part.all("li.card")]
        last = self.ledger.current(slug)
        self.all.same(path, viewer, "everybody", "seasons", len(cards), last)
        for number, card in zip(range(last, 0, -1), cards, strict=False):
            ledger = self.ledger if number == last else self.site.archived[slug]
            matches = sum(
                (each.mode.slug, each.season and each.season.number) == (slug, number)
                for each in ledger.matches.values()
            )
            seen = re.findall(r"\d+", _in(card, ".season-counts").replace(",", ""))
            self.all.same(
                path,
                viewer,
                f"season {number}",
                "players, matches",
                seen,
                [f"{self.all.board(slug, number).listed}", f"{matches}"],
            )
            board = self.all.board(slug, number)
            key = viewer.key
            own = f"#{board.rank(key)} of {board.listed}" if key in board.ratings else ""
            self.all.same(path, viewer, key, f"season {number}", _in(card, ".season-own-rank a"), own)

    # Home

    def _home(self, viewer: Viewer) -> None:
        page = self._open("/", viewer)
        for card in page.all("article.mode-card"):
            slug, number, board = self._mode_in(card)
            self.all.same("/", viewer, slug, "listed", _in(card, "footer p").split()[0], f"{board.listed}")
            for leader in card.all("li"):
                self._leader(viewer, leader, slug, number, "leader")
        for own in page.all("article.own-mode"):
            self._own_mode(viewer, own)
        rivals = page.all("ol.rivals")
        for rival in [each for part in rivals for each in part.all("li")]:
            slug = _query(rival.links[0])["mode"]
            self._leader(viewer, rival, slug, self.ledger.current(slug), "rival")
        for last in page.all("section.last-match"):
            self._last_match(viewer, last)

    def _leader(self, viewer: Viewer, line: Element, slug: str, number: int, what: str) -> None:
        board, key = self.all.board(slug, number), _player_in(line)
        seen = (_in(line, ".leader-rank"), _in(line, ".leader-rating"))
        expected = (f"{board.rank(key)}", self._text(slug, number, board.ratings[key]))
        self.all.same("/", viewer, key, f"{what} in {slug}", seen, expected)

    def _own_mode(self, viewer: Viewer, own: Element) -> None:
        slug, number, board = self._mode_in(own)
        key = viewer.key
        if key not in board.ratings:
            self.all.same("/", viewer, key, f"rank in {slug}", own.one(".own-rank"), None)
            return
        self.all.same(
            "/", viewer, key, f"rank in {slug}", _in(own, ".own-rank"), f"#{board.rank(key)} of {board.listed}"
        )
        facts = _in(own, ".own-facts")
        best = board.tier(key) or f"Top {board.top(key)} %"
        expected = f"{best} {self._text(slug, number, board.ratings[key])}"
        self.all.same("/", viewer, key, f"facts of {slug}", facts[: len(expected)], expected)
        before = self.site.yesterday[slug].board(slug, number).ratings.get(key)
        targets = [hint for hint in own.all("p.hint") if " to rank " in hint.text]
        self._target("/", slug, number, viewer, board, key, targets[0] if targets else None)
        if before is not None and (since := own.one("span.delta")) is not None:
            self.all.same(
                "/",
                viewer,
                key,
                f"since yesterday in {slug}",
                since.text,
                self._delta(slug, before, board.ratings[key]),
            )

    def _last_match(self, viewer: Viewer, last: Element) -> None:
        number = max(pk for pk, parts in self.ledger.parts.items() if viewer.key in parts)
        change = self.ledger.changes_of_match[number].get(viewer.key)
        if change is None or number in self.ledger.voids:
            return
        slug, part = change.mode.slug, self.ledger.parts[number][viewer.key]
        word = WORDS[change.outcome]
        if part.places > 2 and change.outcome != "left":
            word = f"{_ordinal(part.place)} of {part.places}"
        expected = f"{word} {self._delta(slug, change.display_before, change.display_after)}".rstrip()
        self.all.same("/", viewer, viewer.key, "last match", _in(last, ".last-word"), expected)

    def _mode_in(self, card: Element) -> tuple[str, int, Board]:
        slug = next(link for link in card.links if link.startswith("/boards/")).split("/")[2]
        number = self.ledger.current(slug)
        return slug, number, self.all.board(slug, number)

    # Players

    def _player_by_some(self, key: str) -> None:
        for viewer in self.all.some(self.clients, 1):
            for slug in self.ledger.modes:
                numbers = self.ledger.seasons_of(key, slug)
                if numbers:
                    self._player(key, slug, viewer)
                    self._badge(key, slug, viewer)
                    self._matches(key, slug, viewer)
                for number in numbers:
                    self._season(key, slug, number, viewer)

    def _player(self, key: str, slug: str, viewer: Viewer) -> None:
        path, current = f"/players/{key}/?mode={slug}", self.ledger.current(slug)
        page, number = self._open(path, viewer), self.ledger.seasons_of(key, slug)[0]
        record = self.all.counts(key, slug, number)
        if record is None or not page.one(".standing"):
            return
        live = self.all.sees_live(key, slug, number, viewer)
        sees = self.all.sees_matches(key, viewer)
        self._standing(path, key, slug, number, viewer, page, live=live)
        self._record(path, key, slug, viewer, page, record)
        facts = _facts(page.one("dl.record"))
        running, longest = record.streaks if number == current or sees else (0, 0)
        best = running > 1 and running == longest  # then one figure says both
        expected = {
            "streak": f"{running} (longest)" if sees and best else _above_one(running) if sees else None,
            "Longest streak": _above_one(longest) if sees and not best else None,
            "Peak rating": self._text(slug, number, record.peak) if sees and live and record.peak is not None else None,
        }
        seen = {name: facts.get(name) for name in expected}
        seen["streak"] = facts.get("Winning streak") or facts.get("Top-half streak")
        for what, value in expected.items():
            self.all.same(path, viewer, key, what, seen[what], value)
        if sees:
            form = page.one("div.form")
            chips = [each.text for each in form.all("li")] if form else []
            self.all.same(path, viewer, key, "matches in the form", len(chips), min(FORM, len(record.played)))
            self._lines(path, key, slug, viewer, page, live=live)
            self._companions(path, key, slug, number, viewer, page, record)
            self._maps(path, key, viewer, page, slug, record)
            self._activity(path, key, slug, viewer, page)
        else:
            self.all.same(path, viewer, key, "lines", len(page.all("li.line")), 0)
        self._season_lines(path, key, slug, viewer, page)

    def _standing(
        self, path: str, key: str, slug: str, number: int, viewer: Viewer, page: Element, *, live: bool
    ) -> None:
        board, part = self.all.board(slug, number), page.one("section.standing")
        assert part is not None
        facts = {
            _in(p, ".standing-label"): p.text.removeprefix(_in(p, ".standing-label")).strip()
            for p in part.all("p")
            if p.one(".standing-label")
        }
        hidden = self.ledger.players[key].hidden_at and number < self.ledger.current(slug)
        if key in board.ratings and not hidden:
            rating = self._text(slug, number, board.ratings[key])
            record = self.all.counts(key, slug, number)
            assert record is not None
            now = self.ledger.text(slug, record.rating)
            change = self._delta(slug, board.ratings[key], record.rating)
            expected = {
                "Rank": f"#{board.rank(key)} of {board.listed}",
                "Rating": rating if now == rating or "/seasons/" in path else f"{rating} live {now} {change}",
                "Top share": f"Top {board.top(key)} %",
                "Tier": board.tier(key) if "/seasons/" in path else _tier_with_places(board, key),
            }
            seen = {
                name: facts.get(name, facts.get(f"Final {name.lower()}", facts.get(f"{name} so far")))
                for name in expected
            }
            seen["Rank"] = (seen["Rank"] or "").partition(" #")[0]  # behind it: the rank after the last match
            seen["Tier"] = seen["Tier"] if board.tier(key) else None
            for what, value in expected.items():
                self.all.same(path, viewer, key, what, seen[what], value)
        else:
            self.all.same(path, viewer, key, "Rank", facts.get("Rank"), None)
            if "/seasons/" not in path:
                rating = (
                    f"{self.ledger.text(slug, self.ledger.records[key, slug, number].rating)} live" if live else None
                )
                self.all.same(path, viewer, key, "Rating", facts.get("Rating"), rating)

    def _record(self, path: str, key: str, slug: str, viewer: Viewer, page: Element, record: Record) -> None:
        facts = _facts(page.one("dl.record"))
        share = self._share(record, slug)
        if self.ledger.teams(slug) == 2:
            expected = {"Won": record.wins, "Drawn": record.draws, "Lost": record.losses, "Left": record.leaves}
            expected |= {"Win rate": f"{share} %"} if share is not None else {}
        else:
            firsts = record.wins + record.draws
            expected = {
                "Matches": len(record.played),
                "First": firsts,
                "Podiums": record.podiums,
                "Left": record.leaves,
            }
            if record.completed:
                expected |= {
                    "Top half": f"{share} %",
                    "Average place": f"{record.average_place} of {self.ledger.teams(slug)}",
                }
        for what, value in expected.items():
            self.all.same(path, viewer, key, what, facts.get(what), f"{value}")

    def _lines(self, path: str, key: str, slug: str, viewer: Viewer, page: Element, *, live: bool) -> None:
        for line in page.all("li.line"):
            link = next((link for link in line.links if link.startswith("/matches/")), None)
            if link is None:
                continue
            pk = int(link.split("/")[2])
            change, part = self.ledger.changes_of_match[pk].get(key), self.ledger.parts[pk][key]
            if pk in self.ledger.voids or change is None:
                self.all.same(path, viewer, key, f"void match {pk}", line.one(".line-rating"), None)
                continue
            seen = [_in(line, chosen) for chosen in (".line-change", ".line-rating", ".line-rank")]
            expected = [self._delta(slug, change.display_before, change.display_after) if live else "",
                        self.ledger.text(slug, change.display_after) if live else "",
                        f"#{part.rank_after}" if part.rank_after else ""]  # fmt: skip
            self.all.same(path, viewer, key, f"line of match {pk}", seen, expected)
            chip = line.one("span.chip")
            style = change.outcome
            if part.places > 2 and not part.left_early:
                style = "upper" if 2 * part.place <= part.places else "lower"
                self.all.same(path, viewer, key, f"place in match {pk}", chip and chip.text, _ordinal(part.place))
            self.all.same(
                path, viewer, key, f"outcome of match {pk}", chip and chip.attributes["class"], f"chip chip-{style}"
            )

    def _companions(
        self, path: str, key: str, slug: str, number: int, viewer: Viewer, page: Element, record: Record
    ) -> None:
        two = self.ledger.teams(slug) == 2
        card = next(
            (part for part in page.all("section.company") if part.one("h2") and _in(part, "h2") == "With and against"),
            None,
        )
        for part in card.all("section") if card else []:
            together = _in(part, "h3") == "Most often with"
            for row in part.all("li"):
                other = _player_in(row)
                met = [each for each in record.played if other in self.ledger.parts[each.match.pk]
                       and (self.ledger.parts[each.match.pk][other].team == each.part.team) == together]  # fmt: skip
                results = [
                    self._result_with(each.match.pk, key, other, each.change, two=two, together=together)
                    for each in met
                ]
                numbers = _numbers(_in(row, ".met-result"))
                expected = [
                    f"{results.count(1)}",
                    f"{results.count(0)}",
                    f"{len(met) - results.count(1) - results.count(0)}",
                ]
                self.all.same(
                    path,
                    viewer,
                    key,
                    f"matches {'with' if together else 'against'} {other}",
                    _numbers(_in(row, ".met-count"))[:1],
                    [f"{len(met)}"],
                )
                self.all.same(
                    path,
                    viewer,
                    key,
                    f"results {'with' if together else 'against'} {other}",
                    numbers,
                    expected if two or not together else expected[:1],
                )

    def _result_with(self, pk: int, key: str, other: str, change: Change, *, two: bool, together: bool) -> int:
        """1 for a win, 0 for a draw, −1 for all else."""
        if two:
            return {"win": 1, "draw": 0}.get(change.outcome, -1)
        own, theirs = (
            (part.left_early, part.place) for part in (self.ledger.parts[pk][key], self.ledger.parts[pk][other])
        )
        return (own < theirs) - (own > theirs)

    def _maps(self, path: str, key: str, viewer: Viewer, page: Element, slug: str, record: Record) -> None:
        maps = page.one("section.maps")
        for row in [row for row in maps.all("tr") if row.all("td")] if maps else []:
            name, cells = _in(row, "th"), [cell.text for cell in row.all("td")]
            played = [each for each in record.played if each.match.variant == name]
            own = Record(record.changes, played, 0, None)
            if self.ledger.teams(slug) == 2:
                expected = [f"{len(played)}", f"{own.wins}–{own.draws}–{own.losses}", f"{self._share(own, slug)} %"]
            else:
                place = own.average_place if own.completed else "–"
                firsts = own.count(lambda each: each.is_first)
                expected = [f"{len(played)}", f"{firsts}", f"{self._share(own, slug)} %", place]
            self.all.same(path, viewer, key, f"map {name}", cells[: len(expected)], expected)

    def _activity(self, path: str, key: str, slug: str, viewer: Viewer, page: Element) -> None:
        card = page.one("figure.activity")
        played = [
            each
            for (player, mode, _), record in self.ledger.records.items()
            if (player, mode) == (key, slug)
            for each in record.played
        ]
        days = {each.match.ended_at.date() for each in played}
        if card is not None and played:
            self.all.same(
                path,
                viewer,
                key,
                "activity",
                _numbers(_in(card, "figcaption p"))[:2],
                [f"{len(played)}", f"{len(days)}"],
            )

    def _season_lines(self, path: str, key: str, slug: str, viewer: Viewer, page: Element) -> None:
        for line in [line for part in page.all(".season-lines") for line in part.all("li")]:
            number = int(next(link for link in line.links if "/seasons/" in link).strip("/").split("/")[-1])
            board, record = self.all.board(slug, number), self.site.archived[slug].records[key, slug, number]
            listed = key in board.ratings
            expected = [f"#{board.rank(key)} of {board.listed}" if listed else "not ranked",
                        self._text(slug, number, board.ratings[key]) if listed else "",
                        (board.tier(key) or f"Top {board.top(key)} %") if listed else "",
                        f"{record.wins}–{record.draws}–{record.losses}"]  # fmt: skip
            seen = [
                _in(line, chosen) for chosen in (".season-rank", ".season-rating", ".season-tier", ".season-record")
            ]
            self.all.same(path, viewer, key, f"season {number}", seen, expected)

    def _season(self, key: str, slug: str, number: int, viewer: Viewer) -> None:
        path = f"/players/{key}/seasons/{slug}/{number}/"
        response = self.clients[viewer].get(path)
        if response.status_code == 404:  # a hidden player's archive, or nothing that boards know
            return
        page = self._open(path, viewer)
        record, live = self.all.counts(key, slug, number), self.all.sees_live(key, slug, number, viewer)
        if record is None:
            return
        self._standing(path, key, slug, number, viewer, page, live=live)
        self._record(path, key, slug, viewer, page, record)
        facts = _facts(page.one("dl.season-facts"))
        now = self.ledger.records.get((key, slug, number))  # what stands out follows the ledger
        if page.one("dl.season-facts") is not None and now is not None:
            peak = None if now.peak is None or not live else self._text(slug, number, now.peak)
            longest = max(0, _longest([each.is_first for each in now.played]))
            expected = {
                "Peak rating": peak,
                "Best rank": now.best_rank and f"#{now.best_rank}",
                "Longest streak": _above_one(longest),
            }
            for what, value in expected.items():
                self.all.same(path, viewer, key, what, facts.get(what), value)

    def _matches(self, key: str, slug: str, viewer: Viewer) -> None:
        for number in self.ledger.seasons_of(key, slug):
            record = self.ledger.records[key, slug, number]
            live = self.all.sees_live(key, slug, number, viewer)
            results = TWO_TEAMS if self.ledger.teams(slug) == 2 else MORE_TEAMS
            for result in self.all.rng.sample(["", *results], 2):
                path = f"/players/{key}/matches/?mode={slug}&season={number}" + (f"&result={result}" if result else "")
                pages = list(self._lines_pages(path, viewer))
                links = [
                    int(link.split("/")[2])
                    for page in pages
                    for line in page.all("li.line")
                    for link in line.links
                    if link.startswith("/matches/")
                ]
                if not self.all.sees_matches(key, viewer):
                    self.all.same(path, viewer, key, "matches", links, [])
                    continue
                chosen = [
                    each.match.pk for each in record.played if not result or _is_result(each.part, each.change, result)
                ]
                void = [] if result else self.ledger.voids_of(key, slug, number)
                if number == self.ledger.seasons_of(key, slug)[0] or self._sees_seasons(key, viewer):
                    self.all.same(path, viewer, key, "matches", sorted(links), sorted(chosen + void))
                    for page in pages:
                        self._lines(path, key, slug, viewer, page, live=live)

    def _sees_seasons(self, key: str, viewer: Viewer) -> bool:
        """Others don't see the archived seasons of a hidden player."""
        return not self.ledger.players[key].hidden_at or viewer.everything or viewer.key == key

    def _lines_pages(self, path: str, viewer: Viewer) -> Iterator[Element]:
        page = self._open(path, viewer)
        yield page
        while more := [a for part in page.all("li.more") for a in part.all("a")]:
            page = self._open(_joined(path, more[0].attributes["href"].partition("#")[0]), viewer)
            yield page

    def _comparison(self, first: str, second: str, viewer: Viewer) -> None:
        for slug in self.ledger.modes:
            number = self.ledger.current(slug)
            if any(number not in self.ledger.seasons_of(key, slug) for key in (first, second)):
                continue
            path = f"/compare/{first}/{second}/?mode={slug}"
            page, board = self._open(path, viewer), self.all.board(slug, number)
            rows = {
                _in(row, "th"): [cell.text for cell in row.all("td")]
                for table in page.all("table.versus-table")
                for row in table.all("tr")
                if row.one("th")
            }
            for index, key in enumerate((first, second)):
                record, listed = self.ledger.records[key, slug, number], key in board.ratings
                off_board = "not on the board" if {first, second} & board.ratings.keys() else ""
                expected = {
                    "Rating": self._text(slug, number, board.ratings[key]) if listed else off_board,
                    "Top share": f"Top {board.top(key)} %" if listed else off_board,
                    "Left early": f"{record.leaves}",
                }
                if listed:
                    expected |= {"Rank": f"#{board.rank(key)}"} | ({"Tier": board.tier(key)} if board.tier(key) else {})
                if self.ledger.teams(slug) == 2:
                    expected["Won · drawn · lost"] = f"{record.wins} · {record.draws} · {record.losses}"
                else:
                    expected |= {
                        "Matches": f"{len(record.played)}",
                        "First": f"{record.wins + record.draws}",
                        "Podiums": f"{record.podiums}",
                    }
                    expected |= (
                        {"Top half": f"{self._share(record, slug)} %", "Average place": f"{record.average_place} of 7"}
                        if record.completed
                        else {}
                    )
                for what, value in expected.items():
                    self.all.same(path, viewer, key, what, rows.get(what, ["", ""])[index], value)
            self._meetings(path, slug, viewer, page, rows, (first, second))

    def _meetings(
        self, path: str, slug: str, viewer: Viewer, page: Element, rows: dict[str, list[str]], pair: tuple[str, str]
    ) -> None:
        hiding = [key for key in pair if not self.all.sees_matches(key, viewer)]
        met = self.ledger.meetings(*pair, slug)
        if hiding and viewer.key not in pair:
            self.all.same(path, viewer, " and ".join(pair), "meetings", len(page.all("li.meeting")), 0)
            return
        wins = next(
            (cells for name, cells in rows.items() if name.startswith(("Wins against", "Finished ahead"))), None
        )
        expected = [f"{sum(ahead == key for _, ahead in met)}" for key in pair]
        self.all.same(path, viewer, " and ".join(pair), "wins against each other", wins, expected)
        hint = page.one("section.meetings")
        even = sum(ahead == "" for _, ahead in met)
        numbers = (
            _numbers(
                _in(hint, "p.hint")
                .replace("One of them", "1 of them")
                .replace("one match", "1 matches")
                .replace("In one of", "In 1 of")
            )
            if hint
            else []
        )
        listed = 10 if len(met) > 10 else 0  # it is told only if there are more
        told = [f"{number}" for number in (len(met), even, listed) if number]
        self.all.same(path, viewer, " and ".join(pair), "meetings, even ones, listed", numbers, told)
        for meeting, (pk, ahead) in zip(page.all("li.meeting"), met[:10], strict=False):
            self.all.same(path, viewer, " and ".join(pair), "meeting", meeting.links[0], f"/matches/{pk}/")
            who = _in(meeting, ".meeting-who")
            name = self.ledger.players[ahead].name if ahead in pair else ""
            won = f"{name} won" if self.ledger.teams(slug) == 2 else f"{name} finished ahead"
            if ahead == "left":
                self.all.same(path, viewer, " and ".join(pair), f"meeting {pk}", who.endswith("left"), True)
            else:
                self.all.same(
                    path,
                    viewer,
                    " and ".join(pair),
                    f"meeting {pk}",
                    who,
                    won if ahead else "A draw" if self.ledger.teams(slug) == 2 else "They shared a place",
                )

    def _badge(self, key: str, slug: str, viewer: Viewer) -> None:
        """The same for everybody."""
        path, number = f"/players/{key}/badge.svg?mode={slug}", self.ledger.current(slug)
        response = self.clients[viewer].get(path)
        if response.status_code != 200:
            return
        drawn, board = read_page(response.content.decode()), self.all.board(slug, number)
        self.all.no_secrets(
            path, Viewer(viewer.name), [each for part in drawn.all("text") for each in part.everything()]
        )
        listed = key in board.ratings and not self.ledger.players[key].hidden_at
        parts = [board.tier(key), f"#{board.rank(key)}", self._text(slug, number, board.ratings[key])] if listed else []
        expected = " · ".join(part for part in parts if part)
        if listed:
            self.all.same(path, viewer, key, "badge", drawn.all("text")[1].text, expected)

    # Matches

    def _match(self, match: Match, viewer: Viewer) -> None:
        path, slug = f"/matches/{match.pk}/", match.mode.slug
        page = self._open(path, viewer)
        changes, parts = self.ledger.changes_of_match[match.pk], self.ledger.parts[match.pk]
        unseen = self.all.unseen(match, viewer)
        hero = page.one("section.hero")
        table = next((each for card in page.all(".scoreboard") for each in card.all("table")), None)
        assert table is not None, path
        headings = [each.text for head in table.all("thead") for each in head.all("th")]
        bodies = table.all("tbody.seat")
        self.all.same(path, viewer, "match", "players", {_player_in(body) for body in bodies}, {*parts})
        void = match.pk in self.ledger.voids or match.uncounted
        for body in bodies:
            key = _player_in(body)
            if key not in parts:
                continue
            cells, change, part = _cells(body, headings), changes.get(key), parts[key]
            why = hero if key == viewer.key else body.one("tr.why")
            facts = _facts(why.one("dl") if why is not None else None)
            if change is None or void:
                self.all.same(path, viewer, key, "change", cells.get("Change", ""), "")
                self._passing(path, viewer, key, facts, None)
                continue
            hidden = key in unseen
            texts = [self.ledger.text(slug, value) for value in (change.display_before, change.display_after)]
            ranked = part.rank_before or part.rank_after
            ranks = (f"{part.rank_before or 'unranked'}", f"{part.rank_after or 'unranked'}")
            tops = [
                f"Top {max(1, -(-100 * r // n))} %" if r else "none"
                for r, n in ((part.rank_before, part.listed_before), (part.rank_after, part.listed_after))
            ]
            expected = {
                "Change": "in placement" if hidden else self._delta(slug, change.display_before, change.display_after),
                "Rating": "in placement" if hidden else " ".join(texts),
                "Rank": " ".join(ranks) if ranked else "unranked",
            }
            for what, value in expected.items():
                self.all.same(path, viewer, key, what, cells.get(what, "unranked"), value)
            self.all.same(path, viewer, key, "Top share", facts.get("Top share"), " ".join(tops) if ranked else None)
            self._passing(path, viewer, key, facts, self.ledger.passings.get((match.pk, key)))
            if unseen and key != viewer.key:
                self.all.same(path, viewer, key, "reasons", body.one(".reasons"), None)
        if hero is not None and viewer.key in changes and not void:
            change = changes[viewer.key]
            delta = self._delta(slug, change.display_before, change.display_after)
            self.all.same(path, viewer, viewer.key, "hero", _in(hero, ".hero-number"), delta)
            if unseen:
                self.all.same(
                    path,
                    viewer,
                    viewer.key,
                    "finish beside players in placement",
                    _facts(hero.one("dl")).get("Against the field"),
                    None,
                )

    def _passing(
        self, path: str, viewer: Viewer, key: str, facts: dict[str, str], kept: tuple[int, int] | None
    ) -> None:
        """How many a player passed, and how many passed them: names, and how many more there are."""
        for way, count in zip(("Passed", "Passed by"), kept or (0, 0), strict=True):
            text = facts.get(way, "")
            more = re.search(r"(\d+) (?:more|players?)$", text)
            names = text[: more.start()].removesuffix("and ").strip() if more else text
            seen = (len(names.split(", ")) if names else 0) + (int(more[1]) if more else 0)
            self.all.same(path, viewer, key, way, seen, count)

    # Search, and one's own data

    def _search(self, viewer: Viewer) -> None:
        page = self._open("/search/?q=regular", viewer)
        for person in page.all("li"):
            if (boards := person.one(".people-boards")) is None:
                continue
            key = _player_in(person)
            names = {mode.name: slug for slug, mode in self.ledger.modes.items()}
            for each in boards.all("span"):
                if each.one("b") is not None and not each.is_a(".tier"):
                    name = next(part.text for part in each.all("span") if part.text in names)
                    slug = names[name]
                    board = self.all.board(slug, self.ledger.current(slug))
                    rank = f"#{board.rank(key)}" if key in board.ratings else None
                    self.all.same("/search/?q=regular", viewer, key, f"rank in {slug}", _in(each, "b"), rank)
        for slug in self.ledger.modes:
            path, number = f"/boards/{slug}/?q=regular", self.ledger.current(slug)
            board = self.all.board(slug, number)
            for hit in self._open(path, viewer).all("li"):
                if hit.one(".hit-name") is None:
                    continue
                key = unquote(urlsplit(hit.links[0]).path).split("/")[2]
                seen = (_in(hit, ".hit-place"), _in(hit, ".hit-rating"))
                expected = ("", "")
                if key in board.ratings:
                    expected = (f"#{board.rank(key)} on the board", self._text(slug, number, board.ratings[key]))
                self.all.same(path, viewer, key, "hit", seen, expected)

    def _export(self, viewer: Viewer) -> None:
        path, document = "their data", json.loads("".join(export(get_player(viewer.key), LATER)))
        for row in document["ratings"]:
            slug, number = row["mode"], row["season"]
            record = self.all.counts(viewer.key, slug, number)
            if record is not None:
                seen = [
                    row[name] for name in ("wins", "draws", "losses", "leaves", "podiums", "top_halves", "place_sum")
                ]
                expected = [
                    record.wins,
                    record.draws,
                    record.losses,
                    record.leaves,
                    record.podiums,
                    record.top_halves,
                    record.place_sum,
                ]
                self.all.same(path, viewer, viewer.key, f"counts in {slug}, season {number}", seen, expected)


def _joined(path: str, link: str) -> str:
    return f"{path.partition('?')[0]}{link}" if link.startswith("?") else link


def _cells(body: Element, headings: list[str]) -> dict[str, str]:
    """The cells of a player's row by their headings; one that spans several stands under each of these."""
    texts: list[str] = []
    for cell in body.all("tr")[0].all("td"):
        texts += [cell.text] * int(cell.attributes.get("colspan", 1))
    return dict(zip(headings[1:], texts, strict=True))


def _without_gap(line: Element, what: str) -> str | None:
    """What a line of a board says there, without how far it is from one's own rating; None if it says nothing."""
    gap = _in(line, ".gap")
    return _in(line, what).removeprefix("global ").removesuffix(gap).strip() or None


def _in(element: Element, chosen: str) -> str:
    """The text of the first element below that is chosen by one or more steps, "" if there is none."""
    found: Element | None = element
    for step in chosen.split():
        found = found and found.one(step)
    return "" if found is None else found.text


def _facts(part: Element | None) -> dict[str, str]:
    return {_in(each, "dt"): _in(each, "dd") for each in part.all("div")} if part else {}


def _tier_with_places(board: Board, key: str) -> str | None:
    """A player's tier and the places that it holds with all its divisions."""
    tier = board.tier(key)
    if not tier:
        return tier
    name = tier.partition(" ")[0]
    alike = [board.rank(each) for each in board.ratings if (board.tier(each) or "").partition(" ")[0] == name]
    first = min(alike)
    return f"{tier} {_places(first, first + len(alike) - 1, board.listed)}"


def _places(first: int, last: int, listed: int) -> str:
    if first == last:
        return f"place {first} of {listed}"
    return f"the first {last} of {listed}" if first == 1 else f"places {first} to {last} of {listed}"


def _numbers(text: str) -> list[str]:
    return re.findall(r"\d[\d,]*(?:\.\d+)?", text)


def _query(address: str) -> dict[str, str]:
    return dict(pair.split("=", 1) for pair in urlsplit(address).query.split("&"))


def _player_in(element: Element) -> str:
    """The key of the first player whom the element links to; of two compared ones the second."""
    for link in element.links:
        parts = unquote(urlsplit(link).path).strip("/").split("/")
        if parts[0] in ("players", "compare"):
            return parts[1] if parts[0] == "players" else parts[2]
    return ""


def _above_one(number: int) -> str | None:
    return f"{number}" if number > 1 else None


def _longest(results: list[bool]) -> int:
    return max((len(run) for run in "".join("x" if each else " " for each in results).split()), default=0)


def _ordinal(number: int) -> str:
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number, 'th') }"


def _is_result(part: Participation, change: Change, result: str) -> bool:
    place, places = part.place or 0, part.places or 0
    if result in ("won", "drawn", "lost", "left"):
        return change.outcome == {"won": "win", "drawn": "draw", "lost": "loss", "left": "left"}[result]
    if change.outcome == "left":
        return False
    return {"first": place == 1, "podium": place <= 3, "upper": 2 * place <= places, "lower": 2 * place > places}[
        result
    ]
