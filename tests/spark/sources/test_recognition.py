"""Every layout is recognised as itself, and the same journal reads the same from all of them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from spark.sources import HEAD_BYTES, InputFile, sources
from spark.stages.plan import plan_inputs, recognise
from tests.generator import dumps, exports
from tests.spark.sources.export_samples import JOURNAL, SAMPLES
from tests.spark.sources.json_files import Reading, read


def written(name: str, content: bytes, folder: Path) -> InputFile:
    path = folder / name
    path.write_bytes(content)
    return InputFile(name, str(path), len(content))


def read_as(name: str, folder: Path) -> Reading:
    layout, sample = SAMPLES[name]
    return read(sources()[layout], sample(), folder, name)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_is_best_read_by_exactly_its_own_layout(name: str, tmp_path: Path) -> None:
    layout, sample = SAMPLES[name]
    best, answers = recognise(written(name, sample(), tmp_path))
    assert best is not None
    assert best.id == layout
    top = max(answer.score for answer in answers.values() if answer.matches)
    assert [id for id, answer in answers.items() if answer.matches and answer.score == top] == [layout]


@pytest.mark.parametrize(
    "name", [name for name in SAMPLES if not name.endswith((".metadata", ".data", "v2"))]
)
def test_a_long_sample_is_recognised_by_its_head(name: str, tmp_path: Path) -> None:
    layout, sample = SAMPLES[name]
    content = sample()
    head = content[: len(content) * 3 // 4]
    file = InputFile(name, str(tmp_path / name), len(content))
    answers = {id: source.recognise(file, head) for id, source in sources().items()}
    scores = {id: answer.score for id, answer in answers.items() if answer.matches}
    best = max(scores, key=lambda layout: scores[layout], default=None)
    assert best == layout or name == "k1.json"  # half a value is no guess any more


def expected(name: str) -> list[dict[str, Any]]:
    """Records of the journal as the layout can still tell them."""
    layout, lacks = SAMPLES[name][0], sources()[SAMPLES[name][0]].lacks
    rows = []
    for number, stored in enumerate(JOURNAL.stored):
        record = stored.record
        key, value = record.key, record.value
        if "null-or-empty" in lacks:
            key, value = key or None, value or None
        if layout == "redpanda-console-csv":
            key, value = (side.replace(b",", b";") if side else None for side in (key, value))
        rows.append(
            {
                "offset": number if "offset" in lacks else stored.offset,
                "key": None if "key" in lacks else key,
                "value": value,
                "timestamp_ms": None if "timestamps" in lacks else record.timestamp_ms,
                "headers": None
                if "headers" in lacks
                else pairs(record.headers, "duplicate-headers" in lacks),
            }
        )
    return rows


def pairs(headers: Any, is_map: bool) -> list[dict[str, bytes | None]]:
    kept = dict(headers).items() if is_map else headers
    return [{"key": name, "value": value} for name, value in kept]


SAME = [
    "kcat.json",
    "kcat64.json",
    "akhq.json",
    "console.json",
    "topic-message",
    "stream.txt",
    "topic-message.csv",
    "kafkactl.json",
    "kafkactl.ndjson",
    "confluent.json",
    "messages.csv",
    "backup-v2",
    "orders:3.data",
]


@pytest.mark.parametrize("name", SAME)
def test_the_same_journal_gives_the_same_records_less_what_the_layout_lacks(
    name: str, tmp_path: Path
) -> None:
    reading = read_as(name, tmp_path)
    found = [{column: row[column] for column in expected(name)[0]} for row in reading.records]
    wanted = expected(name)
    if name in ("backup-v2",):
        wanted = [row | {"value": None if row["value"] == b"null" else row["value"]} for row in wanted]
    if name in ("rpk.json", "console.json"):
        found = [row | {"headers": row["headers"] or []} for row in found]
    for row, same in zip(found, wanted, strict=True):
        if "null-or-empty" in sources()[SAMPLES[name][0]].lacks:
            row["value"], row["key"] = row["value"] or None, row["key"] or None
        assert row == same
    assert reading.damage == []


def test_kafdrop_cannot_tell_null_from_the_word_empty(tmp_path: Path) -> None:
    reading = read_as("kafdrop.json", tmp_path)
    assert reading.column("value") == [each.record.value for each in JOURNAL.stored]
    assert reading.column("key_is_null") == [each.record.key is None for each in JOURNAL.stored]


SOURCES_OF_TEXT = [name for name in SAMPLES if not name.endswith(".metadata")]


@pytest.mark.wide
@pytest.mark.parametrize("name", SOURCES_OF_TEXT)
def test_every_truncation_gives_whole_records_only(name: str, tmp_path: Path) -> None:
    layout, sample = SAMPLES[name]
    content, source = sample(), sources()[layout]
    whole = read_as(name, tmp_path).column("offset")
    for size in range(1, len(content), max(1, len(content) // 40)):
        if source.recognise(InputFile(name, "", size), content[:size]).matches:
            reading = read(source, content[:size], tmp_path, name)
            assert reading.column("offset") == whole[: len(reading.records)]


@pytest.mark.wide
@pytest.mark.parametrize("name", SOURCES_OF_TEXT)
def test_changed_bytes_never_raise(name: str, tmp_path: Path) -> None:
    layout, sample = SAMPLES[name]
    content, source = sample(), sources()[layout]
    draw = random.Random(name)
    for _ in range(25):
        changed = bytearray(content)
        for _ in range(draw.choice([1, 1, 3, 20])):
            changed[draw.randrange(len(changed))] = draw.randrange(256)
        file = InputFile(name, "", len(changed))
        answers = [one.recognise(file, bytes(changed[:HEAD_BYTES])) for one in sources().values()]
        assert all(answer.why for answer in answers)
        if source.recognise(file, bytes(changed)).matches:
            read(source, bytes(changed), tmp_path, name)


@pytest.mark.parametrize(
    "name", ["stream.txt", "topic-message", "kafkactl.json", "confluent.json", "kafdrop.json"]
)
def test_small_windows_read_the_same(name: str, tmp_path: Path) -> None:
    layout, sample = SAMPLES[name]
    file = written(name, sample(), tmp_path)
    (split,) = sources()[layout].split(file, 0, "?", 0, "")
    module = __import__(f"spark.sources.{layout.replace('-', '_')}", fromlist=["layout"])
    small = [
        row["offset"]
        for chunk in module.layout.read(split, 64)
        if chunk.records is not None
        for row in chunk.records.to_pylist()
    ]
    assert small == read_as(name, tmp_path).column("offset")


def test_masked_values_stay_as_masked(tmp_path: Path) -> None:
    """What a tool masked is text like any other: nothing is unmasked, nothing guessed."""
    for name in ("stream.txt", "kafkactl.json"):
        assert read_as(name, tmp_path).records[6]["value"] == b"********"


def test_a_guess_is_dropped_beside_a_journal_that_is_sure(tmp_path: Path) -> None:
    files = [
        written("journal.json", dumps.kcat_raw(JOURNAL), tmp_path),
        written("package.json", b'{"name": "x", "version": 1}', tmp_path),
    ]
    assert [row["layout"] for row in plan_inputs(files, {}).files] == ["kcat-json", None]
    alone = plan_inputs([written("file.json", exports.akhq_values(JOURNAL), tmp_path)], {})
    assert [row["layout"] for row in alone.files] == ["akhq-values"]
