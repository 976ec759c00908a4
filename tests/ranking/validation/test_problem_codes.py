"""The codes of problems: unique, used, worded; no place of the code answers an error without one."""

import ast
from itertools import chain
from pathlib import Path

import pytest
from django.conf import settings
from django.urls import reverse

from matchmaking.api.base import FIELDS
from matchmaking.problem_codes import RESTRICTIONS
from matchmaking.refusals import Refusal
from matchmaking.wording import _REFUSALS
from ranking.api.authentication import MayCall
from ranking.moderation.eligibility import REASONS
from ranking.validation.field_codes import FIELD_CODES
from ranking.validation.problems import _OURS, PAGES, problem_codes

APPS = ("config", "leaderboards", "matchmaking", "ranking")
# DRF's exceptions and ours that take a sentence and a code.
RAISED = {"AuthenticationFailed", "Conflict", "NotFound", "PermissionDenied"}
FIELD_ERRORS = {"ErrorDetail", "ValidationError"}
ANSWERS = {"error_response": 1, "problem": 0, "_refusal": 2}  # functions, and which argument is the code
CLASS_CODE = "default_code"  # of an exception of DRF


@pytest.fixture(scope="module")
def sources() -> dict[Path, str]:
    """The product."""
    paths = chain.from_iterable(Path(app).rglob("*.py") for app in APPS)
    return {path: path.read_text() for path in paths if "migrations" not in path.parts}


@pytest.fixture(scope="module")
def nodes(sources: dict[Path, str]) -> list[tuple[Path, ast.AST]]:
    """The nodes of its syntax trees that tests here look at; files without any of these names have none."""
    names = [*RAISED, *FIELD_ERRORS, *ANSWERS, CLASS_CODE]
    return [
        (path, node)
        for path, text in sources.items()
        if any(name in text for name in names)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, (ast.Assign, ast.Call))
    ]


@pytest.fixture(scope="module")
def calls(nodes: list[tuple[Path, ast.AST]]) -> list[tuple[Path, str, ast.Call]]:
    return [
        (path, getattr(node.func, "id", getattr(node.func, "attr", "")), node)
        for path, node in nodes
        if isinstance(node, ast.Call)
    ]


def literal(node: ast.Call, index: int) -> str | None:
    argument = node.args[index] if len(node.args) > index else None
    return argument.value if isinstance(argument, ast.Constant) and isinstance(argument.value, str) else None


def test_each_code_is_there_once():
    listed = [row.code for path in settings.PROBLEM_CODES for row in _rows(path)]
    assert sorted(listed) == sorted(problem_codes())


def _rows(path: str) -> tuple:
    module, _, name = path.rpartition(".")
    return getattr(__import__(module, fromlist=[name]), name)


def test_a_code_can_be_an_address_and_is_worded(subtests):
    for code in problem_codes():
        with subtests.test(code=code):
            row = problem_codes()[code]
            assert code == code.lower().strip("-").replace("_", "-").replace(" ", "-")
            assert (str(row.title).endswith("."), str(row.advice).endswith(".")) == (False, True)
            assert row.status in (400, 401, 403, 404, 405, 408, 409, 413, 414, 415, 422, 429, 500, 503)
            assert reverse("api-problem", args=[code]) == f"{PAGES}{code}/"


def test_every_code_in_the_code_is_known(calls):
    used = {(str(path), literal(node, 1)) for path, name, node in calls if name in RAISED}
    used |= {(str(path), literal(node, ANSWERS[name])) for path, name, node in calls if name in ANSWERS}
    assert {(path, code) for path, code in used if code is not None and code not in problem_codes()} == set()


def test_every_code_of_a_class_is_known(nodes):
    given = {
        (str(path), node.value.value)
        for path, node in nodes
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if getattr(target, "id", "") == CLASS_CODE
    }
    assert {code for _, code in given} - problem_codes().keys() == set()
    assert set(_OURS.values()) <= problem_codes().keys()


def test_every_code_of_a_field_is_known(calls):
    used = {(str(path), literal(node, 1)) for path, name, node in calls if name in FIELD_ERRORS}
    assert {(path, code) for path, code in used if code is not None and code not in FIELD_CODES} == set()


def test_problems_are_answered_in_two_places_only(sources):
    """Whoever writes the media type or a problem's body itself would leave out the code."""
    wrote = {str(path) for path, text in sources.items() if '"about:blank"' in text or "+json" in text}
    assert wrote == {"ranking/validation/problems.py"}


def test_every_refusal_has_a_code():
    codes = {Refusal(case).code for case in _REFUSALS}
    assert codes <= problem_codes().keys()
    assert {code for code in codes if problem_codes()[code].status == 400} == FIELDS.keys()
    assert {problem_codes()[code].status for code in codes} == {400, 403, 404, 409}


def test_every_restriction_has_a_code():
    assert RESTRICTIONS.keys() == set(REASONS)
    assert {problem_codes()[code].status for code in RESTRICTIONS.values()} == {403}


@pytest.mark.parametrize(
    ("scope", "has_key", "code"),
    [("results", True, "missing-scope"), ("results", False, "keys-only"), (None, True, "players-only")],
)
def test_the_code_of_a_permission(scope, has_key, code):
    permission = MayCall()
    permission.scope, permission.has_key = scope, has_key
    assert (permission.code, permission.code in problem_codes()) == (code, True)
