"""Conduct in a browser: a moderator sets things right from one page; a player is locked out, appeals and is freed."""

import datetime as dt
import re

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from leaderboards.notifications.conduct_news import tell_conduct_news
from ranking.models import AuditEntry, Ban, Incident, Mode, Player, Rating
from ranking.moderation.appeals import appeal_against
from ranking.moderation.eligibility import find_restrictions
from ranking.rerating.reratings import rerate
from ranking.rules.report import PlayerReport
from ranking.standings.publishing import publish
from tests.support.browser import PASSWORD, findings_of, log_in, log_out, wider
from tests.support.factories import make_staff, record


def leave(key: str, *hours: float) -> None:
    """Leave matches of teams: so many hours ago."""
    now = timezone.now()
    for ago in hours:
        left = PlayerReport(id=key, left_early=True, seconds=60)
        record(["mate", "d"], [left, "e"], mode="team", now=now, ended_at=now - dt.timedelta(hours=ago), server="eu1")


@pytest.fixture
def moderator(page: Page, site: str) -> Page:
    for ago in range(5):
        now = timezone.now()
        record(["worst", "e"], ["mate", "d"], mode="team", now=now, ended_at=now - dt.timedelta(days=ago + 1))
    leave("worst", 5, 3, 1)
    leave("b", 2)
    make_staff("moderator", "mod", password=PASSWORD)
    enter(page, site, "mod")
    return page


def enter(page: Page, site: str, name: str) -> None:
    page.goto(f"{site}/account/login/")
    page.get_by_label("Name or email").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url(f"{site}/")


def confirm(page: Page, verb: str, reason: str, label: str = "What the player reads") -> None:
    page.get_by_label(label).fill(reason)
    page.get_by_role("button", name=verb, exact=True).click()


def test_a_moderator_sets_things_right(moderator: Page, site: str) -> None:
    page, worst, mode = moderator, Player.objects.get(key="worst"), Mode.objects.get(slug="team")
    # who leaves most, and why
    page.goto(f"{site}/admin/")
    page.get_by_role("link", name="Leavers").first.click()
    rows = page.locator("#result_list tbody th a")
    assert rows.first.inner_text() == "worst"
    rows.first.click()
    expect(page.locator(".field-points .readonly")).to_have_text("8.9")
    expect(page.get_by_role("region", name="Incidents").locator("tbody tr")).to_have_count(3)
    # one incident is pardoned
    page.get_by_role("checkbox", name=re.compile("^Incident")).first.check()
    page.get_by_role("button", name="Pardon those ticked…").click()
    expect(page.get_by_text("1 of 3 incidents · 8.9 points → 5.9")).to_be_visible()
    confirm(page, "Pardon", "The power went out.")
    expect(page.locator(".field-points .readonly")).to_have_text("5.9")
    # banned, and lifted
    page.get_by_role("button", name="Ban…", exact=True).click()
    page.get_by_label("Banned from").select_option("both")
    page.get_by_label("Days").fill("3")
    confirm(page, "Ban", "Insults.")
    expect(page.locator(".field-banned")).to_contain_text("From queues and boards")
    assert find_restrictions([worst.pk], timezone.now())
    page.get_by_role("checkbox", name=re.compile("^Ban")).check()
    page.get_by_role("button", name="Lift those ticked…").click()
    confirm(page, "Lift", "It was somebody else.")
    expect(page.locator(".field-banned .readonly")).to_have_text("–")
    # a match is void: ratings, boards and points follow
    match, before = (
        Incident.objects.filter(player=worst, pardons=None).latest("happened_at").match,
        display(worst, mode),
    )
    assert match is not None
    page.get_by_role("link", name=match.external_id, exact=True).first.click()
    page.get_by_role("button", name="Void…").click()
    expect(page.get_by_text("It counts for nothing.")).to_be_visible()
    confirm(page, "Void", "A bug.")
    expect(page.get_by_text("Void", exact=True).first).to_be_visible()
    rerate(mode)
    publish(mode, now=timezone.now())
    assert display(worst, mode) > before
    page.goto(f"{site}/admin/ranking/leaver/{worst.pk}/change/")
    expect(page.locator(".field-points .readonly")).to_have_text("2.9")
    page.goto(f"{site}/matches/{match.pk}/")
    expect(page.get_by_text("This match is void")).to_be_visible()
    # all of it stands in the log
    page.goto(f"{site}/admin/ranking/auditentry/")
    acts = page.locator("#result_list td.field-done").all_inner_texts()
    assert acts == ["Void", "Lift", "Ban", "Pardon"]
    assert set(AuditEntry.objects.values_list("who", flat=True)) == {"mod"}


