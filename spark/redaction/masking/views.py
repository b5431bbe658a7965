"""A text as names and patterns see it: without escapes and look-alike letters.

`unescaped` resolves other spellings of a character: JSON's `\\u0070`, URL-encoding (`%70`), references of XML and HTML,
Unicode's compatibility forms (NFKC), invisible characters. `folded` also lower-cases, removes accents, and replaces
look-alike letters of other scripts by Latin ones. Both know the position of each character in the original.

Source of the look-alikes: Unicode Technical Standard 39, confusables, the letters of Cyrillic, Greek, Armenian, Cherokee
and Latin that resemble a Latin one.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from html import unescape

TextSpan = tuple[int, int]
MAX_ROUNDS = 3  # an escape within an escape within an escape
FOREIGN = re.compile(r"[^\x00-\x7f]")
ESCAPES = re.compile(
    r"\\{1,8}u([0-9a-fA-F]{4})|\\{1,8}x([0-9a-fA-F]{2})|%([0-7][0-9a-fA-F])|&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|quot|apos|amp|lt|gt);"
)
LOOK_ALIKES = {
    "a": "аαɑⲁ∂ᎪꓮΑА", "b": "ЬьƄᏏꓐΒВв", "c": "сϲⅽᏟꓚСϹ", "d": "ԁⅾᏧꓒᎠ", "e": "еєҽεЕΕᎬꓰ", "f": "ϝꓝғ", "g": "ɡԍᏀꓖց",
    "h": "һհнᎻНΗꓧ", "i": "іιıɩӏІΙӀⅰ", "j": "јϳᎫЈꓙ", "k": "кκᏦКΚꓗ", "l": "ӏⅼᏞꓡ|ł", "m": "мⅿᎷМΜꓟ", "n": "ոпηΝꓠ",
    "o": "оοօσОΟՕꓳøө", "p": "рρϱРΡᏢꓑ", "q": "ԛզ", "r": "гᏒꓣꮁ", "s": "ѕꜱЅՏᏚꓢ", "t": "тτТΤᎢꓔ", "u": "υսʋՍꓴцμ",
    "v": "νѵⅴᏙꓦѴ", "w": "ѡԝաɯᏔꓪԜшω", "x": "хχⅹХΧꓫ", "y": "уүγʏУΥҮꓬ", "z": "ᴢᏃΖꓜ",
}  # fmt: skip
LATIN = {alike: letter for letter, many in LOOK_ALIKES.items() for alike in many if ord(alike) > 127}


@dataclass(frozen=True)
class TextView:
    """A text and, if its characters have moved, the span of the original for each of them."""

    text: str
    starts: array[int] | None = None
    ends: array[int] | None = None

    def original(self, span: TextSpan) -> TextSpan:
        first, last = span
        if self.starts is None or self.ends is None:
            return span
        if last > first:
            return self.starts[first], self.ends[last - 1]
        position = self.starts[first] if first < len(self.starts) else 0
        return position, position

    def is_escaped(self, at: int) -> bool:
        """Whether a character of the view was written as an escape."""
        return self.starts is not None and self.ends is not None and self.ends[at] - self.starts[at] > 1


def unescaped(text: str) -> TextView:
    """The text with escapes replaced by their characters."""
    view = TextView(text)
    for _ in range(MAX_ROUNDS):
        if not ESCAPES.search(view.text):
            break
        view = _changed(view, ESCAPES, _meant)
    return view if view.text.isascii() else _changed(view, FOREIGN, lambda match: _compatible(match[0]))


def folded(view: TextView) -> TextView:
    """The view in lower-case Latin letters, including letters that look like them."""
    if view.text.isascii():
        return TextView(view.text.lower(), view.starts, view.ends)
    changed = _changed(view, FOREIGN, lambda match: _plain(match[0]))
    return TextView(
        changed.text.lower() if changed.text.isascii() else _lower(changed.text), changed.starts, changed.ends
    )


def folded_name(name: str) -> str:
    """A name as `folded` shows it."""
    return folded(unescaped(name)).text


def _changed(view: TextView, pattern: re.Pattern[str], change: Callable[[re.Match[str]], str]) -> TextView:
    """Rewrites every match; invisible characters are dropped."""
    text: list[str] = []
    starts, ends = array("q"), array("q")
    at = 0
    for match in pattern.finditer(view.text):
        _take(view, starts, ends, range(at, match.start()))
        replacement = change(match)
        first, last = view.original(match.span())
        starts.extend([first] * len(replacement))
        ends.extend([last] * len(replacement))
        text += [view.text[at : match.start()], replacement]
        at = match.end()
    _take(view, starts, ends, range(at, len(view.text)))
    return TextView("".join([*text, view.text[at:]]), starts, ends)


def _take(view: TextView, starts: array[int], ends: array[int], positions: range) -> None:
    """Copies unchanged characters."""
    if view.starts is not None and view.ends is not None:
        starts.extend(view.starts[positions.start : positions.stop])
        ends.extend(view.ends[positions.start : positions.stop])
    else:
        starts.extend(positions)
        ends.extend(range(positions.start + 1, positions.stop + 1))


def _meant(match: re.Match[str]) -> str:
    digits = match[1] or match[2] or match[3]
    return chr(int(digits, 16)) if digits else unescape(match[0])


@lru_cache(maxsize=65536)
def _compatible(letter: str) -> str:
    """The compatibility form of a character; empty for invisible ones (category Cf) and variation selectors."""
    if unicodedata.category(letter) == "Cf" or "\ufe00" <= letter <= "\ufe0f":
        return ""
    return unicodedata.normalize("NFKC", letter)


@lru_cache(maxsize=65536)
def _plain(letter: str) -> str:
    """The Latin letter that it resembles; otherwise the letter without accents."""
    small = LATIN.get(letter) or LATIN.get(letter.casefold()) or letter.casefold()
    decomposed = unicodedata.normalize("NFD", small)
    bare = "".join(character for character in decomposed if not unicodedata.combining(character))
    return "".join(LATIN.get(character, character) for character in bare)


def _lower(text: str) -> str:
    """Lower case, one character for each."""
    return "".join(each if len(each := letter.lower()) == 1 else letter for letter in text)
