"""Simulation: what a service writes when it starts on a log, and what it holds then; in memory, nothing is written.

    log      a log as it stands, with records put in, left out, appended, or compacted
    starts   a service starts on such a log; starts and compactions one after the other

What a service writes at a start, its dialect knows (`Dialect.start`, spark/dialects/__init__.py).
"""
