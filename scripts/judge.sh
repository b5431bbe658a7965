#!/bin/sh
# judge.sh CORPUS CASES...: runs the judge over cases whose truth is known. CASES is a folder, or FILTER:FOLDER.
set -eu

corpus=$1
shift
tool=$(dirname "$corpus")/tools/judge
if [ ! -d "$corpus" ] || [ ! -f "$tool" ]; then
    echo "make judge: no cases at $corpus, nothing to judge."
    exit 0
fi
status=0
plain=
for cases in "$@"; do
    case $cases in
    *:*) "$PY" "$tool" --python "$PY" --only "${cases%%:*}" "${cases#*:}" || status=1 ;;
    *) plain="$plain $cases" ;;
    esac
done
# shellcheck disable=SC2086  # folders of the corpus have no blanks in their names
[ -z "$plain" ] || "$PY" "$tool" --python "$PY" $plain || status=1
exit $status
