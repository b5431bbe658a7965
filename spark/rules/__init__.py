"""Rules that people write: a condition over one table, a severity, a text. Data, never code.

    yaml_nodes, conditions, language   YAML -> CheckedRule, or a sentence with the line that says what is allowed
    columns                            which columns a rule may name, and how SQL reads each
    condition, query                   CheckedRule -> SQL in which every value of the rule is a bound parameter
    evaluation                         a rule over the tables of an inspection -> one finding for each copy of a partition

Loads no pyspark: the web tries a rule with the same code (docs/decisions/0009-rules-are-data.md, docs/rules.md).
"""
