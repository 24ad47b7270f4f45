"""What a plan costs, and what a budget can decide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from evalcore.checks import check_positive, check_proportion, check_whole
from evalcore.results import Cost, SampleSize
from evalcore.sizing.paired import detectable_difference, paired_sample_size
from evalcore.sizing.search import ROUNDING, round_up
from evalcore.sizing.single import expected_half_width


def cost(
    cases: int, *, price: float, labels_per_case: int = 1, share_labelled: float = 0.0
) -> Cost:
    """Return how many labels to buy for some cases and what they cost.

    Parameters
    ----------
    cases : int
        Cases that need a label, such as ``SampleSize.labels``.
    price : float
        Of one label, in any currency, above 0.
    labels_per_case : int
        How many annotators label each case.
    share_labelled : float
        Share of the cases that have all their labels already.
    """
    needed, share = check_whole(cases, "cases"), check_proportion(share_labelled, "share_labelled")
    new = round_up(needed * (1.0 - share))
    labels = new * check_whole(labels_per_case, "labels_per_case", least=1)
    total = labels * check_positive(price, "price")
    return Cost(cases=needed, new_cases=new, labels=labels, total=total)


def affordable_cases(
    budget: float,
    *,
    price: float,
    labels_per_case: int = 1,
    share_labelled: float = 0.0,
    share_needed: float = 1.0,
) -> int:
    """Return the most cases whose labels a budget pays for: the inverse of ``cost``.

    ``share_needed`` is the share of the cases that need a label at all: the disagreement rate when
    only disagreements are labelled. With every label there already nothing is bought, which is a
    ValueError.
    """
    new = 1.0 - check_proportion(share_labelled, "share_labelled")
    each = check_positive(price, "price") * check_whole(labels_per_case, "labels_per_case", least=1)
    share = check_positive(check_proportion(share_needed, "share_needed"), "share_needed")
    bought = np.floor(check_positive(budget, "budget") / each * (1.0 + ROUNDING))
    new = check_positive(new, "1 - share_labelled")
    return int(bought / (new * share) * (1.0 + ROUNDING))


def design_effect(size: float, correlation: float) -> float:
    """Return by how much groups of alike cases multiply the cases needed: 1 + (m - 1) ICC.

    m is the mean number of cases in a group, at least 1, and the intra-class correlation from
    -1 / (m - 1) to 1; ``evalcore.clusters.summarise_clusters`` measures both on a pilot file.

    References
    ----------
    Kish (1965), Survey Sampling, section 5.4.
    """
    m = check_positive(size, "size")
    if m < 1.0:
        raise ValueError(f"size must be at least 1 case per group; got {size!r}")
    least = -1.0 / max(m - 1.0, 1.0)
    if not least <= correlation <= 1.0:
        raise ValueError(f"correlation must be from {least:.4g} to 1; got {correlation!r}")
    return 1.0 + (m - 1.0) * float(correlation)


def with_design_effect(size: SampleSize, effect: float) -> SampleSize:
    """Return a size for cases that come in groups: n and labels times the design effect."""
    factor = check_positive(effect, "effect")
    grouped = f"Cases come in groups: {factor:.4g} of them tell as much as one independent case."
    return replace(
        size,
        n=round_up(size.n * factor),
        labels=round_up(size.labels * factor),
        unrounded=size.unrounded * factor,
        assumptions=(*size.assumptions, grouped),
    )


def paired_size_table(
    differences: Sequence[float], disagreements: Sequence[float], **options: Any
) -> np.ndarray:
    """Return the cases needed by gap (rows) and disagreement rate (columns); nan where impossible.

    Options as for ``paired_sample_size``; shape (len(differences), len(disagreements)).
    """
    return np.array(
        [
            [paired_sample_size(d, gap, **options).n if gap <= d else np.nan for d in disagreements]
            for gap in differences
        ],
        dtype=float,
    )


def budget_curve(
    cases: Sequence[int],
    *,
    disagreement: float,
    proportions: Mapping[str, tuple[float, float]],
    method: str = "connor",
    confidence_level: float = 0.95,
    **options: Any,
) -> dict[str, np.ndarray]:
    """Return what each number of labelled cases can decide.

    Parameters
    ----------
    cases : sequence of int
    disagreement : float
    proportions : mapping of str to (float, float)
        Per metric its expected value and the share of cases that inform it.
    method, **options
        As for ``detectable_difference``.
    confidence_level : float

    Returns
    -------
    dict of str to ndarray of float, shape (len(cases),)
        "difference", the smallest gap found with the power (nan where none is), and per metric the
        half-width of its Wilson interval.
    """
    sizes = [check_whole(n, "cases", least=1) for n in cases]
    gaps = [detectable_difference(n, disagreement, method=method, **options) for n in sizes]
    curves = {"difference": np.array(gaps)}
    for name, (proportion, share) in proportions.items():
        curves[name] = np.array(
            [
                expected_half_width(n * share, proportion, confidence_level=confidence_level)
                for n in sizes
            ]
        )
    return curves
