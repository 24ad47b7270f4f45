"""METHODS: every interval method of every family, and which of them a metric is offered."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from evalcore.binomial import PROPORTION_METHODS
from evalcore.intervals import closed, drawn, quantiles, ranks
from evalcore.intervals.methods import IntervalMethod
from evalcore.metrics import METRICS, Metric
from evalcore.ranking import AUC_METHODS

_BOOTSTRAP = ("percentile", "bca")
_EFRON = "Efron, Tibshirani (1993), An Introduction to the Bootstrap"
_CLUSTERS = "Liang, Zeger (1986), Biometrika 73, 13-22"

_BINOMIAL = tuple(
    IntervalMethod(
        key=row.key,
        label=row.label,
        formula=row.formula,
        reference=row.reference,
        remark=row.remark,
        limits=closed.binomial(row.key),
    )
    for row in PROPORTION_METHODS.values()
)
_AUC = tuple(
    IntervalMethod(
        key=row.key,
        label=row.label,
        formula=row.formula,
        reference=row.reference,
        remark=row.remark,
        limits=ranks.auc_method(row.key),
    )
    for row in AUC_METHODS.values()
    # One resampling serves all metrics.
    if row.key not in _BOOTSTRAP
)
_FROM_ERRORS = (
    IntervalMethod(
        key="delta",
        label="Delta method",
        formula=r"g^{-1}\left(g(\hat\theta) \pm q\,g'(\hat\theta)\,\widehat{SE}\right)",
        reference="Agresti (2013), Categorical Data Analysis, section 16.1",
        remark=(
            "Normal limits on a scale without bounds (logit, Fisher's z or log), turned back, so "
            "that they stay inside the range of the metric."
        ),
        limits=closed.delta,
    ),
    IntervalMethod(
        key="effective_wilson",
        label="Wilson, effective size",
        formula=(
            r"\text{Wilson of}\ \hat u,\ n_{\mathrm{eff}} = \hat u(1-\hat u)/\widehat{SE}_u^2"
        ),
        reference="Wilson (1927), JASA 22, 209-212; Kish (1965), Survey Sampling",
        remark=(
            "Wilson's interval with the number of right-or-wrong cases that would give the same "
            "standard error; it has a width at the ends of the range, and keeps the doubt about "
            "a class of few cases."
        ),
        limits=closed.effective_wilson,
    ),
    IntervalMethod(
        key="t",
        label="Student's t",
        formula=r"\bar x \pm t_{n-1}\,s/\sqrt n",
        reference="Student (1908), Biometrika 6, 1-25",
        remark="The standard interval for a mean; long tails in few cases make it too short.",
        limits=closed.student,
    ),
    IntervalMethod(
        key="normal",
        label="Normal",
        formula=r"\bar x \pm z\,s/\sqrt n",
        reference="Laplace (1812)",
        remark="Like t with infinitely many cases: a little short when there are few.",
        limits=closed.normal,
    ),
)
_CLUSTERED = (
    IntervalMethod(
        key="clustered_wilson",
        label="Wilson by clusters",
        formula=r"\text{Wilson of}\ \hat u,\ n_{\mathrm{eff}} = n/\mathrm{deff},\ t_{G-1}",
        reference=(
            "Korn, Graubard (1998), Survey Methodology 24, 193-201; Dean, Pagano (2015), "
            "J. Survey Statistics and Methodology 3, 484-503"
        ),
        remark="Inside the range by construction; a little short for a rate near 0 or 1.",
        limits=closed.effective_wilson,
    ),
    IntervalMethod(
        key="clustered_delta",
        label="Cluster-robust",
        formula=r"g^{-1}\left(g(\hat\theta) \pm t_{G-1}\,g'(\hat\theta)\,\widehat{SE}_{CR1}\right)",
        reference=_CLUSTERS,
        remark=(
            "The default for shares: the cluster-robust error on the logit, Fisher or log scale, "
            "turned back. In trials with 10 to 100 clusters, 95 % held 0.94 to 0.99 (Wilson 0.93 "
            "to 0.98, t 0.87 to 0.96)."
        ),
        limits=closed.delta,
    ),
    IntervalMethod(
        key="clustered_t",
        label="Cluster-robust t",
        formula=r"\hat\theta \pm t_{G-1}\,\widehat{SE}_{CR1}",
        reference=_CLUSTERS,
        remark="The plain form that regression programs print; it may leave the range.",
        limits=closed.student,
    ),
)
_DRAWN = (
    IntervalMethod(
        key="percentile",
        label="Bootstrap percentile",
        formula=r"\left[\hat\theta^*_{(\alpha/2)},\ \hat\theta^*_{(1-\alpha/2)}\right]",
        reference=f"{_EFRON}, chapter 13",
        remark="The middle of the bootstrap distribution; too short when cases are few.",
        limits=drawn.percentile,
    ),
    IntervalMethod(
        key="bca",
        label="Bootstrap BCa",
        formula=r"\left[\hat\theta^*_{(\alpha_1)},\ \hat\theta^*_{(\alpha_2)}\right]",
        reference="Efron (1987), JASA 82, 171-185",
        remark="Percentiles moved for bias and skewness; needs some hundred cases to pay off.",
        limits=drawn.bca,
    ),
    IntervalMethod(
        key="bootstrap_t",
        label="Bootstrap t",
        formula=r"\hat\theta - \widehat{SE}\,\left\{q^*_{1-\alpha/2},\ q^*_{\alpha/2}\right\}",
        reference="Hall (1988), Annals of Statistics 16, 927-953",
        remark="Learns the skewness of the t statistic from the data; the best for long tails.",
        limits=drawn.bootstrap_t,
    ),
)
_MEDIANS = (
    IntervalMethod(
        key="order_statistic",
        label="Order statistics",
        formula=r"[x_{(l)},\ x_{(n+1-l)}],\ P(\mathrm{Bin}(n,\tfrac12) < l) \le \alpha/2",
        reference="Thompson (1936), Annals of Mathematical Statistics 7, 122-128",
        remark="Holds for any distribution; the level reached is at least the one asked for.",
        limits=quantiles.order_statistic,
    ),
    IntervalMethod(
        key="exact_bootstrap",
        label="Exact bootstrap",
        formula=r"P(\tilde x^* \le x_{(i)}) = P(\mathrm{Bin}(n, i/n) \ge (n+1)/2)",
        reference="Efron (1979), Annals of Statistics 7, 1-26",
        remark="What infinitely many resamples would give, computed without any.",
        limits=quantiles.exact_bootstrap,
    ),
    IntervalMethod(
        key="woodruff",
        label="Woodruff",
        formula=r"\hat F^{-1}\left(\tfrac12 \pm t_{G-1}\,\widehat{SE}_{CR1}(\hat F)\right)",
        reference="Woodruff (1952), JASA 47, 635-646",
        remark="The cluster-robust interval of the share below the median, read back as values.",
        limits=quantiles.woodruff,
    ),
)

METHODS: Mapping[str, IntervalMethod] = MappingProxyType(
    {
        row.key: row
        for table in (_BINOMIAL, _AUC, _FROM_ERRORS, _CLUSTERED, _DRAWN, _MEDIANS)
        for row in table
    }
)

# Metrics that are their one column's mean itself, not a function of means.
_PLAIN_MEAN = METRICS["mean_error"].combine
# Average precision and recall at a rate are better resampled than linearised.
_SMOOTH_RANKS = ("auc", "auc_macro")


def offered_methods(
    metric: Metric, family: str, bounds: tuple[float, float], *, clustered: bool
) -> tuple[str, ...]:
    """Return the keys of the methods offered for a metric, the default first.

    Parameters
    ----------
    metric : Metric
    family : str
        The metric's family, or "proportion" for a mean of 0/1 values.
    bounds : (float, float)
    clustered : bool
        Whether clusters are the independent units.
    """
    if family == "quantile":
        return ("woodruff", "percentile") if clustered else ("order_statistic", "exact_bootstrap")
    if family == "rank" and metric.key not in _SMOOTH_RANKS:
        return ("bca", "percentile")
    if clustered:
        return _clustered_methods(metric, family, bounds)
    if family == "proportion":
        return (*PROPORTION_METHODS, *_BOOTSTRAP)
    if metric.key in closed.MEANS_OF_RATES:
        return ("effective_wilson", "delta", *_BOOTSTRAP)
    if family == "count":
        return ("delta", "effective_wilson", *_BOOTSTRAP)
    if family == "rank":
        return (
            (*(row.key for row in _AUC), *_BOOTSTRAP)
            if metric.key == "auc"
            else ("delta", *_BOOTSTRAP)
        )
    if metric.combine is not _PLAIN_MEAN:
        return ("delta", *_BOOTSTRAP)
    bounded = ("delta",) if np.isfinite(bounds).any() else ()
    return ("t", "normal", *bounded, *_BOOTSTRAP, "bootstrap_t")


def _clustered_methods(metric: Metric, family: str, bounds: tuple[float, float]) -> tuple[str, ...]:
    if metric.key in closed.MEANS_OF_RATES:
        return ("clustered_wilson", "clustered_delta", "clustered_t", *_BOOTSTRAP)
    if family in ("proportion", "count"):
        return ("clustered_delta", "clustered_wilson", "clustered_t", *_BOOTSTRAP)
    if family == "mean" and metric.combine is _PLAIN_MEAN:
        bounded = ("clustered_delta",) if np.isfinite(bounds).any() else ()
        return ("clustered_t", *bounded, *_BOOTSTRAP, "bootstrap_t")
    return ("clustered_delta", "clustered_t", *_BOOTSTRAP)
