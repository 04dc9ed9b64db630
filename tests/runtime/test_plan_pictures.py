"""What becomes of a picture that somebody chose for a floor plan."""

from __future__ import annotations

import struct
import zlib
from io import BytesIO

import pytest
from hypothesis import given
from PIL import Image, ImageDraw, PngImagePlugin

from analysis.floor_plan import PictureKind
from runtime import plan_pictures
from runtime.plan_pictures import LARGEST_FILE, LONGEST_SIDE, safe_picture
from runtime.svg_pictures import PictureError
from tests.damaged import ANY_BYTES, damaged, refusal


def file_of(image: Image.Image, kind: str, **options: object) -> bytes:
    content = BytesIO()
    image.save(content, kind, **options)
    return content.getvalue()


def plan(mode: str = "RGB", size: tuple[int, int] = (60, 30)) -> Image.Image:
    """White with a black wall on its left."""
    image = Image.new(mode, size, "white")
    ImageDraw.Draw(image).rectangle((0, 0, 9, size[1]), fill="black")
    return image


def shown(content: bytes) -> Image.Image:
    return Image.open(BytesIO(content)).convert("RGB")


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png_that_says(width: int, height: int) -> bytes:
    """A few bytes that unpack to so many pixels."""
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress(b"\0" * min((width + 1) * height, 1_000_000))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "RGBA", "LA"])
def test_a_png_of_any_kind_is_kept_as_it_looks(mode: str) -> None:
    kept = safe_picture(file_of(plan().convert(mode), "PNG"))
    assert (kept.kind, kept.width, kept.height) == (PictureKind.PNG, 60, 30)
    assert shown(kept.content).getpixel((3, 15)) == (0, 0, 0)
    assert shown(kept.content).getpixel((40, 15)) == (255, 255, 255)


def test_sixteen_bits_a_pixel_are_no_white_sheet() -> None:
    grey = Image.new("I;16", (4, 4), 32_768)
    assert shown(safe_picture(file_of(grey, "PNG")).content).getpixel((1, 1)) == (128, 128, 128)


def test_what_is_drawn_on_nothing_stands_on_white() -> None:
    drawn = Image.new("RGBA", (20, 20), (0, 0, 0, 0))
    drawn.putpixel((5, 5), (0, 0, 0, 255))
    kept = shown(safe_picture(file_of(drawn, "PNG")).content)
    assert (kept.getpixel((5, 5)), kept.getpixel((1, 1))) == ((0, 0, 0), (255, 255, 255))


def test_a_photo_is_turned_as_its_camera_says_and_nothing_of_that_is_kept() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned by 90 degrees to the right
    exif[0x010F] = "SecretCamera"
    exif.get_ifd(0x8825)[2] = (55.0, 24.0, 13.0)
    kept = safe_picture(file_of(plan(), "JPEG", exif=exif, comment=b"SecretComment", quality=95))
    assert (kept.kind, kept.width, kept.height) == (PictureKind.JPEG, 30, 60)
    top, bottom = (shown(kept.content).getpixel((15, y)) for y in (3, 50))
    assert isinstance(top, tuple)
    assert isinstance(bottom, tuple)
    assert max(top) < 40
    assert min(bottom) > 215
    assert b"Secret" not in kept.content
    with Image.open(BytesIO(kept.content)) as read:
        assert not read.getexif()


def test_what_else_stands_in_a_png_is_not_kept() -> None:
    words = PngImagePlugin.PngInfo()
    words.add_text("Author", "SecretAuthor")
    body = file_of(plan(), "PNG", pnginfo=words) + b"<script>SecretTail</script>"
    kept = safe_picture(body)
    assert b"Secret" not in kept.content
    assert b"script" not in kept.content


