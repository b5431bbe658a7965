#!/bin/sh
# judge.sh CORPUS FOLDER...: holds findings (judge) and replayed state (judge-state) against cases whose truth is known.
set -eu

corpus=$1
shift
tools=$(dirname "$corpus")/tools
if [ ! -d "$corpus" ] || [ ! -f "$tools/judge" ] || [ ! -f "$tools/judge-state" ]; then
    echo "make judge: no cases at $corpus, nothing to judge."
    exit 0
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$PY" scripts/corrected_cases.py "$corpus" "$scratch"
status=0
"$PY" "$tools/judge" --python "$PY" "$@" "$scratch" || status=1
"$PY" "$tools/judge-state" --python "$PY" "$@" || status=1
exit $status
