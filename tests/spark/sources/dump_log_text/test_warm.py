from spark.sources.console_consumer import walk as console
from spark.sources.dump_log_text import columns, rebuild, walk
from spark.sources.dump_log_text.warm import read_sample


def test_the_samples_lead_into_compiled_code_by_every_door() -> None:
    assert read_sample() == 6
    doors = (walk.walk, columns.count_names, columns.find_names, rebuild.build, console.walk, console.is_null, console.find_headers)  # fmt: skip
    assert [door.__name__ for door in doors if not door.signatures] == []  # type: ignore[attr-defined]
