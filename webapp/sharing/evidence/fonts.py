"""Letters for the PDF: a TrueType font where one is at hand, else PDF's own fonts, which know Latin letters only.

A letter that the font lacks is written as `\\uXXXX`: seen and found again, never a silent box. fpdf2 ships no font;
`EVIDENCE_FONT` names one, and the DejaVu of matplotlib is taken where that package is installed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from django.conf import settings
from fontTools.ttLib import TTFont
from fpdf import FPDF

PLAIN = str.maketrans(
    {"–": "-", "—": "-", "…": "...", "“": '"', "”": '"', "‘": "'", "’": "'", "•": "-", "✓": "ok", "→": "->", "−": "-",
     "\u00a0": " ", "\u202f": " ", "\u2009": " "}
)  # fmt: skip
CORE = "Helvetica", "Courier"


@dataclass
class Letters:
    """The two families of a document, and whether something had to be written as `\\uXXXX`."""

    text: str
    mono: str
    known: frozenset[int] | None  # None: PDF's own, Latin-1
    has_lacked: bool = field(default=False)

    def told(self, words: str) -> str:
        """The words in letters that the font has."""
        if self.known is None:
            words = words.translate(PLAIN)
        return "".join(self._one(letter) for letter in words)

    def _one(self, letter: str) -> str:
        code = ord(letter)
        if letter == "\n":
            return letter
        is_seen = 32 <= code < 127 or (160 <= code < 256 if self.known is None else code in self.known)
        if is_seen and letter.isprintable():
            return letter
        self.has_lacked = self.has_lacked or code > 127
        return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def add_fonts(document: FPDF) -> Letters:
    """The best font there is, for the whole document."""
    found = next(_found(), None)
    if found is None:
        return Letters(*CORE, None)
    for style, path in found.items():
        document.add_font("evidence", style, path)
    if "B" not in found:
        document.add_font("evidence", "B", found[""])
    return Letters("evidence", "evidence", _letters_of(found[""]))


def _found() -> Iterator[dict[str, str]]:
    own = Path(settings.EVIDENCE_FONT) if settings.EVIDENCE_FONT else None
    if own and own.is_file():
        yield {"": str(own)}
    package = find_spec("matplotlib")
    folder = (
        Path(package.origin).parent / "mpl-data" / "fonts" / "ttf" if package and package.origin else None
    )
    if folder and (folder / "DejaVuSans.ttf").is_file():
        yield {"": str(folder / "DejaVuSans.ttf"), "B": str(folder / "DejaVuSans-Bold.ttf")}


@lru_cache(maxsize=4)
def _letters_of(path: str) -> frozenset[int]:
    with TTFont(path, lazy=True) as font:
        return frozenset(font.getBestCmap())
