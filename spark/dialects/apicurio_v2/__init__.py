"""Apicurio Registry 2.x with KafkaSQL storage: `kafkasql-journal`, from which the registry rebuilds its database.

message_types   the types, their keys, the words for actions      content    the binary Content value
sniff           recognise the journal                             interpret  records -> entries
registry        what the service holds in memory                  replay     entries -> state, refusals
profile         which versions wrote it                           starts     what a start writes
releases        what each release does otherwise

What brings lost contents back: spark/repair/apicurio_v2.
"""

from __future__ import annotations

from spark.dialects import Dialect
from spark.dialects.apicurio_v2.interpret import interpret
from spark.dialects.apicurio_v2.profile import family
from spark.dialects.apicurio_v2.replay import replay
from spark.dialects.apicurio_v2.sniff import sniff
from spark.dialects.apicurio_v2.starts import start

dialect = Dialect(
    id="apicurio-v2",
    title="Apicurio Registry 2.x (KafkaSQL journal)",
    sniff=sniff,
    interpret=interpret,
    replay=replay,
    family=family,
    start=start,
    releases=("2.5.9", "2.6.13"),
    compared={
        "artifact": ("type", "owner"),
        "version": ("globalId", "contentId", "state", "name"),
        "group": ("description",),
        "global-rule": ("config",),
        "artifact-rule": ("config",),
        "role": ("role",),
        "config-property": ("value",),
        "comment": ("value",),
    },
    stored=("content",),
)
