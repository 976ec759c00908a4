"""The pages about the codes of problems, to which `type` of each problem leads."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import escape
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from ranking.validation.field_codes import FIELD_CODES
from ranking.validation.problems import problem_codes


@require_safe
def problem_page(request: HttpRequest, code: str) -> HttpResponse:
    """The page of one code: what it means, and what to do."""
    problem = problem_codes().get(code)
    if problem is None:
        raise Http404
    fields = [(name, _with_code(str(meaning))) for name, meaning in FIELD_CODES.items()]
    context = {"problem": problem, "advice": _with_code(str(problem.advice)), "field_codes": fields}
    return render(request, "api/problem.html", context)


@require_safe
def problem_list(request: HttpRequest) -> HttpResponse:
    """The page of all codes, by status."""
    problems = sorted(problem_codes().values(), key=lambda row: row.status)
    rows = [{"problem": row, "status": row.status, "advice": _with_code(str(row.advice))} for row in problems]
    return render(request, "api/problems.html", {"rows": rows})


def _with_code(text: str) -> SafeString:
    """Return a text as HTML, in which what stands between backticks is code."""
    parts = escape(text).split("`")
    marked = (f'<code translate="no">{part}</code>' if index % 2 else part for index, part in enumerate(parts))
    return SafeString("".join(marked))
