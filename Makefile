# `make run` is all it takes; `make help` lists the rest.
PYTHON ?= python3
PORT ?= 8000
HOST ?= 127.0.0.1
CORPUS ?= ../shared/corpus
# What `make judge` holds us to. Left out: two stages of compaction-3.9.1, whose truth names values that the cleaning
# had removed (its third, `before`, holds). The cases 08 and 47 of public-real and the folders pasted and pasted-2 are
# judged as scripts/corrected_cases.py corrects them.
CASES = $(filter-out %/compaction-3.9.1,$(wildcard $(CORPUS)/brokers/*))
FOLDERS = apicurio apicurio-real connect-real incidents internal-real open repairs-real schemas-real
PUBLIC = $(filter-out $(wildcard $(addprefix $(CORPUS)/public-real/,08-* 47-*)),$(wildcard $(CORPUS)/public-real/*))
JUDGE ?= $(CASES) $(PUBLIC) $(foreach name,$(FOLDERS),$(CORPUS)/$(name))

# One more than there are cores: a third of the time tests wait for processes that they start.
TESTERS := $(shell expr $$(nproc) + 1)

# What `make test` leaves to targets of their own, and where tests are that open a browser.
QUICK := not long and not live and not chaos and not cluster and not bare and not wheel
# Of those that take seconds each it takes every sixteenth, of those with a database every third; which ones differs by commit.
export TEST_SEED ?= $(shell git rev-parse --short=7 HEAD 2>/dev/null)
BROWSER := tests/e2e tests/webapp/reports/charts
# The plain unit tests: they ask neither the database nor several stages, whole journals, a format changed everywhere.
UNIT := $(QUICK) and not (spark or slow or e2e or integration or pipeline or wide)
NO_CLUSTER := --ignore tests/live --ignore tests/cluster
NO_UNIT := --ignore tests/e2e $(NO_CLUSTER)

VENV := .venv
PY := $(VENV)/bin/python
export HOST PORT
# Tests are rewritten and compiled once for all the processes that run them.
export PYTHONDONTWRITEBYTECODE =

.PHONY: help run demo env cluster-env env-dev browser test test-rest test-long test-unit test-e2e test-live test-cluster test-pyspark test-chaos test-bare test-wheel release audit lint fix bench judge lock clean
.DEFAULT_GOAL := help

help: ## this list
	@grep -E '^[a-z0-9-]+:.*##' Makefile | sed -E 's/^([a-z0-9-]+):[^#]*## /  make \1\t/' | expand -t 20

run: env ## start everything; PORT=8000 HOST=127.0.0.1 JOURNALSCOPE_DATA=var
	@exec $(PY) -m workers.supervisor

demo: env ## the same on a throw-away data folder
	@JOURNALSCOPE_DATA="$$(mktemp -d)"; export JOURNALSCOPE_DATA; \
	trap 'rm -rf "$$JOURNALSCOPE_DATA"' EXIT; trap : INT TERM; $(PY) -m workers.supervisor

env: ## make or renew .venv from the hashed lock files
	@PYTHON="$(PYTHON)" sh scripts/environment.sh $(VENV) requirements.lock

cluster-env: env ## pack the environment for the executors of a Spark cluster: var/cluster-env.tar.gz; docs/deployment.md
	$(PY) scripts/cluster_env.py var/cluster-env.tar.gz

env-dev:
	@PYTHON="$(PYTHON)" sh scripts/environment.sh $(VENV) requirements.lock requirements-dev.lock

browser: env-dev # one that tests can open: the machine's, Debian's package, or a package of the environment
	@$(PY) scripts/browser.py || true

test: browser ## unit tests, every third with a database, every sixteenth of Spark, whole journals, processes and browsers; TESTS=tests/webapp for a part
	$(PY) -m pytest -q -n $(TESTERS) --dist loadfile --no-loadscope-reorder -m "$(QUICK)$(if $(TESTS),, and not rest)" $(NO_CLUSTER) $(TESTS)

test-rest: browser ## the others of the same commit; TEST_SLICE=2/4 for a part
	$(PY) -m pytest -q -n $(TESTERS) --dist loadfile --no-loadscope-reorder -m "$(QUICK) and rest" $(NO_CLUSTER) $(TESTS)

test-long: browser ## what `make test` takes samples of: every cut, every mutation, every page; TEST_SLICE=2/6 for a part
	$(PY) -m pytest -q -n 2 --dist loadfile --no-loadscope-reorder -m "long and not chaos and not bare and not wheel"

test-unit: env-dev ## the plain unit tests: no database, no whole journals, no Spark session, no browser
	$(PY) -m pytest -q -n $(TESTERS) --dist loadfile -m "$(UNIT)" $(NO_UNIT)

test-e2e: browser ## the browser tests only
	$(PY) -m pytest -q -n $(TESTERS) --dist loadfile -m "$(QUICK) and e2e" $(BROWSER)

test-live: browser ## real brokers of four ages from Maven, some twelve minutes on two processes; needs Java, javac, mvn
	LIVE=1 $(PY) -m pytest -q -n 2 --dist loadgroup tests/live

test-bare: env-dev ## the two commands in a root file system that has make and Python alone; needs root and debootstrap; ten minutes
	$(PY) -m pytest -q -m bare tests/bare

test-wheel: env-dev ## the wheel in bare environments: each command, the server with one upload, docs/spark.md on a cluster; needs the network; fifteen minutes
	$(PY) -m pytest -q -m wheel tests/packaging

release: env-dev ## wheel, source archive, docs, SBOM, licences and checksums of the commit, into dist; docs/releasing.md
	$(PY) scripts/packaging/release.py dist

audit: env-dev ## what a scanner would ask: dependencies, code patterns, every address as every part; docs/security.md
	$(VENV)/bin/ruff check .
	$(PY) -m pytest -q -n $(TESTERS) --dist loadfile tests/test_security_rules.py tests/webapp/test_baseline.py tests/webapp/test_rights.py
	$(PY) scripts/audit_dependencies.py

test-pyspark: env-dev ## the tests that start Spark under PySpark 4.0, 4.1 and 4.2 (fetched once); six minutes
	sh scripts/test_pyspark.sh $(PY)

test-cluster: env-dev ## a standalone Spark cluster, also with executors that see no disk of the driver or are killed, and an S3 server; 13 minutes; needs mvn
	$(PY) -m pytest -q -m "not long" tests/cluster

test-chaos: env-dev ## kills in every stage, a full and a read-only disk, Redis and PostgreSQL going and coming, a clock set back
	$(PY) -m pytest -q -m chaos tests/chaos

lint: env-dev ## ruff, mypy, import-linter, djade
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports
	find templates -name '*.html' -print0 | xargs -0 -r $(VENV)/bin/djade --check --target-version 5.2

fix: env-dev ## let the formatters mend what they can
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .
	find templates -name '*.html' -print0 | xargs -0 -r $(VENV)/bin/djade --target-version 5.2

bench: env-dev ## figures against their targets; BENCH="--quick --only dump-log"
	$(PY) -m bench $(BENCH)

judge: env ## the cases whose truth is known; CORPUS=folder
	@PY="$(PY)" sh scripts/judge.sh "$(CORPUS)" $(JUDGE)

lock: env-dev ## renew the lock files from pyproject.toml and the .in files; needs uv
	@command -v uv >/dev/null || { echo "make lock needs uv on the PATH."; exit 1; }
	uv pip compile -q --upgrade --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
		--no-emit-index-url --no-emit-find-links --all-extras pyproject.toml -o requirements.lock
	uv pip compile -q --upgrade --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
		--no-emit-index-url --no-emit-find-links requirements-dev.in -o requirements-dev.lock
	uv pip compile -q --upgrade --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
		--no-emit-index-url --no-emit-find-links scripts/locks/node.in -o scripts/locks/node.lock
	uv pip compile -q --upgrade --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
		--no-emit-index-url --no-emit-find-links scripts/locks/release.in -o scripts/locks/release.lock
	$(PY) scripts/browser.py --lock

clean: ## remove the environment and caches, not the data
	rm -rf $(VENV) staticfiles .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
