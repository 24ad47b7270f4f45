"""Speed of reading: a million rows of CSV, beside pandas.read_csv of the same bytes."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from evalcore.reading import read_predictions
from tests.benchmarks.measuring import report, seconds

ROWS = 1_000_000
# On Linux getrusage() would count what the process that starts this one has held.
PEAK = """
import json, pathlib, resource, sys
from evalcore.reading import read_predictions
predictions = read_predictions(sys.stdin.buffer.read(), "million.csv")
status = pathlib.Path("/proc/self/status")
if status.exists():
    peak = next(int(w.split()[1]) for w in status.read_text().splitlines() if "VmHWM" in w)
else:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"rows": predictions.n_rows, "peak_mb": peak / 1024}))
"""


def million() -> bytes:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, ROWS)
    flips = rng.random((2, ROWS)) < np.array([[0.1], [0.2]])
    table = pd.DataFrame(
        {
            "y_true": truth,
            "pred_a": truth ^ flips[0],
            "pred_b": truth ^ flips[1],
            "score_a": rng.random(ROWS).round(6),
        }
    )
    return table.to_csv(index=False).encode()


@pytest.mark.benchmark
def test_a_million_rows(record_property):
    data = million()
    predictions = read_predictions(data, "million.csv")
    assert predictions.models == ("a", "b")
    assert predictions.n_cases == ROWS
    ours = seconds(lambda: read_predictions(data, "million.csv"))
    pandas = seconds(lambda: pd.read_csv(io.BytesIO(data)))
    done = subprocess.run(
        [sys.executable, "-c", PEAK], input=data, capture_output=True, check=True, timeout=300
    )
    measured = json.loads(done.stdout)
    assert measured["rows"] == ROWS
    figures = {
        "seconds": ours,
        "pandas_seconds": pandas,
        "ratio_to_pandas": ours / pandas,
        "megabytes_of_csv": len(data) / 2**20,
        "peak_rss_megabytes": measured["peak_mb"],
    }
    report(record_property, **figures)
