#!/bin/sh
# The tests that start Spark, under other versions of PySpark than the locked one. Usage: test_pyspark.sh PYTHON [VERSION]...
set -eu
python=$1
shift
[ $# -gt 0 ] || set -- 4.0.5 4.1.4 4.2.1
for version; do
    packages="var/pyspark/$version"
    [ -d "$packages/pyspark" ] || "$python" -m pip install --quiet --target "$packages" "pyspark==$version"
    echo "== PySpark $version"
    PYTHONPATH="$packages" "$python" -m pytest -q -m "spark and not live and not chaos and not e2e" tests/spark tests/workers/kinds
done