def display(player: Player, mode: Mode) -> int:
    return Rating.objects.get(player=player, mode=mode).display_hundredths


def test_a_crash_is_pardoned_by_server_and_time(moderator: Page, site: str) -> None:
    page, now = moderator, timezone.now()
    page.goto(f"{site}/admin/ranking/incident/")
    page.get_by_role("link", name="Pardon after a crash…").click()
    page.get_by_label("Server").fill("eu1")
    page.get_by_label("From").fill(f"{now - dt.timedelta(hours=4):%Y-%m-%dT%H:%M}")
    page.locator("#id_until").fill(f"{now:%Y-%m-%dT%H:%M}")
    page.get_by_role("button", name="Show what would follow").click()
    expect(page.get_by_text("3 incidents of 2 players.")).to_be_visible()
    confirm(page, "Pardon", "eu1 crashed.")
    expect(page.get_by_text("Pardoned: 3 incidents.")).to_be_visible()


def test_a_player_is_locked_out_appeals_and_is_freed(page: Page, site: str) -> None:
    leave("p0-55", 1.5, 1, 0.1)
    fox = Player.objects.get(key="p0-55")
    assert find_restrictions([fox.pk], timezone.now())
    log_in(page, site)
    page.goto(f"{site}/players/p0-55/")
    expect(page.get_by_text("no queueing for")).to_be_visible()
    page.get_by_role("link", name="Your history, and how to appeal").click()
    page.get_by_role("link", name=re.compile("^Appeal")).first.click()
    page.get_by_label("What happened, in your words").fill("My router died.")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Your appeal is with the moderators.")).to_be_visible()
    expect(page.get_by_text("Your appeal is being looked at").first).to_be_visible()
    # a moderator grants it
    make_staff("moderator", "mod", password=PASSWORD)
    log_out(page)
    enter(page, site, "mod")
    page.goto(f"{site}/admin/ranking/appeal/")
    page.locator("#result_list tbody th a").first.click()
    expect(page.locator(".field-words")).to_contain_text("My router died.")
    page.get_by_role("button", name="Lift the ").click()
    confirm(page, "Lift the lockout", "We saw it.")
    expect(page.get_by_text("Granted").first).to_be_visible()
    tell_conduct_news(timezone.now())
    page.goto(f"{site}/")
    log_out(page)
    log_in(page, site)
    page.goto(f"{site}/notifications/")
    page.get_by_role("link", name="Your appeal was granted: We saw it").click()
    expect(page.get_by_text("Pardoned").first).to_be_visible()
    lockouts = [one for one in Incident.objects.filter(player=fox) if one.pardons.exists()]
    assert len(lockouts) == 1


@pytest.mark.parametrize("size", [(1440, 900), (360, 740)], ids=["desktop", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_own_pages_fit_and_keep_nobody_out(page: Page, site: str, size: tuple[int, int], scheme: str) -> None:
    leave("p0-55", 0.1)
    fox = Player.objects.get(key="p0-55")
    Ban.objects.create(player=fox, scope="queue", reason="Insults.", starts_at=timezone.now())
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    log_in(page, site)
    number = Incident.objects.filter(player=fox).latest("pk").pk
    for address in ("/conduct/", f"/conduct/appeal/incident/{number}/"):
        page.goto(site + address)
        assert (wider(page), findings_of(page)) == (0, []), address


def test_pages_of_moderators_fit(moderator: Page, site: str) -> None:
    worst = Player.objects.get(key="worst")
    appeal = appeal_against(worst, words="No.", now=timezone.now(), incident=worst.incidents.latest("pk").pk)
    for width in (1440, 360):
        moderator.set_viewport_size({"width": width, "height": 800})
        for address in (
            "leaver/", f"leaver/{worst.pk}/change/", f"appeal/{appeal.pk}/change/", "incident/after-a-crash/",
            f"leaver/{worst.pk}/void-since/?since=2026-01-01T00:00",
        ):  # fmt: skip
            moderator.goto(f"{site}/admin/ranking/{address}")
            assert wider(moderator) == 0, (width, address)


def test_every_column_of_leavers_fits_on_a_desk(moderator: Page, site: str) -> None:
    """With names of any length: whoever has to scroll for a column doesn't see it."""
    Player.objects.filter(key="worst").update(name="Bob the extraordinarily long one")
    moderator.set_viewport_size({"width": 1280, "height": 800})
    moderator.goto(f"{site}/admin/ranking/leaver/")
    assert moderator.locator(".results").evaluate("table => table.scrollWidth - table.clientWidth") == 0
