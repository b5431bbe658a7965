from spark import warm
from spark.sources.dump_log_text.warm import MODULES, read_sample


def test_the_samples_lead_through_every_compiled_function() -> None:
    assert read_sample() == 6
    never_called = [
        name
        for name, function in warm.compiled_functions()
        if name.rpartition(".")[0] in MODULES and not function.signatures
    ]
    assert never_called == []
