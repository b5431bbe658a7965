r"""kcat with a custom format: `kcat -C -f '%t [%p] at offset %o: key %k: %s\n'`.

    %s value  %S its size  %k key  %K its size  %t topic  %p partition  %o offset  %T timestamp in ms  %h headers `a=b,c=d`
    \n \r \t \\ \xNN as in C; anything else stands for itself. A size of -1 is null; null prints nothing, or NULL with -Z.

The format is that of the command in the paste or of the user's `--text-format`, otherwise a common format that fits. Without
sizes a value ends where the next record can begin. Source: kcat `format.c`, README.
Page: docs/sources/kcat-format.md
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace

from spark.sources import EXPORT_LACKS, HEAD_BYTES, Chunk, InputFile, Recognition, Source, Split, whole
from spark.sources._command import KCAT, are_nulls_named, behind, reading_command, words_of
from spark.sources._lines.lines import BOM
from spark.sources._lines.records import TextRecord, UnreadLine, chunks
from spark.storage.files import read_bytes
from spark.terms.column_mapping import is_mapping, parsed_columns
from spark.terms.wording import plural

ID = "kcat-format"
# In documentation and answers again and again; tried in this order, and only where a print fits it from end to end.
USUAL = (
    r"\nKey (%K bytes): %k\t\nValue (%S bytes): %s\nTimestamp: %T\tPartition: %p\tOffset: %o\n--\n",
    r"\nKey (%K bytes): %k\nValue (%S bytes): %s\nTimestamp: %T\nPartition: %p\nOffset: %o\nHeaders: %h\n",
    r"\nKey (%K bytes): %k\t\nValue (%S bytes): %s\t\nTimestamp: %T\tPartition: %p\tOffset: %o\n--\n",
    r"Topic %t [%p] at offset %o: key %k: %s\n",
    r"Topic %t[%p], offset: %o, key: %k, payload: %S bytes: %s\n",
    r"%t [%p] at offset %o: key %k: %s\n",
    r"Key: %k\nValue: %s\nPartition: %p\tOffset: %o\n--\n",
    r"Topic: %t\nPartition: %p\nOffset: %o\nTimestamp: %T\nHeaders: %h\nKey: %k\nValue: %s\n\n",
    r"Partition: %p\tOffset: %o\tKey: %k\tValue: %s\n",
    r"%T\t%t\t%p\t%o\t%K\t%S\t%h\t%k\t%s\n",
)
NAMING = {"o": "offset", "p": "partition", "T": "timestamps"}
FREE = {"s": "value", "k": "key", "h": "headers"}
SHAPES = {
    "t": r"(?P<topic>[\w.-]{1,249})",
    "p": r"(?P<partition>-?\d{1,10})",
    "o": r"(?P<offset>-?\d{1,19})",
    "T": r"(?P<time>-?\d{1,19})",
    "S": r"(?P<value_size>-?\d{1,10})",
    "K": r"(?P<key_size>-?\d{1,10})",
}
ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", "0": "\0"}
TOKEN = re.compile(r"%(?P<field>[sSkKtpoTh])|\\x(?P<hex>[0-9a-fA-F]{1,2})|\\(?P<escape>.)|(?P<text>.)", re.S)
MAX_BYTES = 1 << 28
NULL = b"NULL"
ANY_LINE = rb"[^\n]*"


@dataclass(frozen=True)
class Format:
    """A format as literals and fields, and the expressions that find a record and the start of one."""

    text: str
    fields: tuple[str, ...]
    record: re.Pattern[bytes]
    begins: re.Pattern[bytes]
    null_is_named: bool = False


def parsed(text: str, null_is_named: bool = False) -> Format | None:
    """A format; None without key and value, or with a duplicate field."""
    parts, beginning, fields = [], [], []
    is_open = True
    for match in TOKEN.finditer(text):
        name = match["field"]
        if name is None:
            literal = re.escape(letter(match).encode("latin-1", "replace").decode("latin-1"))
            parts.append(literal)
            beginning += [literal] if is_open else []
            continue
        fields.append(name)
        is_open = is_open and name not in FREE
        parts.append(f"(?P<{FREE[name]}>.*?)" if name in FREE else SHAPES[name])
        beginning += [SHAPES[name]] if is_open else []
    if len(fields) != len(set(fields)) or not {"s", "k"}.intersection(fields):
        return None
    begins = re.sub(r"\?P<\w+>", "?:", "".join(beginning)) or (
        ANY_LINE.decode() if parts[-1:] == ["\\\n"] else r"(?!)"
    )
    if parts[0] == "\\\n":
        parts[0] = r"(?:\n|\A)"  # a paste drops the blank line before the first record
    record = re.compile(f"{''.join(parts)}(?={begins}|\\Z)".encode("latin-1"), re.S)
    return Format(text, tuple(fields), record, re.compile(begins.encode("latin-1"), re.S), null_is_named)


def letter(match: re.Match[str]) -> str:
    """The text for a piece of a format that is not a field."""
    if match["hex"]:
        return chr(int(match["hex"], 16))
    return ESCAPES.get(match["escape"], match["escape"]) if match["escape"] else match["text"]


def of_command(command: str) -> Format | None:
    words = behind(KCAT, words_of(command)) or []
    text = None
    for number, word in enumerate(words):
        if word == "-f" and number + 1 < len(words):
            text = words[number + 1]
        elif word.startswith("-f") and len(word) > 2:
            text = word[2:]
    return parsed(text, are_nulls_named(words)) if text else None


def begins_record(command: str, text: bytes) -> bool:
    """Whether a record of the format in a kcat command begins at a blank line, or behind it; False where any line may be one."""
    form = of_command(command)
    if form is None or form.begins.pattern == ANY_LINE:
        return False
    return any(form.begins.match(text, position) for position in (0, text.find(b"\n") + 1))


def with_text_format(files: list[InputFile], text: str) -> list[InputFile]:
    """Files as if their command had this format, or this mapping of columns; those with a command keep it.

    Raises ValueError for a format without key and value.
    """
    if is_mapping(text):
        parsed_columns(text)
        command = reading_command(text)
    elif parsed(text) is None:
        raise ValueError(
            f"{text!r} is not a format of kcat. Write it as for `kcat -f`, with %s or %k, such as '%t %p %o %k %s\\n'."
        )
    else:
        command = shlex.join(["kcat", "-f", text])
    return [file if file.command else replace(file, command=command) for file in files]


def recognise(file: InputFile, head: bytes) -> Recognition:
    """By the command's format, otherwise by a common one."""
    if b"\0\0\0" in head[:64] or not head.strip():
        return Recognition(False, "no text")
    asked_format = of_command(file.command)
    if asked_format:
        share = fit(asked_format, head, file.size_bytes > len(head))
        why = f"kcat's format '{asked_format.text}'"
        return Recognition(share > 0, why if share else f"its lines do not match {why}", 96)
    for text in USUAL:
        usual = parsed(text)
        if usual and fit(usual, head, file.size_bytes > len(head)) == 1:
            return Recognition(True, f"each record matches kcat's format '{text}'", 60)
    return Recognition(
        False,
        "does not match kcat's usual formats; name yours: manage.py inspect --text-format '%t %p %o %k %s\\n'",
    )


