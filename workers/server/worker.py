"""gunicorn's worker process: its asyncio worker, with our connections and Django behind `Front`."""

from __future__ import annotations

import resource
from pathlib import Path
from typing import Any

from django.conf import settings
from gunicorn.workers import gasgi

from workers.server.connections import Connection
from workers.server.front import Front

FILES_OF_OURS = 500  # databases, tables, temporary files: beside the connections


class Worker(gasgi.ASGIWorker):
    """`--threads` of it run Django, `--worker-connections` may wait."""

    @classmethod
    def check_config(cls, cfg: Any, log: Any) -> None:
        """Accepts threads."""

    def init_process(self) -> None:
        gasgi.ASGIProtocol = Connection  # where the worker takes the class from
        allow_files(2 * self.cfg.worker_connections + FILES_OF_OURS)
        super().init_process()

    def load_wsgi(self) -> None:
        """The application is WSGI, whatever this worker is."""
        folder = Path(settings.SCRATCH_DIR)
        folder.mkdir(parents=True, exist_ok=True)
        self.asgi = Front(self.app.wsgi(), self.cfg.threads, folder)


def allow_files(count: int) -> None:
    """As many open files as connections need, where the system lets us."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < limit:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
