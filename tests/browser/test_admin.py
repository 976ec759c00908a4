"""The admin in a browser: under the same content security policy, on a phone too."""

import pytest
from django.contrib.admin import site as admin_site
from django.contrib.auth.models import User
from django.utils import timezone
from playwright.sync_api import Page, expect

from tests.support.browser import PASSWORD, wider
from tests.support.factories import make_mode

FORMS = [
    "/admin/ranking/mode/add/",
    "/admin/ranking/key/add/",
    "/admin/ranking/source/add/",
    "/admin/ranking/match/add/",
    "/admin/auth/user/add/",
]


@pytest.fixture
def admin(page: Page, site: str) -> Page:
    User.objects.create_superuser("boss", password=PASSWORD)
    page.goto(f"{site}/admin/")
    page.get_by_label("Name or email").fill("boss")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Administration")).to_be_visible()
    return page


@pytest.mark.parametrize("size", [(1280, 860), (390, 844)], ids=["desktop", "phone"])
def test_every_page_fits_and_breaks_no_rule(admin: Page, site: str, size: tuple[int, int]) -> None:
    admin.set_viewport_size({"width": size[0], "height": size[1]})
    models = [model for model in admin_site._registry if "ranking" in str(model)]  # known once a page was asked for
    pages = sorted(f"/admin/ranking/{model._meta.model_name}/" for model in models)
    assert len(pages) == 28
    for address in pages:
        admin.goto(site + address)
        assert wider(admin) == 0, address
        row = admin.locator("#result_list tbody th a").first
        if row.count():
            admin.goto(site + (row.get_attribute("href") or ""))
            assert wider(admin) == 0, admin.url
    for address in FORMS:
        admin.goto(site + address)
        assert wider(admin) == 0, address


def test_a_key_is_chosen_by_autocomplete_and_shown_once(admin: Page, site: str) -> None:
    admin.goto(f"{site}/admin/ranking/key/add/")
    admin.locator(".select2-selection").click()
    admin.locator(".select2-search__field").fill("te")
    admin.get_by_role("option", name="test").click()
    admin.get_by_label("results: Send match results").check()
    admin.get_by_role("button", name="Save").first.click()
    expect(admin.locator(".secret")).to_contain_text("rungs_")
    admin.reload()
    expect(admin.locator(".secret")).to_have_count(0)
    expect(admin.get_by_text("That key was made already")).to_be_visible()


def test_a_mode_shows_the_parameters_of_the_system_chosen(admin: Page, site: str) -> None:
    admin.goto(f"{site}/admin/ranking/mode/add/")
    shown = admin.locator("fieldset[class*=system-]:visible h2")
    expect(shown).to_have_count(0)  # margin is proposed, with its defaults
    admin.get_by_label("Rating system").select_option("team-ratio")
    expect(shown).to_have_text("Parameters of Team ratio")
    admin.get_by_label("Rating system").select_option("elo")
    expect(shown).to_have_text("Parameters of Gaussian Elo")


@pytest.mark.parametrize("size", [(1280, 860), (390, 844)], ids=["desktop", "phone"])
def test_ratings_of_a_library_are_brought_along(admin: Page, site: str, size: tuple[int, int]) -> None:
    mode = make_mode(slug="moved", system="weng-lin", now=timezone.now())
    ladder = {"name": "ladder.csv", "mimeType": "text/csv", "buffer": b"player,mu,sigma\nnewt,25,8.333333\nfox,30,2\n"}
    admin.set_viewport_size({"width": size[0], "height": size[1]})
    admin.goto(f"{site}/admin/ranking/mode/{mode.pk}/import-ratings/")
    admin.get_by_label("File").set_input_files(files=[ladder])
    admin.get_by_label("Why").fill("We move here.")
    admin.get_by_role("button", name="Show what the file will do").click()
    expect(admin.locator(".errorlist")).to_contain_text("this player begins at 0.00; with the scale “display”")
    assert wider(admin) == 0
    admin.get_by_label("Library").select_option("openskill")
    admin.get_by_role("button", name="Show what the file will do").click()
    expect(admin.get_by_role("row", name="fox")).to_contain_text("24.00")
    assert wider(admin) == 0
    admin.get_by_role("button", name="Bring them along").click()
    expect(admin.get_by_text("2 ratings brought along.")).to_be_visible()
