"""What every benchmark measures with: the least time, the most memory, a printed report."""

import time
import tracemalloc


def seconds(function, repeats=3):
    """Return the least time of a few runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def peak_megabytes(function):
    """Return the most memory that a call held at once."""
    tracemalloc.start()
    function()
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return peak


def report(record_property, **figures):
    """Record figures with the test, and print them in one line."""
    for name, value in figures.items():
        record_property(name, value)
    print("  ".join(f"{name}={value:,.4g}" for name, value in figures.items()))
