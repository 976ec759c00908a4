# SPDX-License-Identifier: Apache-2.0
"""Rungs for game servers: results that outlive crashes, and the calls that servers and players make.

One file for Python 3.9 or newer, without dependencies: copy it into your project. docs/clients.md describes it.
"""

from __future__ import annotations

import json
import logging
import os
import random
import re
import sys
import threading
from collections.abc import Callable
from email.message import Message
from http.client import HTTPException
from pathlib import Path
from typing import IO, Any, NamedTuple
from urllib.error import HTTPError
from urllib.parse import quote, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

TIMEOUT = 30  # seconds that an answer may take
FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0  # seconds before a result is sent again; each wait is twice the one before
SHORTEST_RETRY_AFTER, LONGEST_RETRY_AFTER = 1, 3600  # seconds
LOOK_EVERY = 5  # seconds; a file that was put into the spool by hand is sent after so many at most

# What is done with a result by the status of its answer. Any other status means that the key or the address is wrong.
TAKEN = (200, 201, 202)
REFUSED = (400, 409, 413, 414, 415, 422)
LATER = (408, 425, 429)  # and everything from 500 on
OTHER_MODE = "other-mode"  # the code of a 403 that concerns this result only: the key isn't for its mode

_RESULT = re.compile(r"\d{12}\.json")

log = logging.getLogger("rungs")


class Answer(NamedTuple):
    """What the site answered."""

    status: int
    headers: Message
    body: bytes

    @property
    def is_json(self) -> bool:
        """Does Rungs say so itself? A page with status 200 comes from another site, or from what stands between."""
        return self.headers.get_content_type() == "application/json"

    @property
    def is_refusal(self) -> bool:
        """Is it about this result alone, so that the next one may be taken?"""
        return self.status in REFUSED or (self.status == 403 and self.problem.get("code") == OTHER_MODE)

    @property
    def problem(self) -> dict[str, Any]:
        """The problem details of an error; whoever stands between may send a page instead."""
        text = self.body.decode(errors="replace")
        try:
            problem = json.loads(text)
        except ValueError:
            problem = None
        return problem if isinstance(problem, dict) else {"status": self.status, "detail": text}


class Refused(Exception):
    """The site's answer was an error: its status, and its problem details."""

    def __init__(self, answer: Answer) -> None:
        self.status, self.problem = answer.status, answer.problem
        super().__init__(f"{answer.status}: {self.problem.get('detail')}")


class _Later(Exception):
    """The site asks to send it again later: after so many seconds, if it says so."""

    def __init__(self, answer: Answer) -> None:
        given = answer.headers.get("Retry-After", "")
        self.seconds = min(max(float(given), SHORTEST_RETRY_AFTER), LONGEST_RETRY_AFTER) if given.isdecimal() else None
        super().__init__(f"{answer.status}: {answer.problem.get('detail')}")


class SpoolInUse(Exception):
    """Another program holds the spool."""


class _NoRedirects(HTTPRedirectHandler):
    """A redirected POST would become a GET, and its 200 would look like a result that was taken."""

    def redirect_request(self, *_: Any) -> None:
        return None


_opener = build_opener(_NoRedirects)


class _Caller:
    """Calls of one key or one player's token."""

    def __init__(self, url: str, secret: str) -> None:
        if urlsplit(url).scheme not in ("http", "https"):
            raise ValueError(f"The address of the site begins with https:// or http://, not as {url!r}.")
        self._root = url.rstrip("/") + "/api/v1/"
        self._secret = secret.strip()

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """Return the answer to a call of the API as data.

        Raises Refused for an error, and OSError if nothing answers, or something that isn't Rungs.
        """
        answer = self._ask(method, path, None if body is None else json.dumps(body).encode())
        if not 200 <= answer.status < 300:
            raise Refused(answer)
        try:
            return json.loads(answer.body) if answer.body else None
        except ValueError as error:
            raise ConnectionError(f"The answer isn't of Rungs: {answer.body[:200]!r}") from error

    def _call_for(self, name: str, method: str, path: str, body: Any = None) -> Any:
        """Return one value of the answer's object."""
        answer = self.call(method, path, body)
        if not isinstance(answer, dict) or name not in answer:
            raise ConnectionError(f"The answer isn't of Rungs: it has no {name!r}.")
        return answer[name]

    def join_queue(self, mode: str, **more: Any) -> dict[str, Any]:
        """Queue, and return the ticket. `more`: `width`, `strict`, `regions`, `party`; a server names the `player`."""
        ticket: dict[str, Any] = self.call("POST", "tickets/", {"mode": mode, **more})
        return ticket

    def live_ticket(self, player: str | None = None) -> dict[str, Any] | None:
        """Return the ticket that waits or plays, if its number is lost; None without one. A server names the player."""
        path = "tickets/" if player is None else f"tickets/?player={quote(player, safe='')}"
        tickets: list[dict[str, Any]] = self._call_for("items", "GET", path)
        return tickets[0] if tickets else None

    def ticket(self, number: int) -> dict[str, Any]:
        ticket: dict[str, Any] = self.call("GET", f"tickets/{number}/")
        return ticket

    def leave_queue(self, number: int) -> None:
        self.call("DELETE", f"tickets/{number}/")

    def lobby(self, lobby: str) -> dict[str, Any]:
        found: dict[str, Any] = self.call("GET", f"lobbies/{lobby}/")
        return found

    def _ask(self, method: str, path: str, body: bytes | None) -> Answer:
        headers = {"Authorization": f"Bearer {self._secret}", "Content-Type": "application/json"}
        request = Request(self._root + path, body, headers, method=method)  # noqa: S310 - http or https, see above
        try:
            with _opener.open(request, timeout=TIMEOUT) as response:
                return Answer(response.status, response.headers, response.read())
        except HTTPError as error:
            with error:
                return Answer(error.code, error.headers, error.read())
        except HTTPException as error:
            raise ConnectionError(f"The answer broke off: {error!r}") from error


