#!/bin/sh
# A night's dump of a journal and its inspection, for cron:
#   15 3 * * *  BROKER=kafka:9092 TOPIC=kafkasql-journal FOLDER=/srv/journals /usr/local/bin/nightly.sh
# Says nothing unless something new is high or critical; cron mails what it says. Keeps 14 dumps. The first report is the baseline.
set -eu
: "${BROKER:?}" "${TOPIC:?}" "${FOLDER:?}"
today=$FOLDER/$TOPIC-$(date -u +%Y-%m-%d).json
baseline=$FOLDER/$TOPIC-baseline.json
before=$(ls -1 "$FOLDER/$TOPIC"-20*.json 2>/dev/null | grep -vxF "$today" | tail -n 1 || true)

kcat -C -b "$BROKER" -t "$TOPIC" -o beginning -e -q -J -X isolation.level=read_uncommitted > "$today.part"
mv "$today.part" "$today"
[ -e "$baseline" ] || journalscope inspect "$today" --fail-on never --json > "$baseline"
ls -1 "$FOLDER/$TOPIC"-20*.json | head -n -14 | xargs -r rm --
exec journalscope inspect "$today" ${before:+--older "$before"} --baseline "$baseline" --quiet