def fit(form: Format, head: bytes, is_cut: bool) -> float:
    """Share of the head's bytes that are records of this format; 1: all, except a last record that the head truncates."""
    text, at = head.removeprefix(BOM), 0
    while (match := form.record.match(text, at)) and match.end() > at:
        at = match.end()
    is_rest_cut = is_cut and at > 0 and form.begins.match(text, at) is not None
    return 1.0 if is_rest_cut or (at and not text[at:].strip()) else at / max(len(text), 1)


@dataclass
class KcatFormatReader:
    form: Format
    misfits: int = 0
    nulls_unknown: int = 0

    def read(self, split: Split) -> Iterator[TextRecord | UnreadLine]:
        text = read_bytes(split.path)
        at, end = len(BOM) if text.startswith(BOM) else 0, min(split.end, len(text))
        while at < end:
            match = self.form.record.match(text, at)
            if match is None or match.end() == at:
                following = self.next(text, at + 1)
                if text[at:following].strip():
                    is_cut = following == len(text)
                    why = "the record is cut off" if is_cut else "does not match the format"
                    yield UnreadLine(at, following, why, text[at:following], is_cut=is_cut)
                at = following
                continue
            match = self.sized(text, at, match)
            yield self.record(match)
            at = match.end()

    def next(self, text: bytes, at: int) -> int:
        while (line := text.find(b"\n", at - 1)) >= 0:
            if self.form.record.match(text, line + 1) or self.form.record.match(text, line):
                return line + 1 if self.form.record.match(text, line + 1) else line
            at = line + 2
        return len(text)

    def sized(self, text: bytes, at: int, match: re.Match[bytes]) -> re.Match[bytes]:
        """The match whose key and value have the printed sizes, if there is one."""
        pattern = self.form.record.pattern
        for name in ("key", "value"):
            size = match.groupdict().get(f"{name}_size")
            group = b"(?P<%s>.*?)" % name.encode()
            if size is not None and group in pattern:
                pattern = pattern.replace(group, b"(?P<%s>.{%d})" % (name.encode(), max(0, int(size))))
        if pattern == self.form.record.pattern or has_sizes(match):
            return match
        return re.compile(pattern, re.S).match(text, at) or match

    def record(self, match: re.Match[bytes]) -> TextRecord:
        groups = match.groupdict()
        row = TextRecord(match.start(), match.end())
        row.offset = whole_number(groups.get("offset"))
        row.partition = whole_number(groups.get("partition"))
        row.topic = groups["topic"].decode() if groups.get("topic") else None
        if (time := whole_number(groups.get("time"))) is not None:
            row.timestamp_ms, row.timestamp_type = time, "create"
        row.headers = headers(groups.get("headers"))
        row.key, row.key_is_null = self.side(groups.get("key"), groups.get("key_size"))
        row.value, row.value_is_null = self.side(groups.get("value"), groups.get("value_size"))
        return row

    def side(self, text: bytes | None, size: bytes | None) -> tuple[bytes | None, bool]:
        """Key or value, and whether it is null: by its size or its name; one that is not printed is not null."""
        if text is None:
            return None, size is not None and int(size) == -1
        if size is not None:
            self.misfits += int(size) >= 0 and int(size) != len(text)
            return (None, True) if int(size) == -1 else (text, False)
        if self.form.null_is_named and text == NULL:
            return None, True
        self.nulls_unknown += text == b""
        return text, False

    def note(self) -> str:
        sentences = [f"Read by kcat's format '{self.form.text}'."]
        if "o" not in self.form.fields:
            sentences.append("The format contains no offsets. The records are numbered.")
        if self.nulls_unknown:
            sentences.append(
                f"{plural(self.nulls_unknown, 'key or value', 'keys or values')} printed as an empty text: null or empty (not in this file format)."
            )
        if self.misfits:
            sentences.append(
                f"{plural(self.misfits, 'key or value', 'keys or values')} without the printed size."
            )
        return " ".join(sentences)


