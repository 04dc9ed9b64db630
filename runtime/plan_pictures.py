"""Pictures that somebody chose for a floor plan, made anew from what they show: nothing else is kept.

What a file is, its content tells, never its name.
"""

from __future__ import annotations

import struct
import zlib
from io import BytesIO
from threading import Lock
from typing import Final

from PIL import Image, ImageOps

from analysis.floor_plan import PictureKind, PlanImage
from runtime.svg_pictures import PictureError, check_shape, safe_svg

LARGEST_FILE: Final = 4_000_000
"""Bytes, of a file that is chosen and of one that is kept."""
MOST_PIXELS: Final = 25_000_000
"""Of a picture that is opened: some 300 MB while that lasts, as all of its pixels are there
three times: read, weighed by how much shows through, and half shrunk."""
LONGEST_SIDE: Final = 2_400
"""Pixels, of a picture that is kept: of a wall of 3840 by 2160 it is never the whole."""
_QUALITIES: Final = (88, 75, 55)
_OTHERS: Final = {
    b"GIF8": "a GIF",
    b"BM": "a BMP",
    b"II*\0": "a TIFF",
    b"MM\0*": "a TIFF",
    b"%PDF": "a PDF",
    b"PK\3\4": "a ZIP file",
    b"\x1f\x8b": "a packed file",
    b"AC10": "a DWG drawing",
}
_IN_CONTAINERS: Final = {b"ftyp": "a HEIC or AVIF", b"WEBP": "a WebP"}
"""After other bytes."""
_PNG: Final = b"\x89PNG\r\n\x1a\n"
_JPEG: Final = b"\xff\xd8\xff"
_one_at_a_time = Lock()
"""Of pictures that are opened: each takes memory for all of its pixels."""


def safe_picture(body: bytes) -> PlanImage:
    """Raises PictureError."""
    if len(body) > LARGEST_FILE:
        raise PictureError(
            f"This file has {len(body) / 1e6:,.1f} MB; a floor plan has {LARGEST_FILE / 1e6:.0f} MB at most."
            " Save it smaller: 2,400 pixels on its longer side are enough."
        )
    if body.startswith((_PNG, _JPEG)):
        with _one_at_a_time:
            return _redrawn(body)
    if body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") or body.startswith((b"\xff\xfe", b"\xfe\xff")):
        return _redrawn_svg(body)
    raise PictureError(f"This is {_kind_of(body)}, whatever its name says. Save it as PNG, JPEG or SVG.")


def _kind_of(body: bytes) -> str:
    found = next((kind for mark, kind in _OTHERS.items() if body.startswith(mark)), "")
    inner = next((kind for mark, kind in _IN_CONTAINERS.items() if mark in body[4:12]), "")
    return found or inner or "no picture that is known here"


def _redrawn_svg(body: bytes) -> PlanImage:
    try:
        drawing = safe_svg(body)
    except MemoryError as error:
        raise PictureError("This drawing takes more memory than there is. Save it as PNG.") from error
    if len(drawing.content) > LARGEST_FILE:
        raise PictureError(
            f"Written anew, this drawing has {len(drawing.content) / 1e6:,.1f} MB;"
            f" a floor plan has {LARGEST_FILE / 1e6:.0f} MB at most. Save it as PNG."
        )
    return drawing


def _redrawn(body: bytes) -> PlanImage:
    try:
        with Image.open(BytesIO(body), formats=("PNG", "JPEG")) as opened:
            _check_size(*opened.size)
            opened.draft("RGB", (2 * LONGEST_SIDE, 2 * LONGEST_SIDE))
            kind = PictureKind.PNG if opened.format == "PNG" else PictureKind.JPEG
            opened.load()
            # First made smaller: what follows makes copies.
            small = _that_can_be_shrunk(opened)
            small.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
            shown = _on_paper(ImageOps.exif_transpose(small))
    except PictureError:
        raise
    except Image.DecompressionBombError as error:
        raise PictureError(
            f"This picture has far more pixels than the {MOST_PIXELS / 1e6:.0f} million that are read."
            f" Save it smaller: {LONGEST_SIDE:,} on its longer side are enough."
        ) from error
    except (
        *(OSError, ValueError, SyntaxError, EOFError, MemoryError, IndexError, OverflowError, TypeError),
        *(struct.error, zlib.error),
    ) as error:
        raise PictureError(
            "This picture is damaged or not whole, so nothing of it is kept. Save it anew, or take another."
        ) from error
    return _encoded(shown, kind)


def _check_size(width: int, height: int) -> None:
    if width * height > MOST_PIXELS:
        raise PictureError(
            f"This picture has {width:,} × {height:,} pixels; {MOST_PIXELS / 1e6:.0f} million in all are read"
            f" at most. Save it smaller: {LONGEST_SIDE:,} on its longer side are enough."
        )
    check_shape(width, height)


def _that_can_be_shrunk(image: Image.Image) -> Image.Image:
    """In colours that can be mixed, which those of a palette cannot."""
    if image.mode.startswith("I"):  # 16 bits a pixel
        return image.convert("I").point(lambda value: value / 256).convert("L")
    if image.has_transparency_data:
        return image if image.mode == "RGBA" else image.convert("RGBA")
    return image if image.mode in ("L", "RGB") else image.convert("RGB")


def _on_paper(image: Image.Image) -> Image.Image:
    """On white, as it was drawn: lines that are black on nothing would be gone on a dark page."""
    if image.mode != "RGBA":
        return image.convert("RGB")
    paper = Image.new("RGBA", image.size, "white")
    paper.alpha_composite(image)
    return paper.convert("RGB")


def _encoded(image: Image.Image, kind: PictureKind) -> PlanImage:
    """Of its pixels alone: what else stood in the file, such as where it was taken, is not written."""
    bare = Image.new("RGB", image.size)
    bare.paste(image)
    if kind is PictureKind.PNG:
        content = BytesIO()
        bare.save(content, "PNG", optimize=True)
        if content.tell() <= LARGEST_FILE:
            return PlanImage(content.getvalue(), kind, *bare.size)
    for quality in _QUALITIES:
        content = BytesIO()
        bare.save(content, "JPEG", quality=quality)
        if content.tell() <= LARGEST_FILE:
            break
    return PlanImage(content.getvalue(), PictureKind.JPEG, *bare.size)
