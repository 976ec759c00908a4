"""A small OpenID Connect provider on this machine: discovery, tokens with RS256, user info; PKCE is checked."""

import base64
import hashlib
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

CLIENT, SECRET, KEY_ID = "rungs", "secret-of-the-client", "key-1"


class Provider:
    """`claims`: of the next log-in, in the ID token and the user info. `userinfo`, `token`: what differs there."""

    def __init__(self) -> None:
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.claims: dict[str, Any] = {}
        self.userinfo: dict[str, Any] = {}
        self.token: dict[str, Any] = {}
        self.challenges: dict[str, str] = {}
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"provider": self}))
        self.issuer = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def authorize(self, address: str) -> dict[str, str]:
        """What the browser brings back after the person has logged in at the address it was sent to."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        assert address.startswith(f"{self.issuer}/authorize?")
        assert (asked["client_id"], asked["response_type"], asked["code_challenge_method"]) == (CLIENT, "code", "S256")
        code = f"code-{len(self.challenges)}"
        self.challenges[code] = asked["code_challenge"]
        return {"code": code, "state": asked["state"]}

    def answer(self, path: str, form: dict[str, str]) -> Any:
        if path == "/.well-known/openid-configuration":
            return {
                "issuer": self.issuer,
                **{f"{name}_endpoint": f"{self.issuer}/{name}" for name in ("token", "userinfo")},
                "authorization_endpoint": f"{self.issuer}/authorize",
                "jwks_uri": f"{self.issuer}/jwks",
                "token_endpoint_auth_methods_supported": ["client_secret_post"],
            }
        if path == "/userinfo":
            return {**self.claims, **self.userinfo}
        assert path == "/token"
        digest = hashlib.sha256(form["code_verifier"].encode()).digest()
        assert base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == self.challenges.pop(form["code"])
        assert (form["client_id"], form["client_secret"]) == (CLIENT, SECRET)
        now = int(time.time())
        standard = {"iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 60}
        token = jwt.encode({**standard, **self.claims, **self.token}, self.key, "RS256", {"kid": KEY_ID})
        return {"access_token": "access", "token_type": "Bearer", "id_token": token}


class _Handler(BaseHTTPRequestHandler):
    provider: Provider

    def do_GET(self) -> None:
        self._answer({})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self._answer({name: values[0] for name, values in parse_qs(body).items()})

    def _answer(self, form: dict[str, str]) -> None:
        try:
            status, body = 200, json.dumps(self.provider.answer(urlsplit(self.path).path, form)).encode()
        except (AssertionError, KeyError):
            status, body = 400, b'{"error": "invalid_request"}'
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass
