"""The samples hold what PROVENANCE.md says, and can be made again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

ASSETS = Path(__file__).parents[1] / "assets"
SAMPLES = ASSETS / "samples"


def read(name: str) -> pd.DataFrame:
    return pd.read_csv(SAMPLES / f"{name}.csv")


def test_every_asset_has_its_provenance():
    text = (ASSETS / "PROVENANCE.md").read_text(encoding="utf-8")
    files = {path.name for path in ASSETS.rglob("*") if path.suffix in (".csv", ".svg")}
    assert {"digits.csv", "listings.csv", "screening.csv", "breast_cancer.csv"} <= files
    assert [name for name in sorted(files) if f"`{name}`" not in text] == []


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made samples")
    subprocess.run([sys.executable, str(ASSETS / "make_samples.py"), str(folder)], check=True)
    return folder


@pytest.mark.parametrize("name", ["screening", "breast_cancer"])
def test_script_makes_the_same_sample_again(made, name):
    # Probabilities are written with six decimals, so one that lies on the edge may round either
    # way on another processor.
    pd.testing.assert_frame_equal(
        pd.read_csv(made / f"{name}.csv"), read(name), rtol=0, atol=1.001e-6
    )


def test_digits_are_the_published_test():
    table = read("digits")
    network, logreg = (table["true"] == table[model] for model in ("network", "logreg"))
    assert len(table) == 360
    # torch 2.13.0+cpu, scikit-learn 1.9.1: cases right, and right for one model only.
    assert (network.sum(), logreg.sum()) == (349, 347)
    assert ((network & ~logreg).sum(), (logreg & ~network).sum()) == (4, 2)
    for model in ("network", "logreg"):
        chances = table[[f"{model}_p{digit}" for digit in range(10)]].to_numpy()
        assert np.array_equal(chances.argmax(axis=1), table[model])
        np.testing.assert_allclose(chances.sum(axis=1), 1.0, atol=1e-5)


def test_listings_have_the_known_errors():
    table = read("listings")
    errors = table[["linear", "forest", "boosting"]].sub(table["true_price"], axis=0).abs()
    assert len(table) == 600
    # numpy 2.4.6: np.mean(np.abs(model - true_price)).
    np.testing.assert_allclose(
        errors.mean(), [56189.34758333333, 53633.75265, 52633.010050000004], rtol=1e-12
    )


def test_screening_is_the_published_draw():
    table = read("screening")
    assert len(table) == 5_000
    assert table["truth"].sum() == 51
    assert table["score"].is_unique
    assert table["flagged"].equals((table["score"] > 1.0).astype(int))


def test_screening_gives_the_published_intervals():
    """Repeat the published bootstrap: numpy default_rng(1), 1,000 resamples of row numbers."""
    table = read("screening")
    truth, flagged = table["truth"].to_numpy() == 1, table["flagged"].to_numpy() == 1
    score = table["score"].to_numpy()
    rng = np.random.default_rng(1)
    draws = []
    for _ in range(1_000):
        rows = rng.integers(0, truth.size, truth.size)
        positive, said = truth[rows], flagged[rows]
        hits = (positive & said).sum()
        # Mann-Whitney, with ranks that share among equals: a resample repeats rows.
        _, codes, counts = np.unique(score[rows], return_inverse=True, return_counts=True)
        ranks = (np.cumsum(counts) - (counts - 1) / 2)[codes]
        n_positive = positive.sum()
        wins = ranks[positive].sum() - n_positive * (n_positive + 1) / 2
        auc = wins / (n_positive * (truth.size - n_positive))
        draws.append((auc, hits / said.sum(), hits / n_positive))
    low, high = np.percentile(draws, [2.5, 97.5], axis=0)
    # As printed in the source, numpy 2.4 and scikit-learn 1.9 (roc_auc_score) agreeing.
    assert (low[0].round(3), high[0].round(3)) == (0.802, 0.904)
    assert (low[1].round(2), high[1].round(2)) == (0.03, 0.06)
    assert (low[2].round(2), high[2].round(2)) == (0.60, 0.85)


def test_breast_cancer_answers_follow_from_the_probabilities():
    table = read("breast_cancer")
    assert table["truth"].value_counts().to_dict() == {"benign": 107, "malignant": 64}
    assert table["case"].is_unique
    for model in ("logistic", "forest"):
        chance = table[f"{model}_p_malignant"]
        assert chance.between(0, 1).all()
        decided = chance != 0.5
        said = table[model] == "malignant"
        assert (said == (chance > 0.5))[decided].all()


@pytest.mark.parametrize("name", ["logo.svg", "icon.svg"])
def test_pictures_are_self_contained(name):
    text = (ASSETS / name).read_text(encoding="utf-8")
    root = ElementTree.fromstring(text)
    assert root.get("aria-label") == "Margin"
    tags = {element.tag.rsplit("}", 1)[-1] for element in root.iter()}
    assert tags <= {"svg", "path", "circle"}
    assert "href" not in text
    assert "url(" not in text
