"""Speed of reading: a million rows of CSV, beside pandas.read_csv of the same bytes."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from evalcore.reading import read_predictions

ROWS = 1_000_000
PEAK = """
import json, resource, sys
from evalcore.reading import read_predictions
predictions = read_predictions(sys.stdin.buffer.read(), "million.csv")
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
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


def fastest(work, times: int = 3) -> float:
    spent = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        spent.append(time.perf_counter() - start)
    return min(spent)


@pytest.mark.benchmark
def test_a_million_rows(record_property):
    data = million()
    predictions = read_predictions(data, "million.csv")
    assert predictions.models == ("a", "b")
    assert predictions.n_cases == ROWS
    ours = fastest(lambda: read_predictions(data, "million.csv"))
    pandas = fastest(lambda: pd.read_csv(io.BytesIO(data)))
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
    for name, value in figures.items():
        record_property(name, round(value, 3))
    print(f"\nreading {ROWS:,} rows: " + ", ".join(f"{k} {v:.3g}" for k, v in figures.items()))
