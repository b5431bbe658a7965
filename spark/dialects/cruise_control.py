"""Cruise Control's topics: metrics of brokers, and the samples made of them. Recognised by name only.

    __CruiseControlMetrics                        raw metrics that the reporter in each broker writes
    __KafkaCruiseControlPartitionMetricSamples    samples of partitions
    __KafkaCruiseControlModelTrainingSamples      samples of brokers

They are not compacted: Cruise Control reads the newest samples at its start and measures again what is missing. Source: Cruise
Control `CruiseControlMetricsReporterConfig`, `KafkaSampleStore` (2.5).
"""

from __future__ import annotations

import re

from spark.dialects._recognised import recognised

NAMES = re.compile(r"__CruiseControlMetrics|__KafkaCruiseControl(PartitionMetric|ModelTraining)Samples")

dialect = recognised("cruise-control", "Cruise Control's metrics and samples", NAMES, is_compacted=False)
