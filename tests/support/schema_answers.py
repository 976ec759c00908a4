"""The schema as a judge: is a value, or the answer to any call of a test, as the schema says?"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import jsonschema_rs
from drf_spectacular.generators import SchemaGenerator


@lru_cache(maxsize=1)
def raw_schema() -> dict[str, Any]:
    return SchemaGenerator().get_schema(public=True)  # type: ignore[no-untyped-call,no-any-return]


def faults_of(value: Any, schema: dict[str, Any]) -> list[str]:
    """What is wrong with a value by a schema, which may refer to components."""
    return [f"{error.instance_path}: {error.message}" for error in _validator(schema).iter_errors(value)]


@lru_cache(maxsize=1)
def _patterns() -> dict[str, re.Pattern[str]]:
    """Of the schema's paths, the most literal first: /players/me/following/ comes before /players/{id}/."""
    paths = sorted(raw_schema()["paths"], key=lambda path: -len(re.sub(r"\{\w+\}", "", path)))
    return {path: re.compile(".+".join(map(re.escape, re.split(r"\{\w+\}", path)))) for path in paths}


@dataclass(frozen=True, slots=True)
class Judge:
    """What the schema says of an answer. `kind`: the type of its content; None without a body."""

    kind: str | None
    body: Any
    headers: dict[str, Any]
    required_headers: frozenset[str]


def _judge(method: str, path: str, status: int) -> Judge | None:
    """None for a call that isn't, and is answered with 404 or 405."""
    known = next((known for known, pattern in _patterns().items() if pattern.fullmatch(path)), None)
    if known is None or method.lower() not in raw_schema()["paths"][known]:
        assert status in (404, 405), f"{method} {path} isn't in the schema."
        return None
    return _judge_of(method, known, status)


@lru_cache(maxsize=1_000)
def _judge_of(method: str, path: str, status: int) -> Judge:
    """`path`: as the schema writes it."""
    answer = raw_schema()["paths"][path][method.lower()]["responses"].get(str(status))
    assert answer is not None, f"The schema doesn't say that {method} {path} may be answered with {status}."
    answer = resolve(answer)
    headers = {name: resolve(header) for name, header in answer.get("headers", {}).items()}
    required = frozenset(name for name, header in headers.items() if header.get("required"))
    validators = {name: _validator(header["schema"]) for name, header in headers.items()}
    [(kind, content)] = answer.get("content", {None: None}).items()
    return Judge(kind, content and _validator(content["schema"]), validators, required)


def resolve(node: dict[str, Any]) -> dict[str, Any]:
    """The component to which a node refers, or the node itself."""
    if "$ref" not in node:
        return node
    _, _, kind, name = node["$ref"].split("/")
    component: dict[str, Any] = raw_schema()["components"][kind][name]
    return component


def _validator(schema: dict[str, Any]) -> Any:
    return _validator_of(json.dumps(schema))


@lru_cache(maxsize=1_000)
def _validator_of(schema: str) -> Any:
    """One for all who ask for the same schema: it holds all components, so a megabyte, and takes its time."""
    rooted = {**json.loads(schema), "components": raw_schema()["components"]}
    return jsonschema_rs.Draft202012Validator(rooted, validate_formats=True)


def check_answer(method: str, path: str, status: int, kind: str, body: Any, headers: Mapping[str, str]) -> None:
    """Assert that an answer is as the schema says: the status is named, and so are the body and the API's headers.

    With `?fields=` an answer lacks fields that the schema requires, so that its body isn't judged.
    """
    path, _, query = path.partition("?")
    judge = _judge(method, path, status)
    if judge is None:
        return
    call = f"{method} {path} answers {status}, not as the schema says"
    given = {name for name in headers if name.startswith(("RateLimit-", "Idempotency-")) or name == "Retry-After"}
    assert judge.required_headers <= given <= judge.headers.keys(), f"{call}: {sorted(given)}"
    for name in given:
        value = int(headers[name]) if headers[name].isdigit() else headers[name]
        assert judge.headers[name].is_valid(value), f"{call}: {name}: {value}"
    is_part = status < 400 and "fields=" in query
    if judge.kind is not None and judge.body is not None and not is_part:
        assert kind == judge.kind
        faults = [f"{error.instance_path}: {error.message}" for error in judge.body.iter_errors(body)]
        assert faults == [], f"{call}."
