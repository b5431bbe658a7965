"""What to do with a mended journal, as steps with their commands."""

from __future__ import annotations

from spark.topic_commands import keep_cleaner_away, let_cleaner_work, take_dump

FIXED = "Apicurio Registry 2.5.9 or later (such as 2.6.13)"


def steps(way: str, topic: str, fresh: str, file: str) -> list[str]:
    """Steps for records to append to a topic, or for a mended copy in a fresh one."""
    dump = f"Keep a dump of the topic as it is now: {take_dump(topic)}"
    stop = "Stop every registry that writes to the topic; the next steps must not mix with its records."
    check = "Ask the registry for each artifact named above; then let it run for a while and inspect a new dump of the topic."
    if way == "append":
        return [
            dump,
            stop,
            f"Keep the cleaner away meanwhile: {keep_cleaner_away(topic)}",
            f"Produce the records in their order: `java -jar apicurio-registry-tools-kafkasql-topic-import.jar -b BROKER -f {file}`",
            f"Start {FIXED} on it, and no version from 2.1.3 to 2.5.8: those write the empty UPDATE again at their first start.",
            check,
            f"Let the cleaner work again: {let_cleaner_work(topic)}",
        ]
    return [
        dump,
        stop,
        f"Make a fresh topic with one partition: `kafka-topics.sh --bootstrap-server BROKER --create --topic {fresh} "
        "--partitions 1 --config cleanup.policy=compact`",
        f"Produce the mended journal into it: `java -jar apicurio-registry-tools-kafkasql-topic-import.jar -b BROKER -f {file}`",
        f"Start {FIXED}, and no version from 2.1.3 to 2.5.8 (those write the empty UPDATE again at their first start), "
        f"on the fresh topic: `REGISTRY_KAFKASQL_TOPIC={fresh}`",
        check,
        f"Keep the old topic {topic} until you are sure.",
    ]
