"""Walks the API of a random site, and compares each number in its answers with the ledger."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ranking.models import Match
from tests.support.api import Answer, follow, get, make_key, make_token
from tests.support.ledger_reading import Board
from tests.support.random_sites import NEWCOMER, PLAYER, SPECIAL, get_player
from tests.support.seen_numbers import Comparison, Viewer

NOTHING = {"before": None, "after": None}
COUNTS = ("wins", "draws", "losses", "leaves", "podiums", "top_halves", "place_sum")


class ApiWalk:
    def __init__(self, comparison: Comparison) -> None:
        self.all, self.ledger = comparison, comparison.ledger
        self.keys = {
            Viewer("API, nobody"): "",
            Viewer("API, key of another source"): make_key("read", source="another"),
            Viewer("API, key with ratings:hidden", everything=True): make_key("ratings:hidden", source="another"),
            Viewer(f"API, {PLAYER}", PLAYER): make_token(get_player(PLAYER)),
            Viewer(f"API, {NEWCOMER}", NEWCOMER): make_token(get_player(NEWCOMER)),
        }

    def walk(self) -> None:
        for slug in self.ledger.modes:
            for number in range(1, self.ledger.current(slug) + 1):
                for viewer in self.all.some(self.keys):
                    self._board(slug, number, viewer)
            for viewer in self.all.some(self.keys):
                self._seasons(slug, viewer)
            for viewer in self.keys:
                if viewer.key:
                    self._friends(slug, viewer)
        for key in self.all.drawn(self.all.people, SPECIAL):
            self._player_by_some(key)
        for match in self.all.drawn(self.ledger.matches.values(), self.all.newest):
            for viewer in self.all.some(self.keys, 2):
                self._match(match, viewer)
        for viewer in self.all.some(self.keys):
            self._matches("matches/?limit=100", viewer, {*self.ledger.matches})

    def _get(self, path: str, viewer: Viewer, key: str | None = None) -> Answer:
        answer = get(path, key=self.keys[viewer] if key is None else key)
        spread = "/distribution/" in path  # the bounds of its columns are numbers of any kind
        self.all.no_secrets(path, viewer, [] if spread else [json.dumps(answer.body)])
        return answer

    def _items(self, path: str, viewer: Viewer) -> Iterator[dict[str, Any]]:
        answer = self._get(path, viewer)
        yield from answer.body["items"]
        while answer.body["next"]:
            answer = follow(answer.body["next"], key=self.keys[viewer])
            self.all.no_secrets(path, viewer, [json.dumps(answer.body)])
            yield from answer.body["items"]

    # Boards

    def _board(self, slug: str, number: int, viewer: Viewer) -> None:
        board, path = self.all.board(slug, number), f"boards/{slug}/?season={number}"
        self._rows(path, slug, number, viewer, board)
        for region in sorted({*board.regions.values()} - {""}):
            keys = [key for key, own in board.regions.items() if own == region]
            self._rows(f"{path}&region={region}", slug, number, viewer, board.among(keys))
        self._distribution(slug, number, viewer, board)

    def _rows(self, path: str, slug: str, number: int, viewer: Viewer, among: Board) -> None:
        board, published = self.all.board(slug, number), self.all.published(slug, number)
        rows = list(self._items(path, viewer))
        hidden = {
            key for key in among.ratings if number < self.ledger.current(slug) and self.ledger.players[key].hidden_at
        }
        same, ranks = self.all.same, [row["rank"] for row in rows]
        same(path, viewer, "everybody", "listed", self._get(path, viewer).body["listed"], among.listed)
        same(path, viewer, "everybody", "ranks", ranks, sorted(among.rank(key) for key in among.ratings))
        keys = sorted(row["player"]["id"] for row in rows)
        same(path, viewer, "everybody", "players", keys, sorted("" if key in hidden else key for key in among.ratings))
        for row in rows:
            key = row["player"]["id"]
            if key not in among.ratings:
                continue
            record = self.all.counts(key, slug, number)
            assert record is not None
            expected = {
                "rank": among.rank(key),
                "global_rank": board.rank(key),
                "matches": len(record.played),
                "rating": published.text(slug, board.ratings[key], grouped=False),
                "rank_day_ago": self._rank_yesterday(key, slug, number, among, path),
                **self._place(board, key),
            }
            for what, value in expected.items():
                same(path, viewer, key, what, row[what], value)

    def _place(self, board: Board, key: str) -> dict[str, Any]:
        tier = board.tier(key)
        name, _, division = (tier or "").partition(" ")
        return {
            "percentile": board.percentile(key),
            "top_percent": board.top(key),
            "tier": tier and {"name": name, "division": division or None, "label": tier},
        }

    def _rank_yesterday(self, key: str, slug: str, number: int, among: Board, path: str) -> int | None:
        """Among the same players or region, when today began."""
        if number < self.ledger.current(slug):
            return None
        before = self.all.site.yesterday[slug].board(slug, number)
        if "region=" in path:
            region = among.regions[key]
            before = before.among([other for other in before.ratings if before.regions[other] == region])
        return before.rank(key) if key in before.ratings else None

    def _friends(self, slug: str, viewer: Viewer) -> None:
        number, path = self.ledger.current(slug), f"boards/{slug}/?friends=me"
        board = self.all.board(slug, number)
        followed = {row["id"] for row in self._items("players/me/following/", viewer)}
        among = board.among({*followed, viewer.key})
        rows = list(self._items(path, viewer))
        for row in rows:
            key = row["player"]["id"]
            expected = among.rank(key) if key in among.ratings else None
            self.all.same(path, viewer, key, "rank", row["rank"], expected)
            self.all.same(path, viewer, key, "global_rank", row["global_rank"], expected and board.rank(key))
            rating = expected and self.all.published(slug, number).text(slug, board.ratings[key], grouped=False)
            self.all.same(path, viewer, key, "rating", row["rating"], rating)
        self.all.same(
            path, viewer, "everybody", "players", {row["player"]["id"] for row in rows}, {*followed, viewer.key}
        )

    def _distribution(self, slug: str, number: int, viewer: Viewer, board: Board) -> None:
        for least in (0, 10):
            path = f"boards/{slug}/distribution/?season={number}&matches={least}"
            answer = self._get(path, viewer).body
            keys = [
                key
                for key in board.ratings
                if (record := self.all.counts(key, slug, number)) and record.completed >= least
            ]
            values = sorted((board.ratings[key] for key in keys), reverse=True)
            same = self.all.same
            same(path, viewer, "everybody", "listed", answer["listed"], board.listed)
            same(path, viewer, "everybody", "players", answer["players"], len(values))
            same(path, viewer, "everybody", "sum of bars", sum(bar["players"] for bar in answer["bars"]), len(values))
            median = (
                self.all.published(slug, number).text(slug, values[(len(values) - 1) // 2], grouped=False)
                if values
                else None
            )
            same(path, viewer, "everybody", "median", answer["median"], median)
            for bar in answer["bars"][1:-1]:
                inside = sum(float(bar["low"]) <= value / 100 < float(bar["high"]) for value in values)
                same(path, viewer, "everybody", f"bar from {bar['low']}", bar["players"], inside)

    def _seasons(self, slug: str, viewer: Viewer) -> None:
        path = f"modes/{slug}/seasons/"
        for line in self._items(path, viewer):
            number = line["number"]
            current = number == self.ledger.current(slug)
            ledger, board = (self.ledger if current else self.all.site.archived[slug]), self.all.board(slug, number)
            matches = sum(
                (match.mode.slug, match.season and match.season.number) == (slug, number)
                for match in ledger.matches.values()
            )
            self.all.same(path, viewer, f"season {number}", "listed", line["listed"], board.listed)
            self.all.same(path, viewer, f"season {number}", "matches", line["matches"], matches)
            ranks = [] if current else sorted(map(board.rank, board.ratings))[:3]
            self.all.same(
                path, viewer, f"season {number}", "champions", [each["rank"] for each in line["champions"]], ranks
            )
            for champion in line["champions"]:
                if champion["player"] is not None:
                    rating = ledger.text(slug, board.ratings[champion["player"]], grouped=False)
                    self.all.same(path, viewer, champion["player"], "rating", champion["rating"], rating)

    # Players

    def _player_by_some(self, key: str) -> None:
        for viewer in self.all.some(self.keys, 1 if key.startswith("crowd") else 2):
            self._player(key, viewer)
            for slug in self.ledger.modes:
                if self.ledger.seasons_of(key, slug):
                    self._history(key, slug, viewer)
                    self._past_seasons(key, slug, viewer)

    def _player(self, key: str, viewer: Viewer) -> None:
        path = f"players/{key}/"
        answer = self._get(path, viewer).body
        slugs = {slug for slug in self.ledger.modes if self.ledger.current(slug) in self.ledger.seasons_of(key, slug)}
        self.all.same(path, viewer, key, "modes", {mode["mode"] for mode in answer["modes"]}, slugs)
        for mode in answer["modes"]:
            slug, number = mode["mode"], self.ledger.current(mode["mode"])
            record, board = self.ledger.records[key, slug, number], self.all.board(slug, number)
            listed = key in board.ratings
            nothing = dict.fromkeys(("percentile", "top_percent", "tier"))
            live = self.all.sees_live(key, slug, number, viewer)
            expected = {
                "season": number,
                "rank": board.rank(key) if listed else None,
                "rating": self.all.published(slug, number).text(slug, board.ratings[key], grouped=False)
                if listed
                else None,
                "live_rating": self.ledger.text(slug, record.rating, grouped=False) if live else None,
                "listed": board.listed,
                **(self._place(board, key) if listed else nothing),
                **{name: getattr(record, name) for name in COUNTS},
            }
            for what, value in expected.items():
                self.all.same(path, viewer, key, f"{slug}: {what}", mode[what], value)
            absence = mode["unlisted"] or {"reason": None, "done": 0, "needed": 0}
            self.all.same(path, viewer, key, f"{slug}: unlisted", absence["reason"], self.all.absence(key, slug))
            if absence["reason"] == "unplaced":
                done = absence["done"], absence["needed"]
                self.all.same(path, viewer, key, f"{slug}: placement", done, (record.helpful, record.needed))

    def _past_seasons(self, key: str, slug: str, viewer: Viewer) -> None:
        path = f"players/{key}/seasons/?mode={slug}"
        answer = self._get(path, viewer)
        secret = self.ledger.players[key].hidden_at and not viewer.everything and viewer.key != key
        self.all.same(path, viewer, key, "status", answer.status, 404 if secret else 200)
        if secret or slug not in self.all.site.archived:
            return
        archived = self.all.site.archived[slug]
        numbers = archived.seasons_of(key, slug)
        self.all.same(path, viewer, key, "seasons", [line["number"] for line in answer.body["items"]], numbers)
        for line in answer.body["items"]:
            if line["number"] in numbers:
                number, board = line["number"], archived.board(slug, line["number"])
                record, listed = archived.records[key, slug, number], key in board.ratings
                expected = {
                    "rank": board.rank(key) if listed else None,
                    "rating": archived.text(slug, board.ratings[key], grouped=False) if listed else None,
                    "listed": board.listed if listed else None,
                    "matches": len(record.played),
                    **(self._place(board, key) if listed else {}),
                    **{name: getattr(record, name) for name in COUNTS},
                }
                for what, value in expected.items():
                    self.all.same(path, viewer, key, f"season {number}: {what}", line[what], value)

    def _history(self, key: str, slug: str, viewer: Viewer) -> None:
        path, number = f"players/{key}/history/?mode={slug}&limit=100", self.ledger.current(slug)
        record = self.ledger.records.get((key, slug, number))
        answer = self._get(path, viewer)
        status = 403 if not self.all.sees_matches(key, viewer) else 200 if record is not None and record.begun else 404
        self.all.same(path, viewer, key, "status", answer.status, status)
        if answer.status != 200 or record is None:
            return
        steps = list(self._items(path, viewer))
        changes = [row for row in reversed(record.changes) if row.match_id not in self.ledger.voids]
        voids = self.ledger.voids_of(key, slug, number)
        self.all.same(path, viewer, key, "void matches", sorted(s["match"] for s in steps if s["void"]), voids)
        live = [step for step in steps if not step["void"]]
        self.all.same(
            path, viewer, key, "steps", [(s["kind"], s["match"]) for s in live], [(c.kind, c.match_id) for c in changes]
        )
        sees = self.all.sees_live(key, slug, number, viewer)
        for step, change in zip(live, changes, strict=False):
            part = self.ledger.parts[change.match_id][key] if change.match_id else None
            texts = [
                self.ledger.text(slug, value, grouped=False) for value in (change.display_before, change.display_after)
            ]
            expected: dict[str, Any] = {
                "rating": dict(zip(("before", "after"), texts, strict=True)) if sees else NOTHING,
                "outcome": change.outcome or None,
                "place": part and part.place,
                "places": part and part.places,
            }
            standing = part or self.ledger.forfeits.get(change.event_id)
            for name in ("rank", "percentile", "listed"):
                expected[name] = {when: getattr(standing, f"{name}_{when}", None) for when in ("before", "after")}
            for what, value in expected.items():
                self.all.same(path, viewer, key, f"step of {change.event_id}: {what}", step[what], value)

    # Matches

    def _match(self, match: Match, viewer: Viewer) -> None:
        path = f"matches/{match.pk}/"
        answer, post = self._get(path, viewer).body, self._get(f"{path}post-game/", viewer).body
        changes, parts = self.ledger.changes_of_match[match.pk], self.ledger.parts[match.pk]
        unseen = self.all.unseen(match, viewer)
        state = (
            "void" if match.pk in self.ledger.voids or match.uncounted else "rated" if match.event_id else "recorded"
        )
        self.all.same(path, viewer, "match", "state", answer["state"], state)
        self.all.same(
            path, viewer, "match", "players of changes", {each["player"] for each in answer["changes"]}, {*changes}
        )
        for change in answer["changes"]:
            if change["player"] in changes:
                self._change(path, viewer, change["player"], match, change, unseen)
        seats = {
            seat["player"]["id"]: (index, seat) for index, team in enumerate(post["teams"]) for seat in team["players"]
        }
        self.all.same(path, viewer, "match", "players", {key: index for key, (index, _) in seats.items()},
                      {key: part.team for key, part in parts.items()})  # fmt: skip
        for index, team in enumerate(post["teams"]):
            members = [key for key, part in parts.items() if part.team == index]
            chance = next((changes[key].win_probability for key in members if key in changes), None)
            if chance is not None and unseen and team["win_probability"] is not None:
                near = abs(team["win_probability"] - chance) <= 0.01
                self.all.same(
                    path,
                    viewer,
                    f"team {index}",
                    "chance in whole per cent",
                    (near, team["win_probability"]),
                    (True, round(team["win_probability"], 2)),
                )
            elif team["win_probability"] is not None:
                self.all.same(path, viewer, f"team {index}", "chance", team["win_probability"], chance)
            if members and parts[members[0]].place and state != "void":
                self.all.same(path, viewer, f"team {index}", "place", team["place"], parts[members[0]].place)
        for key, (_, seat) in seats.items():
            self.all.same(path, viewer, key, "left_early", seat["left_early"], parts[key].left_early)
            if key in changes:
                self._change(f"{path}post-game/", viewer, key, match, seat, unseen)
                self._seat(f"{path}post-game/", viewer, key, match, seat, unseen)

    def _change(
        self, path: str, viewer: Viewer, key: str, match: Match, seen: dict[str, Any], unseen: set[str]
    ) -> None:
        change, part = self.ledger.changes_of_match[match.pk][key], self.ledger.parts[match.pk][key]
        slug = match.mode.slug
        texts = [
            self.ledger.text(slug, value, grouped=False) for value in (change.display_before, change.display_after)
        ]
        then = [value if value is None else self.ledger.text(slug, value, grouped=False)
                for value in (part.display_before, part.display_after)]  # fmt: skip
        expected: dict[str, Any] = {"outcome": change.outcome, "place": part.place, "places": part.places}
        for what, values in {"rating": texts, "standing_rating": then}.items():
            expected[what] = NOTHING if key in unseen else dict(zip(("before", "after"), values, strict=True))
        for what in ("rank", "percentile", "listed"):
            expected[what] = {when: getattr(part, f"{what}_{when}") for when in ("before", "after")}
        for what, value in expected.items():
            self.all.same(path, viewer, key, what, seen[what], value)

    def _seat(self, path: str, viewer: Viewer, key: str, match: Match, seat: dict[str, Any], unseen: set[str]) -> None:
        """Reasons tell a rating; so they are nobody's but one's own beside players in placement."""
        if unseen and key != viewer.key:
            reasons = (seat["reasons"], seat["equation"], seat["finish"])
            self.all.same(path, viewer, key, "reasons", reasons, ([], "", None))
        passing = seat["passing"]
        counts = None if passing is None else (passing["passed"], passing["passed_by"])
        void = match.pk in self.ledger.voids or match.uncounted
        self.all.same(path, viewer, key, "passing", counts, None if void else self.ledger.passings.get((match.pk, key)))
        for way in ("passed", "passed_by") if passing else ():
            named = len(passing[f"{way}_players"]) <= min(5, passing[way])
            self.all.same(path, viewer, key, f"{way}: names that are counted", named, True)

    def _matches(self, path: str, viewer: Viewer, expected: set[int]) -> None:
        numbers = [each["number"] for each in self._items(path, viewer)]
        self.all.same(path, viewer, "everybody", "matches", sorted(numbers), sorted(expected))
