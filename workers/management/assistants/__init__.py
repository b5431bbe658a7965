"""What assistants ask by the Model Context Protocol (`journalscope mcp`): answers about journals, read only (docs/mcp.md).

    protocol   the SDK: tools are listed and called over stdin and stdout. The only module that imports it
    tools      name, description, arguments and answer of each tool
    answers    a journal's report, findings, states and records, from the redacted results alone
    compared   two journals set side by side
    planned    how a journal could be repaired
    journals   inspects inputs, redacts the results, keeps both for later calls
    served     the same of a journal on a server, by its API
    folders    which paths a call may name
    bounds     how long an answer may be

What is hidden is chosen once, on the command line (`workers.management.masks`).
Answers are read from results that are redacted like those of a shared link, so no call can show more. A comparison and a
plan of repair need all the data: their documents are redacted by the same rules (`spark.redaction.documents`).
"""
