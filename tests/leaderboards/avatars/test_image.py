"""Pictures become small WebPs; what isn't a picture, or is a bomb, is refused."""

import zlib
from io import BytesIO

import pytest
from PIL import Image

from leaderboards.avatars.image import SIZE, NotAPicture, shrink


def picture(form="PNG", size=(184, 184), colour="orange", **more):
    written = BytesIO()
    Image.new("RGB", size, colour).save(written, form, **more)
    return written.getvalue()


def noise(size):
    pixels = bytes((index * index * 7919 >> 5) & 255 for index in range(size * size * 3))
    written = BytesIO()
    Image.frombytes("RGB", (size, size), pixels).save(written, "PNG")
    return written.getvalue()


def test_a_picture_becomes_a_small_square():
    made = {}
    for form in ("PNG", "JPEG", "GIF", "WEBP"):
        for size in ((184, 184), (1, 1), (600, 90)):
            with Image.open(BytesIO(shrink(picture(form, size), most=8_192))) as shrunk:
                orange = shrunk.getpixel((SIZE // 2, SIZE // 2))[0] > 200
                made[form, size] = shrunk.format, shrunk.size, orange
    assert made == dict.fromkeys(made, ("WEBP", (SIZE, SIZE), True))


def test_one_with_much_in_it_is_small_too():
    assert len(shrink(noise(184), most=8_192)) <= 8_192


def test_what_a_camera_wrote_is_gone():
    exif = Image.Exif()
    exif[0x010E] = "at home"
    assert b"at home" in picture("JPEG", exif=exif)
    assert b"at home" not in shrink(picture("JPEG", exif=exif), most=8_192)


def bomb():
    """A PNG of few bytes that claims 30,000 × 30,000 pixels."""
    made = bytearray(picture())
    made[16:24] = (30_000).to_bytes(4, "big") * 2
    made[29:33] = zlib.crc32(bytes(made[12:29])).to_bytes(4, "big")
    return bytes(made)


def test_anything_else_is_refused(subtests):
    for data in [b"", b"<svg/>", b"GIF89a", picture()[:60], picture("BMP"), bomb()]:  # fmt: skip
        with subtests.test(data=data), pytest.raises(NotAPicture):
            shrink(data, most=8_192)


def test_one_that_stays_too_large_is_refused():
    with pytest.raises(NotAPicture, match="small enough"):
        shrink(noise(184), most=50)
