"""The calendar feed of a mode's seasons: the same for everybody, cacheable."""

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from leaderboards.boards.boards import get_board
from leaderboards.display.calendar_feed import CalendarEvent, write_calendar
from leaderboards.views.conditional import shared_answer
from ranking.models import Season
from ranking.wording.translation import gettext

MAX_AGE = 3_600  # seconds


@require_safe
def season_calendar(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The end of the season that runs, if one is set; programs that subscribe to it see each new one."""
    try:
        season = get_board(slug).season
    except Season.DoesNotExist as error:
        raise Http404("There is no board of that name.") from error
    name, events = gettext("Seasons of %(mode)s") % {"mode": season.mode.local_name}, _ends(request, season)

    def write() -> HttpResponse:
        feed = write_calendar(name, events, timezone.now())
        return HttpResponse(feed, content_type="text/calendar; charset=utf-8")

    response = shared_answer(request, (name, events), write, max_age=MAX_AGE)
    response["Content-Disposition"] = f'inline; filename="{slug}-seasons.ics"'
    return response


def _ends(request: HttpRequest, season: Season) -> list[CalendarEvent]:
    if season.ends_at is None:
        return []
    board = request.build_absolute_uri(reverse("leaderboards:board", args=[season.mode.slug]))
    uid = f"season-{season.pk}@{request.get_host()}"
    names = {"season": season.local_name, "mode": season.mode.local_name}
    return [CalendarEvent(uid, season.ends_at, gettext("%(season)s of %(mode)s ends") % names, board)]