def test_a_large_picture_is_made_smaller() -> None:
    kept = safe_picture(file_of(plan(size=(5_000, 2_500)), "PNG"))
    assert (kept.width, kept.height) == (LONGEST_SIDE, LONGEST_SIDE // 2)


def test_a_photo_that_was_saved_as_png_is_kept_as_what_it_is() -> None:
    noise = Image.effect_noise((1_900, 1_900), 120)
    kept = safe_picture(file_of(noise, "PNG"))
    assert len(kept.content) <= LARGEST_FILE


@pytest.mark.parametrize(
    ("width", "height"), [(60_000, 60_000), (2_000_000_000, 1), (30_000, 1_000), (5_001, 5_000)]
)
def test_a_picture_of_too_many_pixels_is_refused_before_it_is_unpacked(width: int, height: int) -> None:
    with pytest.raises(PictureError, match=r"pixels|damaged"):
        safe_picture(png_that_says(width, height))


def test_a_picture_of_far_too_many_pixels_is_called_too_large_and_not_damaged() -> None:
    with pytest.raises(PictureError, match="far more pixels than the 25 million"):
        safe_picture(png_that_says(100_000, 100_000))


@pytest.mark.parametrize("size", [(6_000, 1), (1, 6_000), (2_400, 1)])
def test_a_line_is_refused_as_an_svg_of_that_shape_is(size: tuple[int, int]) -> None:
    line = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]} {size[1]}"><rect/></svg>'
    for body in (file_of(Image.new("L", size), "PNG"), line.encode()):
        with pytest.raises(PictureError, match="a line rather than a picture"):
            safe_picture(body)


def test_a_drawing_that_grows_as_it_is_written_anew_is_refused() -> None:
    """Each letter of two bytes is written as three."""
    head = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">'
    outline = f'<path d="{"界" * 1_500_000}"/>'
    with pytest.raises(PictureError, match=r"Written anew, this drawing has [0-9.]+ MB"):
        safe_picture(f"{head}{outline}</svg>".encode("utf-16"))


def test_where_memory_ends_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def out_of_memory(_body: bytes) -> None:
        raise MemoryError

    monkeypatch.setattr(plan_pictures, "safe_svg", out_of_memory)
    with pytest.raises(PictureError, match="more memory than there is"):
        safe_picture(b"<svg/>")


def test_text_that_unpacks_to_gigabytes_is_refused() -> None:
    whole = file_of(plan(), "PNG")
    bomb = chunk(b"zTXt", b"Comment\0\0" + zlib.compress(b"A" * 200_000_000))
    with pytest.raises(PictureError, match="damaged"):
        safe_picture(whole[:33] + bomb + whole[33:])


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_a_file_that_is_not_whole_is_refused(kind: str, part: float) -> None:
    whole = file_of(Image.effect_noise((200, 200), 90), kind)
    with pytest.raises(PictureError, match="damaged or not whole"):
        safe_picture(whole[: int(len(whole) * part)])


@pytest.mark.parametrize(
    ("kind", "named"), [("GIF", "a GIF"), ("BMP", "a BMP"), ("TIFF", "a TIFF"), ("WEBP", "a WebP")]
)
def test_another_kind_is_named_whatever_the_file_is_called(kind: str, named: str) -> None:
    with pytest.raises(PictureError, match=f"This is {named}, whatever its name says"):
        safe_picture(file_of(plan(), kind))


@pytest.mark.parametrize(
    "body", [b"", b"\0" * 100, b"plan.png", b"%PDF-1.7", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff"]
)
def test_what_is_no_picture_is_refused_with_a_sentence(body: bytes) -> None:
    with pytest.raises(PictureError, match=r"\.$"):
        safe_picture(body)


def test_a_file_of_20_megabytes_is_refused_by_its_size() -> None:
    with pytest.raises(PictureError, match=r"20\.0 MB; a floor plan has 4 MB"):
        safe_picture(b"\x89PNG\r\n\x1a\n" + b"\0" * 20_000_000)


SVG = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0L9 9" fill="#123"/></svg>'
PIECES = (b"IEND", b"\xff\xd8\xff", b"<", b"&", b"url(http://x)", b"1e400")


@given(ANY_BYTES | damaged(file_of(plan(), "PNG"), file_of(plan(), "JPEG"), SVG, pieces=PIECES))
def test_any_bytes_are_a_picture_or_it_is_said_what_to_save(body: bytes) -> None:
    said = refusal(lambda: safe_picture(body), PictureError)
    assert said is None or said.endswith(".")
