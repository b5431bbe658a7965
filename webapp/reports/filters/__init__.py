"""The filter language of records: `offset:44..60 kind:update,rejected -key:acc-* value.amount > 400` (docs/filters.md).

parser, fields, moments   text -> syntax tree, or FilterError with the place of the mistake
tree                      the tree, and the text that parses to it
former                    the parameters of addresses from before the language -> the same text
compiled, members         tree -> SQL over the tables of a partition, every value a parameter
decoded                   documents of values that a schema reads, in bulk, within bounds
completion, met           what can follow in a line that somebody types, by the names that a journal contains
"""
