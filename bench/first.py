"""`python -m bench.first WHAT`: do for the first time what a process of the site does often; print the seconds.

A process of its own, because nothing is done for the first time twice.
"""

from __future__ import annotations

import gc
import os
import sys
import tempfile
import time
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from wsgiref.util import setup_testing_defaults

from bench import inputs
from bench.inspecting import StageTimes, cpu_seconds
from bench.starting import SIZE_MB

DECODED_MB = 300
TIMES = 6


def worker() -> float:
    """The first inspection after Spark has started as a worker starts it."""
    from spark import pipeline
    from spark.runtime.session import context, discard

    pipeline.preload(context())
    seconds = _inspection(inputs.segments(SIZE_MB, "none"))
    discard()
    return seconds


def following() -> float:
    """Inspections of a small dump that follow the first: processor time of all processes."""
    from spark.runtime.session import discard

    _inspection([inputs.small_dump()])
    before = cpu_seconds(os.getpid())
    for _ in range(TIMES):
        _inspection([inputs.small_dump()])
    seconds = cpu_seconds(os.getpid()) - before
    discard()
    return seconds


def _inspection(paths: list[Path]) -> float:
    from spark import pipeline
    from spark.runtime.session import context

    files = inputs.as_uploaded(paths)
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        pipeline.inspect(context, files, Path(folder) / "results", StageTimes(), pipeline.Limits())
        return time.perf_counter() - began


def decoder() -> float:
    """The decoding of a segment, the least processor time of some, after a first one that compiles."""
    from bench.others import own_cpu_seconds

    segments = inputs.segments(DECODED_MB, "none")[:1]
    return min(own_cpu_seconds(segments)[0] for _ in range(TIMES))


def page() -> float:
    """Seconds to the first response of a web process."""
    application = _web_process()
    environ: dict[str, Any] = {"PATH_INFO": "/healthz", "HTTP_HOST": "127.0.0.1"}
    setup_testing_defaults(environ)
    environ["wsgi.input"] = BytesIO()
    began = time.perf_counter()
    b"".join(application(environ, lambda *_: None))
    return time.perf_counter() - began


def collection() -> float:
    """Seconds of a full garbage collection in a web process."""
    _web_process()
    began = time.perf_counter()
    gc.collect()
    return time.perf_counter() - began


def _web_process() -> Any:
    from webapp.wsgi import application
    from workers import gunicorn_config

    gunicorn_config.when_ready(SimpleNamespace())
    return application


WHAT = {"worker": worker, "next": following, "decoder": decoder, "page": page, "collection": collection}

if __name__ == "__main__":
    print(WHAT[sys.argv[1]]())
