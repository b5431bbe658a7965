"""Settings that need no site: limits and places that commands on files have in common with the web (`webapp.settings`)."""

from __future__ import annotations

import os

from spark.terms.installation import ROOT
from webapp import environment
from webapp.data_folder import data_dir

environment.keep_files_private()
BASE_DIR = ROOT
DATA_DIR = data_dir()
environment.set_cache(DATA_DIR / "cache")
SPARK_MASTER = os.environ.get("SPARK_MASTER") or "local[*]"
MAX_FILE_BYTES = environment.number("MAX_FILE_BYTES", 64 * 1024**3)
MAX_JOURNAL_FILES = environment.number("MAX_JOURNAL_FILES", 20_000)
MAX_ARCHIVE_MEMBERS = environment.number("MAX_ARCHIVE_MEMBERS", 20_000)
MAX_ARCHIVE_RATIO = environment.number("MAX_ARCHIVE_RATIO", 200)
MAX_BATCH_BYTES = environment.number("MAX_BATCH_BYTES", 512 * 1024**2)
# Networks that Kafka clusters and schema registries may be in; empty: all but those that are never meant
KAFKA_NETWORKS = environment.networks("KAFKA_NETWORKS")
