"""What people write: e-mails, and other text in sentences. Neither is asked whether somebody pasted records into it: layouts are.

mail => (name ":" text LF (blank text LF)*)*, among them From and two of To, Subject, Date and the like (RFC 5322; mail
programs write Sent)
"""

from __future__ import annotations

import re

from spark.sources._not_a_journal.words import Identified, dump

HOLDS = "contains no record in a known file format"
ASKED_LINES = 200
FIELD = re.compile(r"([A-Za-z][A-Za-z-]{1,40}):[ \t]*\S")
SENDER, OTHERS = "from", {"to", "cc", "subject", "date", "sent", "reply-to", "message-id", "received"}
MIN_OTHERS = 2
ATTACHED = re.compile(
    r"^Content-(?:Disposition:\s*attachment|Type:\s*multipart/mixed)\b", re.MULTILINE | re.IGNORECASE
)
WORD = re.compile(r"[^\w\s]*[^\W\d_]+(?:['’./-][^\W\d_]+)*[^\w\s]*")
END = re.compile(r"[^\W\d_][)\"'”’*_]{0,3}[.!?…][)\"'”’*_]{0,3}(?=\s|$)")
MIN_WORDS, MIN_SHARE = 5, 0.6  # of what blanks separate


def identify(text: str, _is_whole: bool) -> Identified | None:
    """An e-mail, by the fields at its beginning or of a mail that it quotes."""
    names: set[str] = set()
    for line in text.splitlines()[:ASKED_LINES]:
        if match := FIELD.match(line.lstrip("> ")):
            names.add(match[1].lower())
        elif not line[:1].isspace() or not names:
            names.clear()
        if SENDER in names and len(names & OTHERS) >= MIN_OTHERS:
            attached = "its attachment as a file, or " if ATTACHED.search(text) else ""
            return Identified("an e-mail", f"{attached}{dump()}", holds=HOLDS)
    return None


def of_sentences(text: str) -> Identified | None:
    """Asked where no columns or format are likely: a record's value may be a sentence, too."""
    if text.lstrip()[:1] in ("", "{", "[", "<"):
        return None
    tokens = text.split()
    words = sum(WORD.fullmatch(token) is not None for token in tokens)
    if words < max(MIN_WORDS, MIN_SHARE * len(tokens)) or not END.search(text):
        return None
    return Identified("text in sentences", dump(), holds=HOLDS)