class Player(_Caller):
    """What a player's own client calls. Its secret is the token that the game's back end obtained for the player."""

    def seen(self, lobby: str) -> None:
        """The prompt to accept is on the screen."""
        self.call("POST", f"lobbies/{lobby}/seen/")

    def accept(self, lobby: str) -> None:
        self.call("POST", f"lobbies/{lobby}/accept/")

    def decline(self, lobby: str) -> None:
        self.call("POST", f"lobbies/{lobby}/decline/")

    def leave_lobby(self, lobby: str) -> None:
        self.call("POST", f"lobbies/{lobby}/leave/")


class Rungs(_Caller):
    """What a game server calls, with a key, and the spool of its results: a folder that no other program uses.

    `stopped` is None, or the answer that stopped the sending: the key or the address is wrong. `on_refused` is called
    by the sender's thread with the path of each result that was put aside, and the problem details.
    """

    def __init__(
        self, url: str, key: str, spool: str | Path, on_refused: Callable[[Path, dict[str, Any]], object] | None = None
    ) -> None:
        super().__init__(url, key)
        self._on_refused = on_refused or (lambda path, problem: None)
        self._spool = Path(spool).resolve()
        self._refused = self._spool / "refused"
        for folder in (self._spool, self._refused):
            if not folder.is_dir():
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                _sync(folder.parent)
        self._lock = _take_lock(self._spool / "lock")
        for unfinished in self._spool.glob("*.tmp"):  # send_result didn't return: nothing was promised
            unfinished.unlink()
        names = [*self._names(), *(file.name for file in self._refused.iterdir())]
        self._last = max((int(name[:12]) for name in names if _RESULT.fullmatch(name)), default=0)
        self.stopped: Refused | None = None
        self._queue: list[str] = []  # names of files to send; read anew whenever it has been worked off
        self._closed = False
        self._changed = threading.Condition()
        self._sender = threading.Thread(target=self._send_until_closed, name="rungs", daemon=True)
        self._sender.start()

    def __enter__(self) -> Rungs:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def heartbeat(self, **about: Any) -> dict[str, Any] | None:
        """Say that this server is alive, and return the lobby to host. `about`: what `PUT servers/me/` takes."""
        lobby: dict[str, Any] | None = self._call_for("lobby", "PUT", "servers/me/", about)
        return lobby

    def sign_off(self, name: str = "") -> None:
        """Say that this server has ended, so that nobody waits for it."""
        self.call("DELETE", f"servers/me/?name={quote(name, safe='')}")

    def start(self, lobby: str, players: list[str], name: str | None = None) -> bool:
        """Say who has come. True: the match begins. False: somebody has dropped out, and there is no match.

        `name`: of this server, if several have this key.
        """
        said: dict[str, Any] = {"players": players} if name is None else {"players": players, "name": name}
        return bool(self._call_for("state", "POST", f"lobbies/{lobby}/start/", said) == "live")

    def abort(self, lobby: str, reason: str, name: str | None = None) -> None:
        """Call a lobby's match off: it counts for nothing. Players read the reason. `name`: as in `start`."""
        said = {"reason": reason} if name is None else {"reason": reason, "name": name}
        self.call("POST", f"lobbies/{lobby}/abort/", said)

    def token(self, player: str) -> str:
        """Return a token for the player's own client; it is valid for an hour."""
        token: str = self._call_for("token", "POST", f"players/{quote(player, safe='')}/token/")
        return token

    def try_result(self, result: dict[str, Any]) -> dict[str, Any]:
        """Return what the site would answer to a result; nothing is recorded."""
        answer: dict[str, Any] = self.call("POST", "matches/?dry_run=1", result)
        return answer

    def withdraw(self, result: str, reason: str) -> None:
        """Take back a recorded result by its id, if its mode still lets senders do so. Players read the reason."""
        self.call("POST", "matches/withdraw/", {"id": result, "reason": reason})

    def send_result(self, result: dict[str, Any]) -> None:
        """Keep a result on the disk; it is sent from there in the background. Raises OSError if the disk fails."""
        body = json.dumps(result, allow_nan=False).encode()
        with self._changed:
            if self._closed:
                raise ValueError("The spool is closed.")
            _write(self._spool / self._next_name(), body)
            self._changed.notify_all()

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until the spool is empty. False if the time is over, or sending has stopped, before it is."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_empty() or self._closed or self.stopped is not None, timeout)
            return self._is_empty()

    def resume(self, key: str | None = None) -> None:
        """Go on after `stopped`, perhaps with another key."""
        with self._changed:
            self._secret = self._secret if key is None else key.strip()
            self.stopped = None
            self._changed.notify_all()

    def close(self, timeout: float = TIMEOUT) -> None:
        """End the sending, and wait for a request under way. What is left in the spool is sent after the next start."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._sender.join(timeout)

    def _next_name(self) -> str:
        """Return a name that no result has had, not even one that was put into the spool by hand."""
        while True:
            self._last += 1
            name = f"{self._last:012}.json"
            if not (self._spool / name).exists() and not (self._refused / name).exists():
                return name

    def _names(self) -> list[str]:
        return sorted(name for name in os.listdir(self._spool) if _RESULT.fullmatch(name))

    def _is_empty(self) -> bool:
        with os.scandir(self._spool) as entries:
            return not any(_RESULT.fullmatch(entry.name) for entry in entries)

    def _send_until_closed(self) -> None:
        failures = 0
        with self._lock:
            while not self._closed:
                error = self._try_next()
                if error is None:
                    failures = 0
                    continue
                log.warning("A result can't be sent at the moment: %s", error)
                wait = error.seconds if isinstance(error, _Later) else None
                if wait is None:
                    wait = min(LONGEST_WAIT, FIRST_WAIT * 2 ** min(failures, 10)) * random.uniform(0.5, 1)  # noqa: S311
                    failures += 1
                with self._changed:
                    self._changed.wait_for(lambda: self._closed, wait)

    def _try_next(self) -> Exception | None:
        """Send the next result. Whatever is in the way, no answer or a full disk, comes back: the sender goes on."""
        try:
            if name := self._await_next():
                self._send(self._spool / name)
        except Exception as error:
            return error
        return None

    def _await_next(self) -> str | None:
        """Wait until there is something to send, and return the oldest file's name. None: the spool was closed."""
        with self._changed:
            while not self._closed:
                if self.stopped is None and (queue := self._queue or self._names()):
                    self._queue = queue
                    return queue[0]
                self._changed.wait(LOOK_EVERY)
        return None

    def _send(self, file: Path) -> None:
        """Send one result, and do what its answer says."""
        try:
            answer = self._ask("POST", "matches/", file.read_bytes())
        except FileNotFoundError:  # somebody took it out of the spool
            self._settle()
            return
        if answer.status in TAKEN and answer.is_json:
            file.unlink()
            self._settle()
        elif answer.is_refusal:
            kept = self._put_aside(file, answer)
            self._settle()
            try:
                self._on_refused(kept, answer.problem)
            except Exception:
                log.exception("on_refused failed")
        elif answer.status in LATER or answer.status >= 500:
            raise _Later(answer)
        else:
            with self._changed:
                self.stopped = Refused(answer)
                self._changed.notify_all()
            log.error("Sending has stopped; results wait in the spool. %s", self.stopped)

    def _put_aside(self, file: Path, answer: Answer) -> Path:
        """Move a refused result to refused/, and return where it lies. A reason that can't be kept doesn't hold it."""
        kept = self._refused / file.name
        try:
            _write(kept.with_suffix(".problem.json"), json.dumps(answer.problem, ensure_ascii=False).encode())
        except OSError as error:
            log.error("The reason can't be kept: %s", error)
        os.replace(file, kept)
        _sync(self._refused)
        log.error("A result was refused and lies in %s: %s", kept, json.dumps(answer.problem))
        return kept

    def _settle(self) -> None:
        with self._changed:
            self._queue.pop(0)
            self._changed.notify_all()


def _write(path: Path, data: bytes) -> None:
    """Write a file so that after a crash it is there as a whole or not at all."""
    unfinished = path.with_suffix(".tmp")
    try:
        with unfinished.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    except OSError:
        unfinished.unlink(missing_ok=True)  # it takes room on a disk that may be full
        raise
    _sync(path.parent)


def _sync(folder: Path) -> None:
    """Write a folder's names to the disk. Windows does so by itself."""
    if sys.platform != "win32":
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def _take_lock(path: Path) -> IO[bytes]:
    """Return the file whose lock this program has until the file is closed, or the program has ended in any way."""
    file = path.open("ab")
    try:
        if sys.platform == "win32":
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        file.close()
        raise SpoolInUse(f"Another program uses the spool {path.parent}.") from error
    return file
