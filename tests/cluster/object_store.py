"""An S3 server on the loopback (S3Proxy, fetched by Maven), with one bucket and one user whom it lets in."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import Self
from unittest.mock import patch

from pyarrow import fs

from tests.live.jars import SMALL_JAVA, fetched, java
from tests.live.programs import Program, free_port

VERSION = "2.6.0"
USER, SECRET = "reader", "secret-of-the-reader"
BUCKET, REGION = "journals", "us-east-1"
QUIET = '<configuration><root level="WARN"/></configuration>'


class ObjectStore:
    """`folder` takes what is stored."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.objects = folder / "objects"
        (self.objects / BUCKET).mkdir(parents=True)
        (self.objects / BUCKET).chmod(0o700)  # what everybody may read there needs no credentials
        self.port = free_port()
        options = {
            "s3proxy.endpoint": self.endpoint,
            "s3proxy.authorization": "aws-v2-or-v4",
            "s3proxy.identity": USER,
            "s3proxy.credential": SECRET,
            "s3proxy.ignore-unknown-headers": "true",  # of clients newer than it
            "jclouds.provider": "filesystem-nio2",
            "jclouds.filesystem.basedir": str(self.objects),
            "jclouds.identity": "unused",
            "jclouds.credential": "unused",
        }
        settings = folder / "s3proxy.conf"
        settings.write_text("".join(f"{name}={value}\n" for name, value in options.items()))
        logging = folder / "logback.xml"
        logging.write_text(QUIET)
        jars = fetched("s3proxy", VERSION, ["org.gaul:s3proxy:{version}"])
        line = [java(VERSION), *SMALL_JAVA, f"-Dlogback.configurationFile={logging}", "-cp", f"{jars}/*"]
        main = ["org.gaul.s3proxy.Main", "--properties", str(settings)]
        self.program = Program([*line, *main], folder / "s3proxy.log", self.port)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.program.stop()

    @property
    def endpoint(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    def environment(self, secret: str = SECRET) -> dict[str, str]:
        """What a program needs to be let in, as the libraries of S3 take it."""
        return {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ACCESS_KEY_ID": USER,
            "AWS_SECRET_ACCESS_KEY": secret,
            "AWS_REGION": REGION,
            "AWS_REQUEST_CHECKSUM_CALCULATION": "when_required",  # S3Proxy knows no others
        }

    def upload(self, folder: Path, key: str) -> str:
        """Put all files below a folder under a key; its address."""
        fs.copy_files(str(folder), f"{BUCKET}/{key}", destination_filesystem=self._system())
        return f"s3://{BUCKET}/{key}"

    def upload_file(self, file: Path, key: str) -> str:
        """Put a file under a key; its address."""
        with self._system().open_output_stream(f"{BUCKET}/{key}") as target:
            target.write(file.read_bytes())
        return f"s3://{BUCKET}/{key}"

    def _system(self) -> fs.S3FileSystem:
        """As Arrow's S3."""
        with patch.dict(
            os.environ, {"AWS_REQUEST_CHECKSUM_CALCULATION": "when_required"}
        ):  # S3Proxy knows no others
            return fs.S3FileSystem(
                access_key=USER, secret_key=SECRET, endpoint_override=self.endpoint, region=REGION
            )
