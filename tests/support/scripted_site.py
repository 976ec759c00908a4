"""A site that answers results as it is told to, one answer after the other."""

import threading
import time
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Scripted(NamedTuple):
    status: int
    body: str = "{}"
    kind: str = "application/json"
    headers: dict[str, str] = {}
    missing: int = 0  # bytes that are announced and never come


class ScriptedSite:
    """Give the answers in turn; the last one goes on. `calls`: each request's time, method, path and body."""

    def __init__(self, answers: Sequence[Scripted]) -> None:
        self.answers, self.calls = list(answers), []
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                site.calls.append((time.monotonic(), self.command, self.path, body))
                answer = site.answers.pop(0) if len(site.answers) > 1 else site.answers[0]
                self.send_response(answer.status)
                for name, value in {"Content-Type": answer.kind, **answer.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer.body.encode()) + answer.missing))
                self.end_headers()
                self.wfile.write(answer.body.encode())

            def do_PUT(self) -> None:
                self.do_POST()

            def do_GET(self) -> None:
                site.calls.append((time.monotonic(), self.command, self.path, ""))
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    @property
    def bodies(self) -> list[str]:
        return [body for _, _, _, body in self.calls]

    def __enter__(self) -> "ScriptedSite":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
