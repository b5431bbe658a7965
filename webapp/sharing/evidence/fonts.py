"""Letters for the PDF: FiraGO and Fira Mono of the package pymupdf-fonts (SIL Open Font License), or `EVIDENCE_FONT`.

A letter that the font lacks, or that would have to be joined with its neighbours or turned round to be read (fpdf2 draws
one letter after the other), is written as `\\uXXXX`: seen and found again, never a silent box.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from pathlib import Path

from django.conf import settings
from fpdf import FPDF
from fpdf.fonts import TTFFont

TEXT, MONO = "evidence", "evidence-mono"
RIGHT_TO_LEFT = ("R", "AL")
INDIC = range(0x0900, 0x0E00)  # Devanagari to Sinhala


@dataclass
class Letters:
    """What the fonts can draw, and whether something had to be written as `\\uXXXX`."""

    known: frozenset[int]
    known_to_mono: frozenset[int]
    has_lacked: bool = field(default=False)

    def drawable(self, words: str) -> str:
        r"""The text with letters that the font lacks as `\\uXXXX`."""
        return "".join(map(self._one, words))

    def mono_for(self, text: str) -> str:
        """The font for a command: all its letters of one width where that font has them."""
        return MONO if self.known_to_mono.issuperset(map(ord, text)) else TEXT

    def _one(self, letter: str) -> str:
        code = ord(letter)
        if letter == "\n" or (code in self.known and letter.isprintable()):
            return letter
        self.has_lacked = self.has_lacked or code > 127
        return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def add_fonts(document: FPDF, folder: Path) -> Letters:
    """The fonts for the whole document; their files lie in `folder` until it is written."""
    for (family, style), path in _files(folder).items():
        document.add_font(family, style, path)
    return Letters(_known(document, TEXT), _known(document, MONO))


def stands_alone(code: int) -> bool:
    """Whether the letter is read as it is drawn by itself, from left to right."""
    return code not in INDIC and unicodedata.bidirectional(chr(code)) not in RIGHT_TO_LEFT


def _known(document: FPDF, family: str) -> frozenset[int]:
    font = document.fonts[family]
    return frozenset(filter(stands_alone, font.cmap)) if isinstance(font, TTFFont) else frozenset()


def _files(folder: Path) -> dict[tuple[str, str], Path]:
    """Paths by family and style."""
    own = Path(settings.EVIDENCE_FONT) if settings.EVIDENCE_FONT else None
    if own and own.is_file():
        return {(TEXT, ""): own, (TEXT, "B"): own, (MONO, ""): own}
    # unpacked as they are imported
    from pymupdf_fonts import FiraGO_Bold, FiraGO_Regular, FiraMono_Regular

    folder.mkdir(parents=True)
    fonts = {(TEXT, ""): FiraGO_Regular, (TEXT, "B"): FiraGO_Bold, (MONO, ""): FiraMono_Regular}
    files = {}
    for face, font in fonts.items():
        files[face] = folder / f"{''.join(face)}.ttf"
        files[face].write_bytes(font.fontbuffer)
    return files
