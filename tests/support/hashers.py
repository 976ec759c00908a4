"""A password hasher that counts how often it was asked, for tests that no answer comes sooner than another."""

from django.contrib.auth.hashers import MD5PasswordHasher

hashed: list[str] = []


class CountingHasher(MD5PasswordHasher):
    algorithm = "counting"

    def encode(self, password: str, salt: str) -> str:
        hashed.append(password)
        return super().encode(password, salt)
