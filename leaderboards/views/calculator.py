"""The view of the rating calculator."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from leaderboards.calculator.page import make_page
from leaderboards.views.partial import render_part


@require_safe
def calculator(request: HttpRequest) -> HttpResponse:
    """HTMX gets the figures alone, or the sheet where its shape has changed; the address follows what is entered."""
    page = make_page(request.GET.dict())
    part = "sheet" if page.whole else "figures"
    response = render_part(request, "leaderboards/calculator.html", part, {"page": page, "part": part})
    if part == "sheet":
        response["HX-Retarget"], response["HX-Reswap"] = "#calculator", "innerHTML"
    if not page.preset:
        response["HX-Replace-Url"] = f"{reverse('leaderboards:calculator')}?{page.query}"
    return response
