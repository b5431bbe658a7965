"""The picture of a link's preview: verdict, headline and the largest partition as a strip, as PNG by Pillow.

It is drawn from what the link's own pages show, in the letters of the evidence's PDF.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fpdf import FPDF
from fpdf.fonts import TTFFont
from PIL import Image, ImageDraw, ImageFont

from webapp.journals.disk.scratch import scratch_folder
from webapp.sharing.evidence.fonts import TEXT, Letters, add_fonts
from webapp.sharing.evidence.strip import COLOURS, RecordStrip

WIDTH, HEIGHT, MARGIN = 1200, 630, 64
BAR = 16
HEADLINE_LINES = 4
HEALTHY = "#00694c"
INK, QUIET, PAPER, RECORDS, TOMBSTONES = "#20252b", "#595f69", "#ffffff", "#7aa6c9", "#20252b"
STRIP_TOP, STRIP_HEIGHT, FLAG = 430, 90, 26


@dataclass(frozen=True)
class LinkCard:
    """What the picture shows. `level`: of the verdict; `flags`: (offset, severity)."""

    level: str
    certainty: str
    headline: str
    journal: str
    foot: str
    strip: RecordStrip | None = None
    flags: tuple[tuple[int, str], ...] = ()


def png_of(card: LinkCard) -> bytes:
    image = Image.new("RGB", (WIDTH, HEIGHT), PAPER)
    pen, letters = ImageDraw.Draw(image), _fonts()[0]
    colour = COLOURS.get(card.level, HEALTHY)
    pen.rectangle((0, 0, BAR, HEIGHT), fill=colour)
    pen.text((MARGIN, 44), "Journalscope", INK, _font(True, 30))
    pen.text((WIDTH - MARGIN, 44), "Shared, read-only", QUIET, _font(False, 26), anchor="ra")
    pen.text((MARGIN, 108), card.certainty.rstrip(":."), colour, _font(True, 34))
    for number, line in enumerate(_wrapped(letters.drawable(card.headline), _font(True, 46), HEADLINE_LINES)):
        pen.text((MARGIN, 158 + number * 58), line, INK, _font(True, 46))
    pen.text(
        (MARGIN, STRIP_TOP - 40),
        _cut(letters.drawable(card.journal), _font(False, 26)),
        QUIET,
        _font(False, 26),
    )
    if card.strip:
        _strip(pen, card.strip, card.flags)
    pen.text(
        (MARGIN, HEIGHT - 56), _cut(letters.drawable(card.foot), _font(False, 26)), QUIET, _font(False, 26)
    )
    written = io.BytesIO()
    image.save(written, "PNG")
    return written.getvalue()


def _strip(pen: ImageDraw.ImageDraw, strip: RecordStrip, flags: tuple[tuple[int, str], ...]) -> None:
    """Records as bars along the offsets, tombstones darker, findings as flags above."""
    most, wide = max(*strip.records, 1), (WIDTH - 2 * MARGIN) / len(strip.records)
    foot = STRIP_TOP + FLAG + STRIP_HEIGHT
    for counts, colour in ((strip.records, RECORDS), (strip.tombstones, TOMBSTONES)):
        for number, count in enumerate(counts):
            if count:
                x = MARGIN + number * wide
                tall = max(2.0, count / most * STRIP_HEIGHT)
                pen.rectangle((x, foot - tall, x + max(wide - 2, 1), foot), fill=colour)
    pen.line((MARGIN, foot + 1, WIDTH - MARGIN, foot + 1), fill=QUIET, width=2)
    for offset, severity in flags:
        if strip.first <= offset <= strip.last:
            x = MARGIN + strip.fraction_at(offset) * (WIDTH - 2 * MARGIN)
            colour = COLOURS.get(severity, COLOURS["low"])
            pen.line((x, STRIP_TOP, x, foot), fill=colour, width=3)
            pen.polygon(((x, STRIP_TOP), (x + 20, STRIP_TOP + 9), (x, STRIP_TOP + 18)), fill=colour)


def _wrapped(words: str, font: ImageFont.FreeTypeFont, most: int) -> list[str]:
    """Lines that fit; a word that is longer than a line is cut, and so is the last line."""
    lines, waiting = [""], words.split()
    while waiting:
        word = waiting.pop(0)
        longer = f"{lines[-1]} {word}".strip()
        if font.getlength(longer) <= WIDTH - 2 * MARGIN:
            lines[-1] = longer
        elif len(lines) == most:
            lines[-1] = _cut(" ".join([longer, *waiting]), font)
            break
        elif lines[-1]:
            lines.append("")
            waiting.insert(0, word)
        else:
            lines[-1] = _cut(word, font)
    return lines


def _cut(line: str, font: ImageFont.FreeTypeFont) -> str:
    """With an ellipsis where it is too long."""
    if font.getlength(line) <= WIDTH - 2 * MARGIN:
        return line
    while line and font.getlength(f"{line}…") > WIDTH - 2 * MARGIN:
        line = line[:-1]
    return f"{line}…"


@cache
def _font(is_bold: bool, size: int) -> ImageFont.FreeTypeFont:
    file = io.BytesIO(_fonts()[1][is_bold])
    return ImageFont.truetype(file, size, layout_engine=ImageFont.Layout.BASIC)


@cache
def _fonts() -> tuple[Letters, dict[bool, bytes]]:
    """What can be drawn; the files of both weights."""
    with scratch_folder("fonts") as folder:
        document = FPDF()
        letters = add_fonts(document, folder)
        faces = {is_bold: document.fonts[TEXT + "B" * is_bold] for is_bold in (False, True)}
        return letters, {
            is_bold: Path(face.ttffile).read_bytes()
            for is_bold, face in faces.items()
            if isinstance(face, TTFFont)
        }
