"""Lines set aside: what stands around the prints of a pasted text and is no output of the tool. One note per text.

A line with a tool's own words for a record (`| offset: 7 CreateTime: `) is called a line of a record that could not be read,
and then no verdict is `Healthy`.

Innocent: always; it is said so that everybody can look whether something was set aside that should not.
Page: docs/detectors/lines-set-aside.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, query
from spark.tables.replica import Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import plural

KINDS = {
    "prompt": "prompt",
    "command": "command",
    "fence": "fence",
    "program": "another program",
    "closing": "closing line",
    "left out": "`...`",
    "comment": "comment",
    "text": "other text",
    "quote": "row that the text quotes",
}
# One row per text.
SET_ASIDE = """
    SELECT set_aside.name, any_value(files.topic) AS topic, count(*) AS lines, list(DISTINCT set_aside.kind) AS kinds,
        count_if(set_aside.kind = 'unread') AS unread
    FROM set_aside JOIN files USING (file)
    WHERE set_aside.kind <> 'repeat'
    GROUP BY set_aside.name
"""


def describe(row: Row) -> Finding:
    kinds = ", ".join(words for kind, words in KINDS.items() if kind in row["kinds"])
    unread, around = row["unread"], row["lines"] - row["unread"]
    sentences = []
    if unread:
        sentences.append(f"{plural(unread, 'line')} of a record that could not be read")
    if around:
        are = "is" if around == 1 else "are"
        sentences.append(f"{plural(around, 'line')} that {are} not output of the tool ({kinds})")
    are = "is" if row["lines"] == 1 else "are"
    return Finding(
        detector=detector.id,
        severity="info",
        title="; ".join(sentences),
        explanation=(
            f"{marked.file(row['name'])} is a pasted text. {plural(row['lines'], 'line')} in it {are} not read. "
            "The tab Files lists every such line with its kind."
        ),
        topic=row["topic"],
        partition=None,
        first_offset=None,
        last_offset=None,
        entity=row["name"],
        remedy=detector.remedy(),
    )


detector = Detector(
    id="lines-set-aside",
    title="Lines that are not output of the tool",
    find=query(SET_ASIDE),
    describe=describe,
    headline=clause("{count} with lines that are not output of the tool", "text"),
    rows_of="set_aside",
)
