"""Which names of the index match: those of the reports a user may see, exact ones first, then the newest.

A name matches when it contains the query; where too few do, when it contains all words of the query.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from django.db import connection
from django.db.models import Count, F, Q, QuerySet

from webapp.accounts.roles import projects_for_user
from webapp.search.index import folded
from webapp.search.models import MAX_SHORT, IndexedName, IndexedPartition, IndexedReport

CANDIDATES = 200  # of which the best are shown
MIN_PART = 3  # characters of a trigram; a shorter query must be the whole id
MAX_WORDS = 8
MAX_PARTS = 6  # trigrams that the index is asked for
HEX = re.compile(r"(?=.*[a-f])[0-9a-f]{6,64}|[0-9]{8,64}")  # the beginning of a hash
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
TRIGRAMS = """
SELECT w.rowid FROM search_trigrams w
JOIN search_indexedname n ON n.id = w.rowid
JOIN search_indexedreport r ON r.id = n.report_id
JOIN journals_journal j ON j.id = r.journal_id
WHERE search_trigrams MATCH %s AND n.kind = %s AND j.project_id IN ({projects}){words}
ORDER BY w.rowid DESC LIMIT {limit}
"""


def names_for_user(user: Any) -> QuerySet[IndexedName]:
    """Names in reports that the user may see."""
    return IndexedName.objects.filter(report__journal__project__in=projects_for_user(user))


def matching_names(user: Any, kind: str, text: str, limit: int, own_journal: Any = None) -> list[IndexedName]:
    """At most `limit` names, one per lineage of journals. `own_journal`: id of the journal whose names come first."""
    query = folded(text)
    if not query:
        return []
    matches: dict[int, IndexedName] = {}
    related = ("report__journal", "report__inspection")
    visible = names_for_user(user).filter(kind=kind).select_related(*related)
    # each by its index, the newest first
    _add(matches, visible.filter(short=query[:MAX_SHORT]).order_by("-pk")[:CANDIDATES])
    if " " in query:
        ident = query.partition(" ")[2]  # `48` of `content 48`
        _add(
            matches,
            visible.filter(short=ident[:MAX_SHORT], text__contains=query).order_by("-pk")[:CANDIDATES],
        )
    if len(query) >= MIN_PART:
        if own_journal:
            _add(matches, visible.filter(report__journal=own_journal, text__contains=query).order_by())
        _add(matches, _containing(user, visible, kind, [query]))
        words = query.split()[:MAX_WORDS]
        if len(matches) < limit and len(words) > 1:
            _add(matches, _containing(user, visible, kind, words))
    fitting = [row for row in matches.values() if is_match(row, query)]
    ranked = sorted(fitting, key=lambda row: rank(row, query, own_journal))
    return _newest_of_each(ranked)[:limit]


def is_match(row: IndexedName, query: str) -> bool:
    """Whether all words stand in the name, a number or short word at the beginning of one; or a hash contains the query.

    The digits of a UUID are no number.
    """
    name = row.text if row.kind == IndexedName.Kind.KEY else folded(row.name)
    if HEX.fullmatch(query) and query in row.text:
        return True
    numbered = UUID.sub("", name)
    return (query in name and len(query) > MIN_PART and not query.isdecimal()) or all(
        re.search(rf"(?<![0-9a-z]){re.escape(word)}", numbered)
        if word.isdecimal() or len(word) < MIN_PART
        else word in name
        for word in query.split()
    )


def rank(row: IndexedName, query: str, own_journal: Any) -> tuple[Any, ...]:
    """The whole name, the report one reads, no sample, its beginning, the newest report, the shortest name."""
    is_whole = query in (row.short, folded(row.name))  # a longer id is whole by its name
    is_begin = row.short.startswith(query) or row.text.startswith(query)
    journal = row.report.journal
    return (
        not is_whole,
        journal.pk != own_journal,
        journal.is_sample,
        not is_begin,
        -row.report_id,
        len(row.name),
        row.pk,
    )


@cache
def has_trigrams() -> bool:
    """Whether SQLite has the table of trigrams; PostgreSQL uses its index without being asked."""
    return connection.vendor == "sqlite" and "search_trigrams" in connection.introspection.table_names()


def _add(matches: dict[int, IndexedName], rows: Iterable[IndexedName]) -> None:
    for row in rows:
        matches.setdefault(row.pk, row)


def _containing(
    user: Any, visible: QuerySet[IndexedName], kind: str, words: Sequence[str]
) -> Iterable[IndexedName]:
    """The newest names that contain all words."""
    parts = rare_parts(words)
    if not has_trigrams() or not parts:
        for word in words:
            visible = visible.filter(text__contains=word)
        return visible.order_by("-pk")[:CANDIDATES]
    projects = list(projects_for_user(user).values_list("pk", flat=True))
    if not projects:
        return []
    sql = TRIGRAMS.format(
        projects=", ".join(["%s"] * len(projects)),
        words=" AND instr(n.text, %s)" * len(words),
        limit=CANDIDATES,
    )
    quoted = " AND ".join('"' + trigram.replace('"', '""') + '"' for trigram in parts)
    with connection.cursor() as cursor:
        cursor.execute(sql, [quoted, kind, *projects, *words])
        ids = [row[0] for row in cursor.fetchall()]
    return visible.filter(pk__in=ids)


def rare_parts(words: Sequence[str]) -> list[str]:
    """Some trigrams of the words: enough to leave few names, of which the words choose. Digits are rarer than letters."""
    every = list(
        dict.fromkeys(word[at : at + MIN_PART] for word in words for at in range(len(word) - MIN_PART + 1))
    )
    rare = [trigram for trigram in every if any(character.isdecimal() for character in trigram)]
    common = [trigram for trigram in every if trigram not in rare]
    chosen = rare[-MAX_PARTS:]
    step = max(1, len(common) // MAX_PARTS)
    return [*chosen, *common[::step]][:MAX_PARTS]


def _newest_of_each(rows: Sequence[IndexedName]) -> list[IndexedName]:
    """Of the dumps of one journal the first."""
    newest: dict[tuple[Any, ...], IndexedName] = {}
    for row in rows:
        newest.setdefault(
            (row.report.journal.lineage, row.kind, row.type, row.ident, row.topic, row.partition), row
        )
    return list(newest.values())


def partitions_for_user(user: Any) -> QuerySet[IndexedPartition]:
    """Partitions of reports that the user may see."""
    return IndexedPartition.objects.filter(report__journal__project__in=projects_for_user(user))


def partitions_with(
    user: Any, offset: int, name: str, limit: int, own_journal: Any = None
) -> list[tuple[IndexedPartition, int]]:
    """Partitions that contain the offset, of this name or of any, as `_newest_partitions` orders them: of the replicas of one the first,
    and how many more contain it."""
    rows = partitions_for_user(user).filter(first_offset__lte=offset, last_offset__gte=offset)
    if name:
        rows = rows.filter(
            Q(text=folded(name)) | Q(topic__iexact=name) | Q(report__journal__name__iexact=name)
        )
    replicas: dict[tuple[Any, ...], list[IndexedPartition]] = {}
    for row in _newest_partitions(rows, CANDIDATES, own_journal):
        replicas.setdefault((row.report.journal.lineage, row.name), []).append(row)
    return [(of_partition[0], len(of_partition) - 1) for of_partition in replicas.values()][:limit]


def partitions_named(
    user: Any, words: Sequence[str], limit: int, own_journal: Any = None
) -> list[IndexedPartition]:
    """Partitions and replicas with these words in their names, of reports that have several: the journal is the only one of others."""
    several = IndexedPartition.objects.values("report").annotate(number=Count("pk")).filter(number__gt=1)
    rows = partitions_for_user(user).filter(report__in=several.values("report"))
    for word in words:
        rows = rows.filter(Q(text__contains=word) | Q(replica__icontains=word))
    return _newest_partitions(rows, limit, own_journal)


def _newest_partitions(
    rows: QuerySet[IndexedPartition], limit: int, own_journal: Any
) -> list[IndexedPartition]:
    """Those of the journal one reads first, of each journal's dumps the newest."""
    rows = rows.select_related("report__journal", "report__inspection")
    own = list(rows.filter(report__journal=own_journal).order_by("pk")[:limit]) if own_journal else []
    others = rows.exclude(report__journal=own_journal).order_by(
        "report__journal__is_sample", "-report__journal__created_at", "pk"
    )
    newest: dict[tuple[Any, ...], IndexedPartition] = {}
    for row in (*own, *others[:CANDIDATES]):
        newest.setdefault((row.report.journal.lineage, row.name, row.replica), row)
    return list(newest.values())[:limit]


def cut_reports(user: Any) -> int:
    """Number of visible reports of which not all names are in the index."""
    visible = IndexedReport.objects.filter(journal__project__in=projects_for_user(user))
    return visible.filter(indexed__lt=F("names")).count()
