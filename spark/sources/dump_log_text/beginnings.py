"""How lines of kafka-dump-log begin, declared: as far as no other text begins so. `/`: a terminal may have ended the line here.

Source: Kafka `DumpLogSegments.scala` of 0.10 to 4.x.
"""

from __future__ import annotations

import re

FORMS = {
    "n": r"-?\d+",
    "digit": r"-?\d",
    "word": r"\w+",
    "file": r"\S",
    "bar": r"[|-]",
    "isvalid": "is[vV]alid",
    "keysize": "key[sS]ize",
    "valuesize": "value[sS]ize",
    "old": "position|isvalid|CreateTime|LogAppendTime|NoTimestampType|key[sS]ize|payloadsize",
    "content": "key|payload",
    "behind": "sequence|is[vV]alid|crc",
    "starting": "(?:Log )?[Ss]tarting",
    "consecutive": "Non-s?e?con?secutive|Non-secutive",
    "mismatch": "timestamp mismatch|out of order timestamp",
    "members": r"(?:\w+: \S+ )*?(?:\w+: )?",
    "left_out": r"[\[(<]?(?:\.{2,}|…|[a-z]+[\])>])",
    "index": "  ?Index (?:offset|timestamp)|Indexed offset",
}
LINES = (
    "Dumping {file}",
    "{starting} offset: {digit}",
    "Snapshot end offset: ",
    "KRaft bootstrap snapshot",
    "baseOffset: {n} lastOffset: {n}/ count:/ {n}/ baseSequence: ",
    "baseOffset: {n} lastOffset: {n} baseSequence: ",
    "baseOffset: {n} {members}{left_out}",
    "{bar} offset: {n} {members}{left_out}",
    "{bar} offset: {n} {isvalid}: {word} crc: ",
    "{bar} offset: {n} {word}: {n}/ {keysize}: {n}/ {valuesize}: {n}/ {behind}: ",
    "| {content}: ",
    "offset: {n} {old}: ",
    "timestamp: {n} offset: {digit}",
    "version: {n} producerId: ",
    "producerId: {n} producerEpoch: {n}/ coordinatorEpoch: ",
    ' payload: \\{"type":',
    "Found {n} invalid bytes",
    "Found {mismatch} in :",
    "{consecutive} offsets in ",
    "Mismatches in :",
    "{index}: ",
)
TOKEN = re.compile(r"\{(\w+)\}|\\(.)|(.)", re.S)


def expression(line: str) -> str:
    """A line's beginning: whole, or cut at one of its breaks."""
    *pieces, last = (
        TOKEN.sub(
            lambda token: f"(?:{FORMS[token[1]]})" if token[1] else re.escape(token[2] or token[3]), piece
        )
        for piece in line.split("/")
    )
    for piece in reversed(pieces):
        last = f"{piece}(?: ?$|{last})"
    return last


BEGINS = re.compile(f"(?:{'|'.join(map(expression, LINES))})".encode())
