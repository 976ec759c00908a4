"""The view of the rating calculator."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from leaderboards.calculator.modes import SiteMode
from leaderboards.calculator.page import make_page
from leaderboards.views.partial import render_part
from ranking.modes.parameters import changed_params, versions_of_ranked_modes


@require_safe
def calculator(request: HttpRequest) -> HttpResponse:
    """HTMX gets the figures alone, or the sheet where its shape has changed; the address follows what is entered."""
    page = make_page(request.GET.dict(), _site_modes())
    part = "sheet" if page.whole else "figures"
    response = render_part(request, "leaderboards/calculator.html", part, {"page": page, "part": part})
    if part == "sheet":
        response["HX-Retarget"], response["HX-Reswap"] = "#calculator", "innerHTML"
    if not page.preset and not page.mode:
        response["HX-Replace-Url"] = f"{reverse('leaderboards:calculator')}?{page.query}"
    return response


def _site_modes() -> list[SiteMode]:
    """The ranked modes of the site that show their ratings, with their parameters. One query."""
    return [
        SiteMode(
            slug=version.mode.slug,
            title=version.mode.local_name,
            system=version.system,
            params=changed_params(version),
            fewest=version.mode.fewest_teams,
            teams=version.mode.team_count,
            size=version.mode.team_size_max,
        )
        for version in versions_of_ranked_modes()
        if version.mode.shows_rating
    ]
