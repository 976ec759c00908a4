"""The picture of a match: words of any language fit."""

from io import BytesIO

from django.contrib.staticfiles import finders
from PIL import Image, ImageChops

from leaderboards.display.match_card import CardTeam, MatchCard, draw_match_card
from leaderboards.display.player_card import EDGE, HEIGHT, WIDTH


def right_half(word: str) -> Image.Image:
    teams = (CardTeam("Blue", "", word, True, ("fox",)), CardTeam("Amber", "3", "", False, ("owl",)))
    card = MatchCard("A draw", "Duel", teams)
    picture = Image.open(BytesIO(draw_match_card(card, str(finders.find("fonts/archivo-latin.woff2")))))
    return picture.convert("L").crop((WIDTH // 2 + 20, 190, WIDTH - EDGE, HEIGHT))


def test_a_long_result_stays_on_its_teams_side() -> None:
    difference = ImageChops.difference(right_half("Won"), right_half("Unentschieden"))
    assert max(difference.tobytes()) < 40  # the two palettes differ by a shade at most
