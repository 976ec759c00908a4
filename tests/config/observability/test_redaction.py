"""Secrets are replaced, by value and by shape; what only looks like one is left alone."""

import pytest

from config.observability.redaction import Redactor, password_of

PASSWORD = 'p"ss wörd/#1\\'
redact = Redactor([PASSWORD, "postgres", "abc", ""])


def test_redact():
    texts = [
        (f"with {PASSWORD}.", "with ***."),
        (f"{[PASSWORD]!r}", "['***']"),
        ("redis://:p%22ss%20w%C3%B6rd%2F%231%5C@db/0", "redis://:***@db/0"),
        ("redis://:p%22ss%20w%C3%B6rd/%231%5C@db/0", "redis://:***@db/0"),
        (r'{"password": "p\"ss w\u00f6rd/#1\\"}', '{"password": "***"}'),
        ("user postgres of postgresql", "user *** of postgresql"),
        ("abc", "abc"),
        ("smtp+tls://me:other@host:587", "smtp+tls://me:***@host:587"),
        ("http://127.0.0.1:8000/a@b", "http://127.0.0.1:8000/a@b"),
        ("the key rungs_0a1b2c3d_Zm9vYmFyLWZvb2Jhci1mb29iYXI failed", "the key rungs_0a1b2c3d_*** failed"),
        ("secret whsec_Zm9v+/8=.", "secret whsec_***."),
        ("Authorization: Bearer p1:abc:def-ghi", "Authorization: Bearer ***"),
        ("Send 'Authorization: Bearer <key>'.", "Send 'Authorization: Bearer <key>'."),
        ("GET /account/password/reset/key/1-cz2f-abc/ 200", "GET /account/password/reset/key/***/ 200"),
        ("GET /account/confirm-email/MQ:1w:sig/ 200", "GET /account/confirm-email/***/ 200"),
        ("violates\nDETAIL:  Failing row contains (7, pbkdf2\n,x).\nHINT: look", "violates\nDETAIL: ***\nHINT: look"),
        ("violates\nDETAIL:  Key (digest)=(abc) already exists.", "violates\nDETAIL: ***\n"),
    ]  # fmt: skip
    assert {text: redact(text) for text, _ in texts} == dict(texts)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("redis://:a%2Fb@host:6379/0", "a/b"),
        ("redis://host/0", ""),
        ("", ""),
        ("redis://[broken", ""),
    ],
)
def test_password_of(url, expected):
    assert password_of(url) == expected
