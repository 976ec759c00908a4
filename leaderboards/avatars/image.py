"""Makes a small picture of one that came from elsewhere."""

from __future__ import annotations

import warnings
from io import BytesIO

from PIL import Image, ImageOps, UnidentifiedImageError

SIZE = 96  # pixels, each way
_FORMATS = ("PNG", "JPEG", "GIF", "WEBP")
_MOST_PIXELS = 16_000_000  # a picture of a few bytes may claim more, and take all memory
_QUALITIES = (80, 60, 40, 20, 5)


class NotAPicture(ValueError):
    """The bytes aren't a picture that can be used."""


def shrink(data: bytes, *, most: int) -> bytes:
    """Return the middle of a picture as a WebP of SIZE × SIZE pixels and at most `most` bytes, with nothing else in it.

    Of a picture that moves, the first frame. Raises NotAPicture.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what Pillow says of odd metadata
            with Image.open(BytesIO(data), formats=_FORMATS) as opened:
                if opened.width * opened.height > _MOST_PIXELS:
                    raise NotAPicture(f"It has {opened.width} × {opened.height} pixels.")
                upright = ImageOps.exif_transpose(opened).convert("RGBA")
        small = ImageOps.fit(upright, (SIZE, SIZE), Image.Resampling.LANCZOS)
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise NotAPicture(f"{type(error).__name__}: {error}"[:200]) from error
    for quality in _QUALITIES:
        written = BytesIO()
        small.save(written, "WEBP", quality=quality, exact=False)
        if written.tell() <= most:
            return written.getvalue()
    raise NotAPicture("It doesn't get small enough.")
