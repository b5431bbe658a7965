"""Lines around outputs: fences, prompts with their commands, lines of other programs, `...`.

A mark is recognised by its whole line. A line that may belong to a value is not a mark.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

BLANK, FENCE, PROMPT, COMMAND, PROGRAM, CLOSING, LEFT_OUT, COMMENT = (
    "blank", "fence", "prompt", "command", "program", "closing", "left out", "comment",
)  # fmt: skip

TAG = rb"</?(?:pre|code|div|p|span|blockquote|table|tbody|thead|tr|td|th|ul|ol|li|figure|body|html|section|article|br|hr|samp|kbd|tt)\b[^<>]*>"
FENCES = re.compile(
    rb"\s*(?:`{3,}[ \w+.#-]{0,30}|~{3,}[ \w+.#-]{0,30}|\{(?:code|noformat|quote)(?::[^}\n]*)?\}|\[/?(?:code|quote|pre)[^\]\n]*\]"
    rb"|(?:\s*" + TAG + rb")+)\s*$"
)
KAFKA_TOOL = (
    rb"(?:[\w.~:-]*[/\\])*(?:kafka-(?:dump-log|console-consumer|console-share-consumer|avro-console-consumer|run-class"
    rb"|protobuf-console-consumer|json-schema-console-consumer|consumer-groups|configs|topics|get-offsets|transactions|log-dirs|metadata-shell"
    rb"|storage|metadata-quorum|reassign-partitions|delete-records|acls|cluster|broker-api-versions|console-producer|simple-consumer-shell"
    rb"|replica-verification|leader-election|streams-application-reset|share-groups|groups)(?:\.sh|\.bat)?"
    rb"|(?:cp-)?(?:kcat|kafkacat)(?:[:-][\w.:-]+)?|kafkactl|rpk|ksql)(?=[\s'\"]|$)"
)
HOSTS = rb"docker(?:-compose)?|podman|kubectl|oc|ssh|nerdctl|minikube|vagrant"
OTHERS = (
    HOSTS
    + rb"|sudo|winpty|env|exec|cat|zcat|less|more|head|tail|grep|zgrep|egrep|jq|awk|sed|cut|sort|strings|echo|printf|curl|wget"
    rb"|java|export|set|cd|ls|ll|pwd|bash|sh|exit|clear|time|watch|timeout|unzip|tar|print|PRINT|SET|SELECT|show|SHOW|java\.exe|type"
)
NAME = rb"[\w.+-]+"
PROMPTS = re.compile(
    rb"[ \t]*(?:\([\w .\-/:]{1,60}\)[ \t]*)?(?:"
    rb"\[?(?:I have no name!|" + NAME + rb")@" + NAME + rb"(?:[: ][^$#%>\n]{0,160})?\]?[ \t]?[$#%>]"
    rb"|\[[\w.@~/: -]{1,120}\][$#%>]"
    rb"|PS [A-Za-z]:\\[^>\n]{0,200}>|[A-Z]:\\[^>\n\"*]{0,200}>|PS>"
    rb"|(?:bash|sh|ksh|zsh|ash)-\d[\d.]*[$#]|(?:ksql|sql|kafka|cqlsh|redis)[\w-]*>"
    rb"|(?:\xe2\x9e\x9c|\xe2\x9d\xaf|\xce\xbb|\xc2\xbb)[ \t]*(?:[~\w./-]+ (?:git:\([^)]*\)[ \t]*(?:\xe2\x9c\x97)?)?)?"
    rb"|[~/][\w./~-]*[ \t]?[$#]|[\w.-]+:[~/][\w./~-]*(?: [\w.-]+)?[$#%>]|[\w.-]+:[\w.~/-]+ [\w.-]+\$"
    rb"|[$#%]|>{3}(?=[ \t]*$)"
    rb")(?=[ \t]|$|\.?[/\\]|bin[/\\]|kafka|kcat|(?<=>)(?:" + HOSTS + rb"|winpty|sudo|java|type)[ \t])[ \t]*"
)
FOLDER = re.compile(
    rb"[ :/~](?P<folder>[\w.-]{1,249}-\d{1,9})/?\]?[ \t]*[$#%>][ \t]*$"
)  # that a prompt names
IN_FOLDER = re.compile(rb"(?<=--files[ =])(?:\./)?(?=\d{20}\.\w)")
BARE = re.compile(rb"[ \t]*[$#%][ \t]*")
COMMANDS = re.compile(
    rb"[ \t]*(?:\w+=\S*[ \t]+)*(?:(?:sudo|time|env|winpty|exec)[ \t]+(?:-\S+[ \t]+)*)*(?:"
    + KAFKA_TOOL
    + rb"[^\n]*(?:[ \t]-|\\$|\|)|(?:"
    + KAFKA_TOOL
    + rb")[ \t]*$|(?:"
    + HOSTS
    + rb")[ \t][^\n]*"
    + rb"(?:[ \t'\"/]|^)"
    + KAFKA_TOOL
    + rb"|(?:"
    + HOSTS
    + rb")[ \t](?:compose[ \t])?(?:[^\n]* )?(?:exec|run)[ \t][^\n]*\\$"
    + rb"|(?:print|PRINT)[ \t]+[`'\"]?[\w.-]+[`'\"]?(?:[ \t]+(?:from beginning|FROM BEGINNING|limit|LIMIT|interval|INTERVAL)[^\n]*)?;[ \t]*$)"
)
SOME_COMMAND = re.compile(
    rb"(?:\w+=\S*[ \t]+)*(?:\./|/|bin/|(?:" + OTHERS + rb")(?:\s|$)|" + KAFKA_TOOL + rb")|\w+=\S*$"
)
GOES_ON = re.compile(rb"(?:\\|[ \t]\^|[ \t]`|[ \t]\|)[ \t]*$")
OPTIONS = re.compile(
    rb"[ \t]+--?[a-z][\w.-]*|>[ \t]+--?[a-z]|[ \t]*\|[ \t]*(?:jq|grep|head|tail|awk|sed|less|sort|cut|tee)\b"
)

# Lines of the log cleaner are read (log-cleaner-lines), so they are not told apart as another program's.
NOT_CLEANER = rb"(?![^\n]*(?:kafka-log-cleaner-thread|\bCleaner \d+: ))"
PROGRAMS = re.compile(
    rb"(?:"
    + NOT_CLEANER
    + rb"\[\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[,.]\d{1,9}\][ \t]+(?:\[[^\]\n]*\][ \t]*)?(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\b"
    rb"|"
    + NOT_CLEANER
    + rb"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[,.]\d{1,9}(?:Z|[+-]\d\d:?\d\d)?[ \t]+(?:\[[^\]\n]*\][ \t]*)?(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\b"
    rb"|SLF4J[(:]|log4j:|Picked up _?JAVA|(?:OpenJDK|Java HotSpot)[^\n]{0,40}[Ww]arning:|time=\"\d{4}-|WARN\[\d+\]"
    rb"|DEPRECATED|WARNING: |Warning: |The `[^\n]*deprecated|Option [^\n]*deprecated|Using the [^\n]*deprecated"
    rb"|Defaulted container |Defaulting container name|Unable to use a TTY|If you don't see a command prompt"
    rb"|% (?:Reached end of topic|Reached stop timestamp |Auto-selecting |Waiting for group|Group |ERROR:|FATAL:|Headers|Fatal error|Assigned|Unassigned"
    rb"|Auto-detected|Delivery|Metadata|Using |Message |Subscribed|Closing|Broker|WARNING|Reading configuration)"
    rb"|%\d\|\d{9,}\.\d+\||Press CTRL-C to interrupt|Topic printing ceased|(?:\^C|\x03)+[ \t]*$)"
)
TRACES = re.compile(
    rb"[ \t]+at [\w.$/<>@-]+\([^)\n]*\)|Caused by: |[ \t]+\.\.\. \d+ (?:more|common frames)|(?:org|java|javax|kafka)\.[\w.$]+(?:Exception|Error)\b"
)
CLOSINGS = re.compile(
    rb"(?:\^C|\x03)*[ \t]*(?:Processed a total of \d+ messages?|Consumed \d+ (?:messages|records)\.?"
    rb"|\^?C?Query terminated|Topic printing ceased)[ \t]*$"
)
LEFT_OUTS = re.compile(
    rb"[ \t]*(?:(?:\.|\xe2\x80\xa6|\xc2\xb7)[ \t]*){1,}$|[ \t]*(?:[.\xe2\x80\xa6][ \t]*){3,}[^\n\"{}]{0,80}[ \t]*(?:[.\xe2\x80\xa6][ \t]*){3,}$"
    rb"|[ \t]*[\[<({]\s*(?:\.{2,}|\xe2\x80\xa6|snip|truncated|omitted|cut|snipped)[^\n\"]{0,40}[\])>}][ \t]*$|[ \t]*(?:-{3,}|={3,}|\*{3,}|_{3,}|-+ ?8<[ -]*)[ \t]*$"
)
COMMENTS = re.compile(rb"[ \t]*(?:#|//|/\*|<!--|--[ \t]|h[1-6]\. |(?:-->|\*/|\"{3}|'{3})[ \t]*$)")
WORTH_A_LOOK = re.compile(  # behind a line feed, so that a search of a large text skips from one to the next
    rb"\n(?:[ \t>]*(?:```|~~~|\{code|\{noformat|</?(?:pre|code|div|p|span|br)\b|\[/?code)"
    rb"|[ -]*[\"']?(?:entrypoint|command|args)[\"']? *:"
    rb"|[^\n\"{}|]{0,160}[$#%>] ?[^\n]{0,240}?" + KAFKA_TOOL + rb")"
)


@dataclass(frozen=True)
class Mark:
    """The kind of a line that is no output; for a command the text after its prompt."""

    kind: str
    command: bytes = b""


def mark_of(text: bytes) -> Mark | None:
    """The mark that a line is, or None."""
    if not text.strip():
        return Mark(BLANK)
    if CLOSINGS.match(text):
        return Mark(CLOSING)
    if PROGRAMS.match(text):
        return Mark(PROGRAM)
    if FENCES.match(text):
        return Mark(FENCE)
    if LEFT_OUTS.match(text):
        return Mark(LEFT_OUT)
    if COMMANDS.match(text):
        return Mark(COMMAND, text.strip())
    return prompted(text) or (Mark(COMMENT) if COMMENTS.match(text) else None)


def prompted(text: bytes) -> Mark | None:
    """A prompt, alone or with a command. `# ` and `% ` alone need a command after them."""
    match = PROMPTS.match(text)
    if match is None:
        return None
    command = text[match.end() :].strip()
    is_bare = BARE.fullmatch(match[0]) is not None and b"$" not in match[0]
    if not command:
        return None if is_bare else Mark(PROMPT)
    if is_bare and not SOME_COMMAND.match(command):
        return None
    if folder := FOLDER.search(match[0]):
        command = IN_FOLDER.sub(folder["folder"] + b"/", command)
    return Mark(COMMAND, command)
