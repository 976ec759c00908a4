"""Codes of a second factor."""

import time

from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value


def code_of(secret: str) -> str:
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30))
