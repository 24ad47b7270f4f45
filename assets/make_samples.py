"""Make the sample predictions in assets/samples that need nothing but scikit-learn and numpy.

Run ``python assets/make_samples.py`` to write them again, or give a folder to write to. The
digits and listings samples are files from elsewhere; assets/PROVENANCE.md says where from.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

SAMPLES = Path(__file__).parent / "samples"


def screening() -> pd.DataFrame:
    """Return 5,000 cases with 1 percent positives, each with a score and a flag.

    Scores are normal with standard deviation 1, around 1.5 for positives and 0 for negatives; a
    case is flagged when its score is above 1.
    """
    rng = np.random.default_rng(0)
    # The published table that this sample repeats comes second in its script: the generator has
    # by then made the draws of the first table, and only then gives these 51 positives.
    for n_cases in (100, 400, 1_000, 5_000, 20_000):
        rng.binomial(n_cases, 0.9, 20_000)
    truth = (rng.uniform(size=5_000) < 0.01).astype(int)
    score = rng.normal(size=5_000) + 1.5 * truth
    return pd.DataFrame(
        {
            "case": np.arange(1, 5_001),
            "truth": truth,
            "score": score.round(9),
            "flagged": (score > 1.0).astype(int),
        }
    )


def breast_cancer() -> pd.DataFrame:
    """Return the test split of the breast-cancer data with the answers of two models.

    Logistic regression on standardized columns and a random forest of 300 trees are trained on
    398 cases and answer for the 171 others.
    """
    data = load_breast_cancer()
    labels = data.target_names[data.target]
    train_x, test_x, train_y, test_y, _, test_rows = train_test_split(
        data.data, labels, np.arange(labels.size), test_size=0.3, stratify=labels, random_state=0
    )
    models = {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(tol=1e-8, max_iter=1_000)),
        "forest": RandomForestClassifier(n_estimators=300, random_state=0),
    }
    table = pd.DataFrame({"case": test_rows + 1, "truth": test_y})
    probabilities = {}
    for name, model in models.items():
        model.fit(train_x, train_y)
        table[name] = model.predict(test_x)
        malignant = list(model.classes_).index("malignant")
        probabilities[f"{name}_p_malignant"] = model.predict_proba(test_x)[:, malignant].round(6)
    return table.assign(**probabilities)


def main(folder: Path = SAMPLES) -> None:
    """Write both samples to ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    for make in (screening, breast_cancer):
        make().to_csv(folder / f"{make.__name__}.csv", index=False, lineterminator="\n")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
