"""Words of documents that are made of an inspection after its report: a comparison, a plan of repair.

Names are as in the tables and the report of a share with the same options and salt. A sentence whose values have no kinds is
hidden unless everything in keys and values is shown.
"""

from __future__ import annotations

from spark.redaction.rewriting import Rewriting
from spark.redaction.typed_texts import HIDDEN, TypedTexts


class DocumentWords:
    """The replacements of one inspection's words."""

    def __init__(self, rewriting: Rewriting) -> None:
        self._rewriting, self._texts = rewriting, rewriting.texts
        self.shows_sentences = rewriting.options.shows_all_names
        self._typed = TypedTexts(rewriting.texts, rewriting.masks, self.shows_sentences)

    def topic(self, name: str) -> str:
        return self._rewriting.names.topics.get(name, HIDDEN)

    def replica(self, name: str) -> str:
        return self._rewriting.names.copies.get(name, HIDDEN)

    def shows_ids_of(self, topic: str) -> bool:
        """Whether ids of the topic's entities are shown."""
        return self._texts.names.shows_ids_of(topic)

    def entity_type(self, name: str) -> str:
        return name if self.shows_sentences else self._rewriting.told_word(name)

    def entity(self, topic: str, entity_type: str, identity: str) -> str:
        """An entity's id."""
        return self._rewriting.shown_id(topic, entity_type, identity) or ""

    def members(self, topic: str, members: str) -> str:
        """Members of an entity as JSON text."""
        return self._rewriting.shown_members(topic, members)

    def name(self, text: str) -> str:
        """A name or an id in a document; one that no table has gets a pseudonym unless everything is shown."""
        return self._typed.name(text)

    def key(self, text: str) -> str:
        return self._typed.key(text)

    def of_our_own(self, text: str) -> str:
        """A sentence that has names of topics, numbers, and ids that are shown; nothing else of the data."""
        return self._texts.renamed(self._rewriting.masks.text(text)) or ""

    def sentence(self, text: str) -> str:
        """Any other sentence."""
        return self.of_our_own(text) if self.shows_sentences else HIDDEN