def has_sizes(match: re.Match[bytes]) -> bool:
    """Whether key and value have the printed sizes."""
    groups = match.groupdict()
    pairs = ((groups.get(name), groups.get(f"{name}_size")) for name in ("key", "value"))
    return all(text is None or size is None or len(text) == max(0, int(size)) for text, size in pairs)


def whole_number(text: bytes | None) -> int | None:
    """A non-negative number that fits 63 bits."""
    number = -1 if text is None else int(text)
    return number if 0 <= number < 1 << 63 else None


def headers(text: bytes | None) -> list[tuple[bytes, bytes | None]] | None:
    """`a=b,c=NULL`; None if the format has no headers."""
    if text is None:
        return None
    pairs = [header.partition(b"=") for header in text.split(b",") if header]
    return [(name, None if value == NULL else value) for name, _, value in pairs]


def split(file: InputFile, number: int, topic: str, partition: int, replica: str) -> list[Split]:
    head = read_bytes(file.path, HEAD_BYTES)
    used = of_command(file.command)
    for text in () if used else USUAL:
        usual = parsed(text)
        if usual and fit(usual, head, file.size_bytes > len(head)) == 1:
            used = usual
            break
    detail: dict[str, object] = {"format": USUAL[0]}
    if used:
        lacks = [name for letter, name in NAMING.items() if letter not in used.fields]
        lacks += [] if used.null_is_named or {"K", "S"} <= {*used.fields} else ["null-or-empty"]
        detail = {"format": used.text, "null_is_named": used.null_is_named, "lacks": lacks}
    return whole(ID, file, number, topic, partition, replica, **detail)


def read(split: Split) -> Iterator[Chunk]:
    form = parsed(str(split.detail["format"]), bool(split.detail.get("null_is_named")))
    if form is None:
        return
    reader = KcatFormatReader(form)
    yield from chunks(split, reader.read(split), reader.note)


source = Source(
    id=ID,
    title="kcat with a format",
    kind="export",
    lacks=EXPORT_LACKS,
    recognise=recognise,
    read=read,
    cut=split,
)
