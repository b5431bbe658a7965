"""The stages in order: read this file first.

    plan       recognise each file, name its topic and partition, cut it into splits, find the dialect
    decode     splits -> batches, records, damage, runs; the dialect reads records into entries in the same pass
    relate     records -> lifelines and keys (one shuffle of a narrow spine); runs -> gaps
    replay     entries -> state and refusals, as the real service starts up
    detect     tables -> findings, all detectors in one Spark job
    summarise  findings -> causes and consequences, verdict, coverage: report.json
"""
