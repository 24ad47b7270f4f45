"""Cases that come in clusters: one partition that feeds standard errors, ICC and design effect.

Questions about one passage, visits of one patient, answers of one user: such cases are right or
wrong together, so the number of clusters, not of rows, says how much was learned.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from evalcore.checks import check_choice, check_counts, check_same_length, check_values

FEW_CLUSTERS = 20
VARIANCE_FACTORS = {
    "CR0": lambda clusters: 1.0,
    "CR1": lambda clusters: clusters / (clusters - 1) if clusters > 1 else np.nan,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition:
    """Which cluster each row belongs to.

    Attributes
    ----------
    codes : ndarray of int, shape (n,)
        Number of each row's cluster, from 0 to ``clusters`` - 1.
    counts : ndarray of int64, shape (n,)
        How many identical cases a row stands for.
    clusters : int
        Number of clusters that hold at least one case.
    """

    codes: np.ndarray
    counts: np.ndarray
    clusters: int

    @property
    def sizes(self) -> np.ndarray:
        """Number of cases in each cluster, shape (clusters,)."""
        return np.bincount(self.codes, weights=self.counts, minlength=self.clusters)

    def sums(self, values: np.ndarray) -> np.ndarray:
        """Return the sum of the values over the cases of each cluster.

        Parameters
        ----------
        values : ndarray, shape (n,) or (n, m)

        Returns
        -------
        ndarray, shape (clusters,) or (clusters, m)
        """
        if values.ndim == 1:
            return np.bincount(self.codes, weights=values * self.counts, minlength=self.clusters)
        return np.column_stack([self.sums(column) for column in values.T])


def partition(groups: Any, *, counts: Any = None) -> Partition:
    """Return the partition of rows into clusters.

    Rows with a count of 0 form no cluster of their own.

    Parameters
    ----------
    groups : array-like, shape (n,)
        Cluster of each row; any labels. Among whole numbers, one below 0 says that the cluster is
        not known, and such a row stands alone.
    counts : array-like of int, shape (n,), optional

    Raises
    ------
    ValueError
        If the lengths differ or a count is negative.
    """
    labels = np.asarray(groups)
    check_same_length({"groups": labels, "counts": counts})
    weights = check_counts(counts, len(labels))
    if weights is None:
        weights = np.ones(len(labels), np.int64)
    if labels.dtype.kind == "i":
        labels = _alone(labels)
    present = weights > 0
    names, inside = np.unique(labels[present], return_inverse=True)
    codes = np.zeros(len(labels), np.int64)
    codes[present] = inside
    return Partition(codes=codes, counts=weights, clusters=len(names))


def cluster_sums(values: Any, groups: Any, *, counts: Any = None) -> np.ndarray:
    """Return the sums of one or several columns over each cluster, in sorted order of ``groups``.

    Parameters
    ----------
    values : array-like, shape (n,) or (n, m)
    groups : array-like, shape (n,)
    counts : array-like of int, shape (n,), optional

    Returns
    -------
    ndarray, shape (G,) or (G, m)

    Raises
    ------
    ValueError
        If the lengths differ.
    """
    columns = np.asarray(values, float)
    check_same_length({"values": columns, "groups": groups, "counts": counts})
    return partition(groups, counts=counts).sums(columns)


def robust_standard_error(influence: np.ndarray, parts: Partition, *, kind: str = "CR1") -> float:
    """Return the cluster-robust standard error of any statistic from its influence values.

    The influence values of a cluster are summed before they are squared, so that whatever its cases
    share counts in full: ``sqrt(f * sum_g (sum_i influence_i)^2) / n``, with f = 1 for CR0 and
    G / (G - 1) for CR1. For a ratio of two sums this is its linearisation (Taylor series) variance.

    Parameters
    ----------
    influence : ndarray, shape (n,)
        How far one more such case moves the statistic, times n; sums to 0 over the cases.
    parts : Partition
    kind : {"CR1", "CR0"}

    Returns
    -------
    float
        nan with fewer than two clusters.

    References
    ----------
    Liang, K.-Y. and Zeger, S. L. (1986). Longitudinal data analysis using generalized linear
    models. Biometrika 73, 13-22.
    """
    factor = VARIANCE_FACTORS[check_choice(kind, VARIANCE_FACTORS, "kind")](parts.clusters)
    if parts.clusters < 2:
        return float("nan")
    sums = parts.sums(influence)
    return float(np.sqrt(factor * (sums @ sums)) / parts.counts.sum())


def cluster_standard_error(
    values: Any, groups: Any, *, counts: Any = None, kind: str = "CR1"
) -> float:
    """Return the cluster-robust standard error of the mean over all cases.

    Parameters
    ----------
    values : array-like, shape (n,)
    groups : array-like, shape (n,)
    counts : array-like of int, shape (n,), optional
    kind : {"CR1", "CR0"}
        CR1 multiplies the variance by G / (G - 1).

    Returns
    -------
    float
        nan with fewer than two clusters.

    Raises
    ------
    ValueError
        If the lengths differ or ``kind`` is unknown.
    """
    array = check_values(values, "values")
    check_same_length({"values": array, "groups": groups, "counts": counts})
    parts = partition(groups, counts=counts)
    return robust_standard_error(array - _mean(array, parts.counts), parts, kind=kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSummary:
    """How much the cases of one cluster resemble each other, and what that costs.

    Attributes
    ----------
    n, clusters : int
        Cases and clusters.
    mean : float
        Mean over all cases.
    standard_error_iid : float
        As if every case stood alone, with n - 1.
    standard_error_cr0, standard_error_cr1 : float
        Cluster-robust, without and with the factor G / (G - 1).
    degrees_of_freedom : int
        G - 1.
    intraclass_correlation : float
        ANOVA estimate; a negative value says that cases of one cluster differ more than chance.
    mean_size, size_spread : float
        Mean cluster size, and the size-weighted mean size (sum of squared sizes over n).
    design_effect : float
        Squared ratio of the cluster-robust (CR1) to the iid standard error.
    design_effect_kish, design_effect_kish_weighted : float
        1 + (m - 1) ICC with m the mean size, or the size-weighted mean size.
    """

    n: int
    clusters: int
    mean: float
    standard_error_iid: float
    standard_error_cr0: float
    standard_error_cr1: float
    degrees_of_freedom: int
    intraclass_correlation: float
    mean_size: float
    size_spread: float
    design_effect: float
    design_effect_kish: float
    design_effect_kish_weighted: float

    @property
    def effective_n(self) -> float:
        """Number of independent cases that would give the same standard error."""
        return self.n / self.design_effect if self.design_effect > 0 else float("nan")


def intraclass_correlation(values: Any, groups: Any, *, counts: Any = None) -> float:
    """Return the ANOVA estimate of the intra-class correlation of a mean.

    ``(MSB - MSW) / (MSB + (n0 - 1) MSW)`` with the mean squares between and within clusters and
    ``n0 = (n - sum_g n_g^2 / n) / (G - 1)``. It may be negative and is reported as it is.

    Parameters
    ----------
    values : array-like, shape (n,)
    groups : array-like, shape (n,)
    counts : array-like of int, shape (n,), optional

    Returns
    -------
    float
        nan with fewer than two clusters, when no cluster holds two cases, or when all values agree.

    Raises
    ------
    ValueError
        If the lengths differ.

    References
    ----------
    Donner, A. (1986). A review of inference procedures for the intraclass correlation coefficient
    in the one-way random effects model. International Statistical Review 54, 67-82.
    """
    array = check_values(values, "values")
    check_same_length({"values": array, "groups": groups, "counts": counts})
    return _anova_correlation(array, partition(groups, counts=counts))


def summarise_clusters(values: Any, groups: Any, *, counts: Any = None) -> ClusterSummary:
    """Return standard errors, intra-class correlation and design effects of a clustered mean.

    Parameters
    ----------
    values : array-like, shape (n,)
    groups : array-like, shape (n,)
    counts : array-like of int, shape (n,), optional

    Raises
    ------
    ValueError
        If the lengths differ or there is no case.

    References
    ----------
    Kish, L. (1965). Survey Sampling, section 5.4. Wiley.
    """
    array = check_values(values, "values")
    check_same_length({"values": array, "groups": groups, "counts": counts})
    parts = partition(groups, counts=counts)
    n = int(parts.counts.sum())
    if n == 0:
        raise ValueError("values must hold at least one case; got none")
    residuals = array - _mean(array, parts.counts)
    squares = float(parts.counts @ residuals**2)
    iid = float(np.sqrt(squares / (n - 1) / n)) if n > 1 else float("nan")
    robust = robust_standard_error(residuals, parts)
    correlation = _anova_correlation(array, parts)
    spread = float(parts.sizes @ parts.sizes / n)
    return ClusterSummary(
        n=n,
        clusters=parts.clusters,
        mean=_mean(array, parts.counts),
        standard_error_iid=iid,
        standard_error_cr0=robust_standard_error(residuals, parts, kind="CR0"),
        standard_error_cr1=robust,
        degrees_of_freedom=parts.clusters - 1,
        intraclass_correlation=correlation,
        mean_size=n / parts.clusters,
        size_spread=spread,
        design_effect=(robust / iid) ** 2 if iid > 0 else float("nan"),
        design_effect_kish=1 + (n / parts.clusters - 1) * correlation,
        design_effect_kish_weighted=1 + (spread - 1) * correlation,
    )


def few_clusters_note(clusters: int) -> tuple[str, ...]:
    """Return a warning when there are too few clusters to trust a cluster-robust error."""
    if clusters >= FEW_CLUSTERS:
        return ()
    held = f"only {clusters} clusters" if clusters != 1 else "only 1 cluster"
    return (f"{held}: with fewer than {FEW_CLUSTERS} the interval itself is uncertain",)


def _alone(codes: np.ndarray) -> np.ndarray:
    unknown = codes < 0
    if not unknown.any():
        return codes
    return np.where(unknown, codes.max(initial=-1) + np.cumsum(unknown), codes)


def _mean(values: np.ndarray, counts: np.ndarray) -> float:
    total = counts.sum()
    return float(values @ counts / total) if total else float("nan")


def _anova_correlation(values: np.ndarray, parts: Partition) -> float:
    n, clusters, sizes = int(parts.counts.sum()), parts.clusters, parts.sizes
    if clusters < 2 or n == clusters:
        return float("nan")
    residuals = values - _mean(values, parts.counts)
    means = parts.sums(residuals) / sizes
    between = float(sizes @ means**2) / (clusters - 1)
    within = float(parts.counts @ (residuals - means[parts.codes]) ** 2) / (n - clusters)
    typical = (n - float(sizes @ sizes) / n) / (clusters - 1)
    total = between + (typical - 1) * within
    return (between - within) / total if total > 0 else float("nan")
